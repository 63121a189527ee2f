# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet report RESULT.h5 [...] [--output DIR] [--format png|svg]: figures of results."""

import argparse
import os
import sys

from .result import Result, ResultError


def figure_path(path, options):
    """Where the figure of a result goes: beside it, or into --output under the name of its folder."""
    folder = os.path.dirname(os.path.abspath(path))
    stem = "iterations"
    if len(options.results) > 1 and options.output:
        stem = os.path.basename(folder) + "-" + stem
    return os.path.join(os.path.abspath(options.output) if options.output else folder,
                        f"{stem}.{options.format}")


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
    figures = [figure_path(path, options) for path in options.results]
    for path, figure in zip(options.results, figures):
        if figures.count(figure) > 1:
            print(f"mixnet report: {path}: several results would draw {figure}; accepted: results in "
                  "folders of different names, or one after the other", file=sys.stderr)
            return 1
    from .figures import iteration_figure

    for path, figure in zip(options.results, figures):
        try:
            with Result(path) as result:
                os.makedirs(os.path.dirname(figure), exist_ok=True)
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
