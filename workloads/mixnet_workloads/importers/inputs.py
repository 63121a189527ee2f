# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Reading foreign files: compressed or not, streamed, with line numbers."""

import bz2
import gzip
import io
import json
import lzma
import os
import zlib

from .errors import InputError, shorten

LINE_LIMIT = 256 << 20
WHOLE_LIMIT = 2 << 30
_DAMAGE = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error, OSError, ValueError)


class _Counted(io.RawIOBase):
    """The file as it is on disk; tells the report how far reading is."""

    def __init__(self, path, report):
        self._path, self._report = path, report
        self._file = open(path, "rb", buffering=0)
        self._total = os.fstat(self._file.fileno()).st_size

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        return self._file.seek(offset, whence)

    def tell(self):
        return self._file.tell()

    def readinto(self, buffer):
        size = self._file.readinto(buffer)
        self._report.progress(self._path, self._file.tell(), self._total)
        return size

    def close(self):
        self._file.close()
        super().close()


class _Guarded(io.RawIOBase):
    """Turns the exceptions of the decompressors into InputError."""

    def __init__(self, path, inner, what):
        self._path, self._inner, self._what = path, inner, what

    def readable(self):
        return True

    def readinto(self, buffer):
        try:
            data = self._inner.read(len(buffer))
        except _DAMAGE as error:
            raise InputError(
                self._path, f"the {self._what} data are damaged or end early: {error}"
            ) from None
        buffer[: len(data)] = data
        return len(data)

    def close(self):
        self._inner.close()
        super().close()


def stream(path, report):
    """The decompressed content of a file, buffered; use as a context manager."""
    if os.path.isdir(path):
        raise InputError(path, "is a folder", "a file")
    report.add_source(path)
    raw = io.BufferedReader(_Counted(path, report), 1 << 20)
    head = raw.peek(6)[:6]
    if head[:2] == b"\x1f\x8b":
        return io.BufferedReader(_Guarded(path, gzip.GzipFile(fileobj=raw), "gzip"), 1 << 20)
    if head == b"\xfd7zXZ\x00":
        return io.BufferedReader(_Guarded(path, lzma.LZMAFile(raw), "xz"), 1 << 20)
    if head[:3] == b"BZh":
        return io.BufferedReader(_Guarded(path, bz2.BZ2File(raw), "bzip2"), 1 << 20)
    if head[:4] == b"\x28\xb5\x2f\xfd":
        raise InputError(path, "is compressed with zstd", "plain, gzip, xz, bzip2")
    return raw


def whole(path, report, limit=WHOLE_LIMIT):
    """All decompressed bytes."""
    with stream(path, report) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(path, f"holds more than {limit} bytes", "less, or a format that streams")
    return data


def lines(path, report, limit=LINE_LIMIT):
    """Yields (number, text) of every line, without its end; numbers count from 1."""
    with stream(path, report) as file:
        yield from decoded(file, path, limit)


def decoded(file, path, limit=LINE_LIMIT):
    """The same of an open binary file; path names it in messages."""
    number = 0
    while raw := file.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            raise InputError(path, f"has more than {limit} bytes", "shorter lines", line=number)
        if number == 1 and raw[:3] == b"\xef\xbb\xbf":
            raw = raw[3:]
        yield number, _text(raw, path, number)


def _text(raw, path, number):
    if b"\0" in raw:
        raise InputError(path, "holds binary data", "text in UTF-8", line=number)
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            path, f"byte 0x{raw[error.start]:02x} at {error.start + 1} is not UTF-8",
            "text in UTF-8", line=number
        ) from None


def text(path, report):
    """All decompressed text with LF line ends."""
    return "\n".join(line for _, line in lines(path, report))


def _no_constant(name):
    raise ValueError(f"{name} is not a number")


def json_text(content, path, line=None):
    """One JSON value; line says where it stands in the file (for one value per line)."""
    try:
        return json.loads(content, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise InputError(path, f"is not JSON: {error.msg}", line=at, column=error.colno) from None
    except RecursionError:
        raise InputError(path, "is nested too deeply", line=line) from None
    except ValueError as error:
        raise InputError(path, f"is not JSON: {shorten(str(error), 100)}", line=line) from None


def json_file(path, report):
    """The one JSON value of a file."""
    return json_text(text(path, report), path)


def whole_number(value, path, what, least=0, most=(1 << 63) - 1, **place):
    """An int from text or a number; floats are taken where they are whole."""
    if type(value) is int and least <= value <= most:
        return value
    number = None
    if isinstance(value, str):
        value = value.strip()
        try:
            number = int(value) if len(value) < 40 and "_" not in value else None
        except ValueError:
            try:
                value = float(value) if "_" not in value else value
            except ValueError:
                pass
    if isinstance(value, bool):
        number = None
    elif isinstance(value, int):
        number = value
    elif isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        number = int(value)
    if number is None or not least <= number <= most:
        limit = f"a whole number from {least}" + (f" to {most}" if most < 1 << 62 else "")
        raise InputError(path, f"{what} is {shorten(value)}", limit, **place)
    return number
