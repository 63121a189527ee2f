# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet report RESULT.h5 [...] [--output DIR] [--format png|svg]: figures of results."""

import argparse
import os
import sys

from .result import Result, ResultError


def main(arguments=None):
    """Draw the figures of every result named; returns the exit code."""
    parser = argparse.ArgumentParser(prog="mixnet report", description=__doc__)
    parser.add_argument("results", nargs="+", metavar="RESULT.h5")
    parser.add_argument("--output", metavar="DIR",
                        help="folder for the figures (default: beside each result)")
    parser.add_argument("--format", choices=("png", "svg"), default="png",
                        help="file format (default: png)")
    try:
        options = parser.parse_args(arguments)
    except SystemExit as end:
        return 0 if end.code == 0 else 1
    from .figures import iteration_figure

    for path in options.results:
        try:
            with Result(path) as result:
                folder = options.output or os.path.dirname(os.path.abspath(path))
                os.makedirs(folder, exist_ok=True)
                stem = "iterations"
                if len(options.results) > 1 and options.output:
                    stem = os.path.basename(os.path.dirname(os.path.abspath(path))) + "-" + stem
                figure = os.path.join(folder, f"{stem}.{options.format}")
                if iteration_figure(result, figure):
                    print(f"figure: {figure}")
                else:
                    print(f"{path}: no iteration has ended, nothing to draw", file=sys.stderr)
        except (ResultError, OSError) as error:
            print(f"mixnet report: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
