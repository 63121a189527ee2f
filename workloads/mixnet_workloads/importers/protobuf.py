# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The protobuf wire format, as far as reading needs it (protobuf.dev, "Encoding").

Every problem is a Damaged with a text; who knows the file and record makes an InputError of it.
"""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MOST_BYTES = 1 << 28


class Damaged(ValueError):
    """Not the wire format, or cut off."""


def varint(data, place):
    """(value below 2^64, place behind it)"""
    value = shift = 0
    while True:
        if place >= len(data):
            raise Damaged("ends inside of a number")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place
        shift += 7
        if shift > 63:
            raise Damaged("has a number of more than ten bytes")


def fields(data):
    """Yields (field number, wire type, value): ints of the bits, or bytes."""
    place, end = 0, len(data)
    while place < end:
        key = data[place]
        place += 1
        if key >= 0x80:
            key, place = varint(data, place - 1)
        wire = key & 7
        if wire == VARINT:
            value, place = varint(data, place)
        elif wire == BYTES:
            size, place = varint(data, place)
            value = data[place : place + size]
            place += size
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
            value = int.from_bytes(data[place : place + size], "little")
            place += size
        else:
            raise Damaged(f"has a field of wire type {wire}")
        if place > end:
            raise Damaged("ends inside of a field")
        if not key >> 3:
            raise Damaged("has a field with number 0")
        yield key >> 3, wire, value


def records(file):
    """Yields the bytes of length-prefixed messages of a stream."""
    while first := file.read(1):
        prefix = first
        while prefix[-1] >= 0x80 and len(prefix) <= 10:
            more = file.read(1)
            if not more:
                raise Damaged("ends inside of a length")
            prefix += more
        size, _ = varint(prefix, 0)
        if size > MOST_BYTES:
            raise Damaged(f"claims to have {size} bytes")
        data = file.read(size)
        if len(data) < size:
            raise Damaged(f"ends after {len(data)} of {size} bytes")
        yield data


def signed(value, bits=64):
    """Two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def packed(wire, value):
    """The numbers of a repeated varint field, packed or one by one."""
    if wire == VARINT:
        return [value]
    numbers, place = [], 0
    while place < len(value):
        number, place = varint(value, place)
        numbers.append(number)
    return numbers


def text(value):
    try:
        return value.decode("utf-8")
    except (UnicodeDecodeError, AttributeError):
        raise Damaged("has a text that is not UTF-8") from None


def _float(value):
    return struct.unpack("<f", value.to_bytes(4, "little"))[0]


def _double(value):
    return struct.unpack("<d", value.to_bytes(8, "little"))[0]


# Scalar types of a oneof: (wire type, conversion), in the order of Chakra's AttributeProto.
SCALARS = (
    (FIXED64, _double), (FIXED32, _float),
    (VARINT, lambda value: signed(value, 32)), (VARINT, signed),
    (VARINT, lambda value: value & 0xFFFFFFFF), (VARINT, lambda value: value),
    (VARINT, lambda value: zigzag(value & 0xFFFFFFFF)), (VARINT, zigzag),
    (FIXED32, lambda value: value), (FIXED64, lambda value: value),
    (FIXED32, lambda value: signed(value, 32)), (FIXED64, signed),
    (VARINT, bool), (BYTES, text), (BYTES, bytes),
)


def scalar(index, wire, value):
    """The value of SCALARS[index]."""
    expected, convert = SCALARS[index]
    if wire != expected:
        raise Damaged(f"has a value of wire type {wire}, not {expected}")
    return convert(value)


def scalar_list(index, message):
    """The values of a message `repeated T values = 1`, packed or one by one."""
    expected, convert = SCALARS[index]
    values = []
    for number, wire, value in fields(message):
        if number != 1:
            continue
        if wire == BYTES and expected != BYTES:
            size = {FIXED64: 8, FIXED32: 4}.get(expected)
            if size and len(value) % size:
                raise Damaged("has a list that is cut off")
            parts = packed(BYTES, value) if not size else [
                int.from_bytes(value[at : at + size], "little") for at in range(0, len(value), size)]
            values.extend(convert(part) for part in parts)
        else:
            values.append(scalar(index, wire, value))
    return values
