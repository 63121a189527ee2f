# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet import FORMAT FILE... -o OUT.h5"""

import argparse
import json
import os
import signal
import sys

from ..commands import Parser, guarded
from . import output, registry
from .errors import InputError
from .report import Report

USAGE = "usage: ./mixnet import FORMAT FILE... -o OUT.h5 [options]   (or --list, FORMAT --help)"


class _Parser(Parser):
    command = "import"


def _parser(module):
    parser = _Parser(prog=f"./mixnet import {module.NAME}", description=(
        f"{module.SUMMARY} Becomes: {module.KIND}.\n\n{module.__doc__ or ''}"
    ), formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("files", nargs="+", metavar="FILE", help="plain, gzip, xz or bzip2")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.h5", help="file to write")
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings on the "
                        "terminal (they are in the output all the same)")
    if hasattr(module, "add_options"):
        module.add_options(parser)
    return parser


def _check_inputs(module, files, target):
    for path in files:
        if not os.path.lexists(path):
            raise InputError(path, "no such file")
        if os.path.isdir(path):
            if not getattr(module, "FOLDERS", False):
                raise InputError(path, "is a folder", "files")
        elif not os.path.isfile(path):
            raise InputError(path, "is not a regular file", "files")
        elif os.path.getsize(path) == 0:
            raise InputError(path, "is empty")
        if os.path.exists(target) and os.path.samefile(path, target):
            raise InputError(target, "is an input, too", "another name for the output")


def _provenance(module, options):
    """What makes the output, without paths: equal content gives equal bytes wherever it lies."""
    plain = {name: value for name, value in vars(options).items()
             if name not in ("files", "output", "quiet") and value is not None}
    return {"format": module.NAME, "options": json.dumps(plain, sort_keys=True, default=str)}


def run(arguments):
    """Imports; returns the report. Raises InputError."""
    if not arguments or arguments[0].startswith("-"):
        raise InputError("import", "no format given", "--list, FORMAT --help, FORMAT FILE...")
    module = registry.get(arguments[0])
    options = _parser(module).parse_args(arguments[1:])
    _check_inputs(module, options.files, options.output)
    output.check_writable(options.output)
    report = Report(options.quiet)
    thing = module.read(options.files, options, report)
    if thing.kind != module.KIND:
        raise RuntimeError(f"{module.NAME} promised a {module.KIND}, made a {thing.kind}")
    output.write(options.output, thing, report, _provenance(module, options))
    figures = ", ".join(f"{number} {name}" for name, number in report.counts.items())
    report.say(f"{options.output}: {module.KIND}" + (f" of {figures}" if figures else ""))
    return report


def main(argv=None):
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] in (["--list"], ["-h"], ["--help"]):
        print((USAGE + "\n\n" if arguments[0] != "--list" else "") + registry.listing())
        return 0
    return guarded("import", lambda: run(arguments))


if __name__ == "__main__":
    if sys.argv[1:2] in (["--list"], ["-h"], ["--help"]):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "| head" ends it without a word
    sys.exit(main())
