# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet export WHAT FILE.h5 -o OUT"""

import argparse
import os
import sys

from ..commands import Parser, guarded
from ..importers.errors import InputError
from . import flows, matrices, perfetto

KINDS = {module.NAME: module for module in (perfetto, flows, matrices)}
USAGE = "usage: ./mixnet export WHAT FILE.h5 -o OUT [options]   (WHAT --help says more)"


class _Parser(Parser):
    command = "export"


def run(arguments):
    """Exports; raises InputError."""
    if not arguments or arguments[0] not in KINDS:
        raise InputError("export", f"cannot export '{arguments[0]}'" if arguments else "nothing named",
                         ", ".join(KINDS))
    module = KINDS[arguments[0]]
    parser = _Parser(prog=f"./mixnet export {module.NAME}", description=f"{module.SUMMARY}\n\n"
                     f"{module.__doc__}", formatter_class=argparse.RawDescriptionHelpFormatter,
                     allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.h5")
    parser.add_argument("-o", "--output", required=True, metavar="OUT",
                        help="file to write (.gz: compressed)")
    module.add_options(parser)
    options = parser.parse_args(arguments[1:])
    if os.path.exists(options.output) and os.path.exists(options.file) and os.path.samefile(
            options.output, options.file):
        raise InputError(options.output, "is the input, too", "another name")
    print(f"mixnet: {options.output}: {module.export(options.file, options)}", file=sys.stderr)


def main(argv=None):
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] in (["-h"], ["--help"]):
        print("\n".join([USAGE, "", *(f"{name:10}{module.SUMMARY}" for name, module in KINDS.items())]))
        return 0
    return guarded("export", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
