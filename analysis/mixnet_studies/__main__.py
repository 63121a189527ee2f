# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet study NAME: runs, one table, one figure."""

import argparse
import contextlib
import json
import os
import signal
import sys

from .description import Study, StudyError, find_study, list_studies
from .runs import Runner

FILES = ("table.csv", "table.h5", "summary.txt", "figure.png", "figure.svg")


def parse(arguments):
    """Split the command line into options and scenario keys, (key, value)."""
    parser = argparse.ArgumentParser(prog="mixnet study", allow_abbrev=False, add_help=False)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")  # of the front door, before it builds
    parser.add_argument("--jobs", default=str(len(os.sched_getaffinity(0))))
    parser.add_argument("--output")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--program", default=os.environ.get("MIXNET_RUN", ""))
    parser.add_argument("--workloads", default=os.environ.get("MIXNET_WORKLOADS", "workloads"))
    # argparse would end the program with 2, which means unfinished work here.
    parser.error = lambda message: (_ for _ in ()).throw(StudyError(message))
    options, rest = parser.parse_known_args(arguments)
    keys = []
    for word in rest:
        key, equals, value = word[2:].partition("=")
        if not word.startswith("--") or not equals or not key:
            raise StudyError(f"'{word}' is not accepted; see ./mixnet study --help")
        try:
            keys.append((key, json.loads(value)))
        except ValueError:
            keys.append((key, value))
    if not options.jobs.isdigit() or not 0 < int(options.jobs) < 10000:
        raise StudyError(f"--jobs {options.jobs}: accepted: 1 to 9999")
    if not options.list and not options.name:
        raise StudyError(f"which study? (known: {', '.join(list_studies(options.workloads))})")
    return options, keys


def print_list(workloads):
    """Name, number of runs and title of every study."""
    for name in list_studies(workloads):
        study = Study(find_study(name, workloads), workloads)
        print(f"{name:24} {len(study.runs()):4} runs  {study.title}")


def progress(text, last):
    """One line on standard error, redrawn on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[Kmixnet study: {text}", end="\n" if last else "", file=sys.stderr, flush=True)
    else:
        print(f"mixnet study: {text}", file=sys.stderr, flush=True)


def write(study, runs, output):
    """Write table, summary and figure; each appears whole."""
    from mixnet_analysis.result import ResultError

    from .figure import draw
    from .table import collect, summarize

    try:
        table = collect(study, runs, output)
    except ResultError as error:
        raise StudyError(f"{error}; remove it, and the same command runs it again") from error
    text = summarize(study, runs, table)
    paths = {name: os.path.join(output, f".new-{name}") for name in FILES}
    table.write_csv(paths["table.csv"])
    table.write_hdf5(paths["table.h5"])
    with open(paths["summary.txt"], "w", encoding="utf-8") as file:
        file.write(text)
    draw(study, runs, table, [paths["figure.png"], paths["figure.svg"]])
    for name, path in paths.items():
        os.replace(path, os.path.join(output, name))
    return text


def execute(options, keys):
    """Run the study; returns the exit code."""
    study = Study(find_study(options.name, options.workloads), options.workloads, keys)
    if options.check:
        return 0
    output = options.output or os.path.join("mixnet-results", study.name)
    if options.dry_run:
        for run in study.runs():
            print(f"{run.name}  {' '.join(run.words())}")
        return 0
    if not os.access(options.program, os.X_OK):
        raise StudyError(f"no program '{options.program}' to run (./mixnet setup builds it)")
    runner = Runner(study, options.program, options.workloads, output)
    try:
        return carry_out(study, runner, options, output)
    finally:
        runner.close()


def carry_out(study, runner, options, output):
    """Do the runs that are left, then write the table; returns the exit code."""
    left = runner.prepare()
    if not options.quiet:
        print(f"study {study.name}: {len(runner.runs)} runs, {len(runner.runs) - left} of them "
              f"finished already, in {output}", flush=True)
    for name in FILES if left else ():
        # A table never lies beside runs that it is not of.
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(output, name))
    silent = options.quiet or left == 0
    code = runner.carry_out(int(options.jobs), left, (lambda *_: None) if silent else progress)
    if code == 130:
        print("\nmixnet study: interrupted; the same command goes on where it was", file=sys.stderr)
    elif code:
        print("mixnet study: no table: not all runs are finished", file=sys.stderr)
    if code:
        return code
    text = write(study, runner.runs, output)
    if not options.quiet:
        print("\n" + text)
    print(f"results: {output}")
    return 0


def main(arguments=None):
    """Run the command; returns its exit code."""
    try:
        options, keys = parse(arguments)
        if options.list:
            print_list(options.workloads)
            return 0
        return execute(options, keys)
    except StudyError as error:
        print(f"mixnet: error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"mixnet: error: {error.filename or 'study'}: {error.strerror or error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    if {"--list", "--dry-run"} & set(sys.argv):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "| head" ends it without a word
    sys.exit(main())
