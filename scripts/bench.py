# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Runs Google Benchmark entries, one process each, and merges their JSON."""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile


def list_entries(folder):
    """Returns [(program, entry)] of all benchmark programs in a folder."""
    entries = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        program = os.path.join(folder, name)
        if not name.endswith("_bench") or not os.access(program, os.X_OK):
            continue
        listed = subprocess.run(
            [program, "--benchmark_list_tests"], stdout=subprocess.PIPE, text=True, check=True
        )
        entries += [(program, line) for line in listed.stdout.splitlines() if line]
    return entries


def selected(entry, words):
    return not words or any(
        entry.startswith(word) or fnmatch.fnmatchcase(entry, word) for word in words
    )


def run_entry(program, entry, first):
    """Runs one entry and returns (exit code, its JSON document or None)."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done = subprocess.run(
            [
                program,
                "--benchmark_filter=^" + re.sub(r"([][.*+?(){}|^$\\])", r"\\\1", entry) + "$",
                "--benchmark_out=" + out,
                "--benchmark_out_format=json",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not first else None,
            text=True,
            check=False,
        )
        lines = done.stdout.splitlines()
        print("\n".join(lines if first else lines[3:]), flush=True)
        if done.returncode != 0:
            if done.stderr:
                sys.stderr.write(done.stderr)
            return done.returncode, None
        with open(out, encoding="utf-8") as file:
            document = json.load(file)
        broken = any(row.get("error_occurred") for row in document["benchmarks"])
        return (1 if broken or not document["benchmarks"] else 0), document


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--json")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()

    entries = list_entries(options.programs)
    chosen = [pair for pair in entries if selected(pair[1], options.words)]
    if not chosen:
        known = ", ".join(entry for _, entry in entries) or "none"
        print(f"mixnet: error: no benchmark '{' '.join(options.words)}' (known: {known})", file=sys.stderr)
        return 1
    try:
        if options.json:
            open(options.json + ".part", "w", encoding="utf-8").close()
    except OSError as error:
        print(f"mixnet: error: --json {options.json}: {error.strerror}", file=sys.stderr)
        return 1
    merged = None
    result = 0
    for number, (program, entry) in enumerate(chosen):
        code, document = run_entry(program, entry, number == 0)
        if code != 0:
            print(f"mixnet: error: benchmark {entry} ended with {code}", file=sys.stderr)
            result = result or (code if code > 0 else 3)
        if document is None:
            continue
        if merged is None:
            merged = document
            merged["context"]["executable"] = "mixnet bench"
        else:
            merged["benchmarks"] += document["benchmarks"]
    if options.json:
        with open(options.json + ".part", "w", encoding="utf-8") as file:
            json.dump(merged or {"context": {}, "benchmarks": []}, file, indent=2)
            file.write("\n")
        os.replace(options.json + ".part", options.json)
    return result


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
