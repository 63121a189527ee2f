# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What a user did wrong."""


class InputError(ValueError):
    """One message that names file, place, problem, and what is accepted.

    line, row and column count from 1; rows and columns are those of a matrix or table.
    """

    def __init__(self, path, problem, accepted=None, *, line=None, row=None, column=None):
        place = f"{path}" if line is None else f"{path}:{line}"
        if row is not None:
            place += f": row {row}"
        if column is not None:
            place += (", " if row is not None else ": ") + f"column {column}"
        text = f"{place}: {problem}"
        super().__init__(text + (f" (accepted: {accepted})" if accepted else ""))


def shorten(text, length=60):
    """A foreign value, fit for one line of a message."""
    plain = repr(text) if isinstance(text, str) else str(text)
    return plain if len(plain) <= length else plain[: length - 3] + "..."
