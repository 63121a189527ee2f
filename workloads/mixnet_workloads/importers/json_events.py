# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A large JSON file, piece by piece: the elements of one long list, and what stands beside it."""

import codecs
import json

from . import inputs
from .errors import InputError

CHUNK = 1 << 20
MOST_PIECE = 64 << 20
_BLANK = " \t\r\n"


class _Text:
    """A window on the text: decodes values at its begin, reads on where they are cut."""

    def __init__(self, path, file):
        self._path, self._file = path, file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_float=str, parse_constant=self._no_constant)
        self._window, self._at, self._line, self._ended = "", 0, 1, False

    def _no_constant(self, name):
        raise InputError(self._path, f"{name} is not a number", line=self._line)

    def _more(self):
        """Drops what was consumed, reads a chunk; False at the end."""
        if self._ended:
            return False
        self._line += self._window.count("\n", 0, self._at)
        data = self._file.read(CHUNK)
        self._ended = not data
        try:
            text = self._decode.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise InputError(self._path, f"is not UTF-8: {error.reason}", line=self._line) from None
        self._window, self._at = self._window[self._at :] + text, 0
        return True

    def peek(self):
        """The next character that is not blank, '' at the end."""
        while True:
            while self._at < len(self._window) and self._window[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._window):
                return self._window[self._at]
            if not self._more():
                return ""

    def take(self, accepted):
        """Consumes one of these characters."""
        found = self.peek()
        if not found or found not in accepted:
            self.refuse(f"found {found!r}" if found else "the file ends (cut off?)",
                        " or ".join(accepted))
        self._at += 1
        return found

    def value(self):
        """The next JSON value."""
        self.peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._window, self._at)
            except json.JSONDecodeError as error:
                if len(self._window) - self._at < MOST_PIECE and self._more():
                    continue
                self._at = min(error.pos, len(self._window))
                cut = self._ended and self._at == len(self._window)
                self.refuse("the file ends (cut off?)" if cut else f"is not JSON: {error.msg}")
            except RecursionError:
                self.refuse("is nested too deeply")
            if end < len(self._window) or not self._more():
                self._at = end
                return value

    def refuse(self, problem, accepted=None):
        line = self._line + self._window.count("\n", 0, self._at)
        raise InputError(self._path, problem, accepted, line=line) from None


def elements(path, report, name, about):
    """Yields the elements of the list `name` of the file's object (or of the file, if it is a list);
    the other values go into the dict `about`. A list that ends without ']' is accepted with a warning,
    as the trace-event format allows; not behind a comma."""
    with inputs.stream(path, report) as file:
        text = _Text(path, file)
        if text.peek() == "[":
            yield from _list(path, text, report)
            return
        text.take("{")
        found = False
        while text.peek() != "}":
            key = text.value()
            if not isinstance(key, str):
                text.refuse("a key is no text")
            text.take(":")
            if key == name:
                if text.peek() != "[":
                    text.refuse(f"'{name}' is no list", "[")
                found = True
                if (yield from _list(path, text, report)):
                    return
            else:
                about[key] = text.value()
            if text.peek() != "}":
                text.take(",")
        if not found:
            raise InputError(path, f"has no '{name}'", "a trace in the trace-event format")


def _list(path, text, report):
    """Yields the elements; returns whether the file ended with the list open."""
    text.take("[")
    while text.peek() not in ("]", ""):
        yield text.value()
        if text.peek() == ",":
            text.take(",")
        elif text.peek() not in ("]", ""):
            text.take(",]")
    if text.peek():
        text.take("]")
        return False
    report.warn(f"{path}: the list of events is not closed: cut off?")
    return True
