# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Carries the runs of a study out with Ninja: jobs, what is finished already, interruption.

A run is one process of mixnet-run and one output, runs/NAME/result.h5. Its key is a hash of all that
its result depends on: program, libraries of ns-3, scenario, settings, presets and traces. Ninja
repeats a run when its key has changed or its result is gone.
"""

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from .description import StudyError

REPORT_EVERY = 15.0


class Hashes:
    """SHA-256 of files, each read once."""

    def __init__(self):
        self._known = {}

    def of_file(self, path):
        """Hash of a file's content."""
        if path not in self._known:
            digest = hashlib.sha256()
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
            self._known[path] = digest.hexdigest()
        return self._known[path]

    def of_program(self, program):
        """Hashes of a program and of the libraries that do not come with the system."""
        done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        libraries = re.findall(r"=> (/\S.*) \(0x", done.stdout)
        own = [path for path in libraries if not path.startswith(("/lib", "/usr/lib"))]
        return [self.of_file(path) for path in [program, *sorted(own)]]


def texts_of(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_of(inner)


def inputs_of(scenario, settings, workloads):
    """Files that a run reads: the scenario, and presets and traces that it names."""
    found = {scenario}
    with open(scenario, encoding="utf-8") as file:
        texts = set(texts_of(json.load(file))) | set(texts_of(settings))
    for text in texts:
        names = [os.path.join(workloads, kind, f"{text}.json") for kind in ("models", "clusters", "gates")]
        if os.path.splitext(text)[1]:  # presets go by name, other files have an ending
            names += [text, os.path.join(os.path.dirname(scenario), text),
                      os.path.join(workloads, text)]
        found.update(name for name in names if os.path.isfile(name))
    return sorted(found)


def result_path(output, run):
    """Where a run's result lies."""
    return os.path.join(output, "runs", run.name, "result.h5")


class Runner:
    """The runs of a study in an output folder."""

    def __init__(self, study, program, workloads, output):
        self.study = study
        self.program = os.path.abspath(program)
        self.workloads = os.path.abspath(workloads)
        self.output = os.path.abspath(output)
        self.runs = study.runs()
        self._hashes = Hashes()
        self._program_hashes = []
        self._lock = None
        self._ninja = None
        self._interrupted = False

    def prepare(self):
        """Write the plan; returns the number of runs that are left to do."""
        if not shutil.which("ninja"):
            raise StudyError("no program 'ninja' (Debian package ninja-build; "
                             "./mixnet setup installs it)")
        try:
            os.makedirs(self.output, exist_ok=True)
            self._lock = open(os.path.join(self.output, ".lock"), "w", encoding="utf-8")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(os.path.join(self.output, "build.ninja"), "w", encoding="utf-8") as file:
                file.write(self._plan())
        except BlockingIOError as error:
            raise StudyError(f"{self.output} is in use by another study") from error
        except OSError as error:
            raise StudyError(f"{error.filename or self.output}: {error.strerror}") from error
        plan = subprocess.run(self._command("-n"), cwd=self.output, capture_output=True, text=True,
                              env=self._environment(), check=False)
        if plan.returncode != 0:
            raise StudyError(f"ninja refuses the plan: {plan.stdout}{plan.stderr}".strip())
        return sum(line.startswith("@ ") for line in plan.stdout.splitlines())

    def close(self):
        """Leave the folder to others."""
        if self._lock is not None:
            self._lock.close()

    def _key(self, run):
        """What a run's result depends on, as one short text."""
        inputs = inputs_of(self.study.scenario, run.settings, self.workloads)
        parts = self._program_hashes + run.words() + [self._hashes.of_file(p) for p in inputs]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]

    def _plan(self):
        self._program_hashes = self._hashes.of_program(self.program)
        lines = ["rule run", "  command = $words", "  description = $name", ""]
        for run in self.runs:
            folder = f"runs/{run.name}"
            words = " ".join(shlex.quote(word) for word in run.words())
            command = (f"MIXNET_STUDY_KEY={self._key(run)} "
                       f'"$MIXNET_STUDY_PROGRAM" "$MIXNET_STUDY_SCENARIO" {words} --name={run.name} '
                       f'--workloads="$MIXNET_WORKLOADS" --output={folder} --jobs=1 --quiet '
                       ">/dev/null || { code=$?; echo \"@@ $code\"; exit $code; }")
            lines += [f"build {folder}/result.h5: run", f"  name = {run.name}",
                      "  words = " + command.replace("$", "$$"), ""]
        return "\n".join(lines)

    def _command(self, *words):
        return ["ninja", "-f", "build.ninja", "-k", "0", *words]

    def _environment(self):
        return {**os.environ, "NINJA_STATUS": "@ %f %t ", "MIXNET_STUDY_PROGRAM": self.program,
                "MIXNET_STUDY_SCENARIO": self.study.scenario, "MIXNET_WORKLOADS": self.workloads}

    def _interrupt(self, *_):
        self._interrupted = True
        if self._ninja is not None:
            self._ninja.send_signal(signal.SIGINT)

    def carry_out(self, jobs, left, report):
        """Do what is left, `jobs` at a time; returns the exit code, 0 when all is finished.

        report(text, last) is called with the progress now and then.
        """
        before = {s: signal.signal(s, self._interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            # A session of its own: the terminal's Ctrl-C reaches it once, through us.
            self._ninja = subprocess.Popen(
                self._command("-j", str(jobs)), cwd=self.output, env=self._environment(),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                start_new_session=True)
            codes = self._follow(left, report)
            ended = self._ninja.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._interrupted:
            return 130
        return max(codes, default=0) or (3 if ended != 0 else 0)

    def _follow(self, left, report):
        codes = []
        name = ""
        skip = False
        started = shown = time.monotonic()
        for line in self._ninja.stdout:
            line = line.rstrip("\n")
            if skip:
                skip = False
            elif line.startswith("@ "):
                _, done, _, name = line.split(" ", 3)
                now = time.monotonic()
                last = int(done) == left
                if sys.stderr.isatty() or last or now - shown >= REPORT_EVERY:
                    rest = (now - started) / int(done) * (left - int(done)) if int(done) else 0
                    report(f"runs {done}/{left}, {now - started:.0f} s"
                           + ("" if last else f", about {rest:.0f} s left"), last)
                    shown = now
            elif line.startswith("FAILED: "):
                skip = True  # the command follows
            elif line.startswith("@@ "):
                # 126 and 127: the shell found no program; signals: above 128.
                code = int(line[3:])
                codes.append(code if code in (1, 2, 3) else 3)
                if not self._interrupted:
                    print(f"mixnet study: run {name} ended with exit code {code}", file=sys.stderr)
            elif not line.startswith("ninja: ") and not self._interrupted:
                print(line, file=sys.stderr)
        return codes
