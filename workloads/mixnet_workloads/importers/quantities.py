# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Rates and times of foreign files, exact: no value passes through a float."""

import re
from fractions import Fraction

from .errors import InputError, shorten

_NUMBER = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?)\s*(.*)", re.ASCII)
_PREFIX = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
           "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_RATE = re.compile(r"(|[kKMGT]|[KMGT]i)(b|B)(?:ps|/s)")
_TIME = {"fs": Fraction(1, 1000), "ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12,
         "min": 60 * 10**12, "h": 3600 * 10**12}
RATES = "a number and bps, kbps, Mbps, Gbps or Tbps, such as 400Gbps (B for bytes)"
TIMES = "a number and s, ms, us, ns or ps, such as 1000ns"
MOST_PS = (1 << 63) - 1
MOST_RATE = 10**18


def decimal(text):
    """(exact number, what follows it); (None, text) where it is no number."""
    match = _NUMBER.fullmatch(text.strip())
    return (Fraction(match[1]), match[2]) if match else (None, text)


def rate(text, path, **place):
    """bit/s of a text with unit, above 0; (rate, whether it was given in bytes)."""
    number, unit = decimal(text)
    match = _RATE.fullmatch(unit) if number is not None else None
    value = number * _PREFIX[match[1]] * (8 if match[2] == "B" else 1) if match else 0
    if not 0 < value <= MOST_RATE or value.denominator != 1:
        raise InputError(path, f"bad rate {shorten(text)}", RATES, **place)
    return int(value), match[2] == "B"


def delay(text, path, **place):
    """ps of a text with unit, 0 or more."""
    number, unit = decimal(text)
    value = number * _TIME[unit] if number is not None and unit in _TIME else Fraction(-1)
    if not 0 <= value <= MOST_PS or value.denominator != 1:
        raise InputError(path, f"bad delay {shorten(text)}", TIMES, **place)
    return int(value)


def picoseconds(text, unit, path, what, **place):
    """(ps, exact?) of a plain number whose unit the format fixes."""
    number, rest = decimal(text)
    if number is None or rest or not 0 <= number * _TIME[unit] <= MOST_PS:
        raise InputError(path, f"bad {what} {shorten(text)}", f"a number of {unit}, 0 or more", **place)
    value = number * _TIME[unit]
    return round(value), value.denominator == 1


def share(text, path, what, **place):
    """A probability below 1."""
    number, rest = decimal(text)
    if number is None or rest or not 0 <= number < 1:
        raise InputError(path, f"bad {what} {shorten(text)}", "0 or more and below 1", **place)
    return float(number)
