# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Nodes of a Chakra execution trace, by MLCommons' published et_def.proto."""

from . import inputs
from .errors import InputError, shorten
from .json_events import elements
from .protobuf import BYTES, VARINT, Damaged, fields, packed, records, scalar, scalar_list, text

TYPES = ("INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL")
VERSIONS = ("0.0.4",)


class Node:
    """What a record says; whatever is missing has its default, 0."""

    __slots__ = ("record", "number", "name", "type", "before", "duration", "attributes")

    def __init__(self, record):
        self.record, self.number, self.name, self.type = record, 0, "", 0
        self.before, self.duration, self.attributes = [], 0, {}


def _need(wire, expected):
    if wire != expected:
        raise Damaged(f"has a field of wire type {wire}, not {expected}")


def _attribute(message):
    """(name, value)"""
    name, value = "", None
    for number, wire, content in fields(message):
        if number == 1:
            _need(wire, BYTES)
            name = text(content)
        elif 3 <= number <= 32:
            index, is_list = divmod(number - 3, 2)
            if is_list:
                _need(wire, BYTES)
                value = scalar_list(index, content)
            else:
                value = scalar(index, wire, content)
    return name, value


def _node(record, message):
    node = Node(record)
    for number, wire, value in fields(message):
        if number in (1, 3, 7):
            _need(wire, VARINT)
            if number == 1:
                node.number = value
            elif number == 3:
                node.type = value
            else:
                node.duration = value
        elif number == 2:
            _need(wire, BYTES)
            node.name = text(value)
        elif number in (4, 5):
            node.before.extend(packed(wire, value))
        elif number == 10:
            _need(wire, BYTES)
            name, content = _attribute(value)
            node.attributes[name] = content
    return node


def _is_metadata(message):
    """GlobalMetadata has a text where Node has its number, and no type."""
    found = {number: wire for number, wire, _ in fields(message)}
    return found.get(1, BYTES) == BYTES and 3 not in found


def _version(message, path, report):
    version = next((text(value) for number, wire, value in fields(message)
                    if number == 1 and wire == BYTES), "")
    if version not in VERSIONS:
        report.warn(f"{path}: schema version '{version}', known: {', '.join(VERSIONS)}")


def _json_node(path, record, entry):
    """A node of the JSON form, whose keys are those of attributes."""
    if not isinstance(entry, dict):
        raise InputError(path, f"is {shorten(entry)}", "an object", line=record)
    node = Node(record)

    def number(key):
        return inputs.whole_number(entry.get(key, 0), path, f"'{key}'", line=record)

    node.number, node.type, node.duration = number("Id"), number("NodeType"), number("runtime")
    node.name = str(entry.get("Name", ""))
    for key in ("data_deps", "ctrl_deps"):
        before = entry.get(key, [])
        if not isinstance(before, list):
            raise InputError(path, f"'{key}' is {shorten(before)}", "a list of nodes", line=record)
        node.before += [inputs.whole_number(value, path, f"'{key}'", line=record) for value in before]
    node.attributes = entry
    return node


def json_nodes(path, report):
    """Yields the nodes of a file in Chakra's JSON form; records are the elements of workload_graph."""
    for record, entry in enumerate(elements(path, report, "workload_graph", {}), 1):
        yield _json_node(path, record, entry)


def nodes(path, report):
    """Yields the nodes of a file; records are counted from 1, the metadata among them."""
    record = 0
    try:
        with inputs.stream(path, report) as file:
            for record, message in enumerate(records(file), 1):
                if record == 1 and _is_metadata(message):
                    _version(message, path, report)
                    continue
                if record == 1:
                    report.warn(f"{path}: begins without metadata")
                yield _node(record, message)
    except Damaged as error:
        raise InputError(path, f"record {record + ('length' in str(error))} {error}",
                         "Chakra execution trace: length-prefixed protobuf messages") from None
