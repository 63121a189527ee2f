# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Importers: one module per foreign format, one command for all.

    ./mixnet import FORMAT FILE... -o OUT.h5 [options of the format]

A format is a module in importers/formats/; it is found by being there. It defines

    NAME      on the command line, such as "mixnet-matrix"
    KIND      what the file becomes, one of registry.KINDS: "trace", "task graph", "flow list", ...
    SUMMARY   one line for --list
    FOLDERS   True where folders are accepted beside files (optional, default False)
    __doc__   layout, options, traps: the text of FORMAT --help
    add_options(parser)             argparse options of its own (optional); traces also call
                                    trace_options.add(parser)
    read(paths, options, report)    returns an output.Trace or an output.Tables

and reads through the helpers of inputs.py only: they open plain, gzip, xz and bzip2 files by
content, stream, show progress, and put every file that was read into the provenance.

    inputs.lines(path, report)      (number, text) of each line: UTF-8 with or without BOM, LF or
                                    CR LF, no final newline needed
    inputs.stream(path, report)     decompressed bytes as a buffered file
    inputs.whole(path, report)      decompressed bytes at once (limited)
    inputs.json_file(path, report), inputs.json_text(text, path, line)

What a user did wrong is an InputError(path, problem, accepted, line=, row=, column=): one message,
exit code 1. What is suspicious but can be used goes to report.warn(text): printed, and stored in the
output. report.count(name, number) stores a figure about the source ("routes", "copies").

output.write() makes the file: a temporary one in the same folder, renamed when all is written, so
that nothing half-written is ever seen. Equal inputs and options give equal bytes: no times, no
absolute paths. /provenance holds file names, SHA-256 (of the files as they are on disk), format,
options, counts, warnings.

A trace is streamed iteration by iteration and checked on the way (copies read = copies written,
experts never used, layers without tokens, rows that are all alike). Everything else is tables:
a group with one dataset per column, each with its unit, as in result files.
"""

from .errors import InputError
from .output import Column, Table, Tables, Trace

__all__ = ["Column", "InputError", "Table", "Tables", "Trace"]
