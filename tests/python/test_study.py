# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Studies: what they refuse and what they repeat."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import h5py
import numpy as np

from study_case import ROOT, SCENARIO, STUDY, WORKLOADS, Case

from mixnet_studies.description import Study, StudyError, find_study, list_studies, seconds
from mixnet_studies.table import MEANS, describe_shape, measure

# Copies what the test has prepared under the run's name, or fails, or hangs, as the test says.
FAKE = """\
#!/bin/sh
for word; do
    case $word in --output=*) out=${word#*=} ;; --name=*) name=${word#*=} ;; esac
done
echo "$name" >>"$FAKE/log"
[ ! -e "$FAKE/hang-$name" ] || exec sleep 300
[ ! -e "$FAKE/code-$name" ] || exit "$(cat "$FAKE/code-$name")"
mkdir -p "$out" && cp "$FAKE/$name.h5" "$out/result.h5"
"""

NAMES = ("packet", "optical-one_1us", "optical-one_10ms", "optical-one_1s")
TABLES = ("table.csv", "table.h5", "summary.txt", "figure.png", "figure.svg")


def write_result(path, lengths):
    """A result of one run whose iterations take `lengths` seconds; other columns count on."""
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = "mixnet-result/1"
        table = file.create_group("iterations")
        end = np.cumsum(lengths)
        table["start"] = end - lengths
        table["end"] = end
        for number, (name, unit) in enumerate(MEANS):
            table[name] = np.full(len(lengths), float(number))
            table[name].attrs["unit"] = unit


class DescriptionTest(Case):
    def test_shipped_studies_hold(self):
        names = list_studies(WORKLOADS)
        self.assertEqual(names, ["expert-share", "failures", "reconfiguration-delay",
                                 "switching-technologies", "training-choices"])
        studies = [Study(find_study(name, WORKLOADS), WORKLOADS) for name in names]
        # 2 compute models x 2 models x 2 fabrics x 5 states, 2 compute models x (3 regions x (1 + 3 policies x 9 delays)), and x (1 + 2 x 7 kinds),
        # 2 fabrics x 3 recomputations x 3 ways of gradients x 3 schedules.
        self.assertEqual([len(study.runs()) for study in studies], [16, 40, 168, 30, 54])
        for study in studies:
            runs = study.runs()
            self.assertEqual(len({run.name for run in runs}), len(runs))
            self.assertTrue(all(study.reference_of(run, runs) in runs for run in runs
                                if study.reference))

    def test_shares_by_hand(self):
        """Of 2 s, 0.5 s of compute, 0.4 s exposed EP and 0.1 s exposed TP: 1 s is bubble."""
        path = os.path.join(self.workloads, "result.h5")
        write_result(path, [2.0])
        with h5py.File(path, "r+") as file:
            for name, value in (("compute", 0.5), ("exposed_ep", 0.4), ("exposed_tp", 0.1)):
                if name not in file["iterations"]:
                    file["iterations"][name] = [0.0]
                file["iterations"][name][:] = value
        found = measure(path)
        self.assertAlmostEqual(found["ep_share"], 0.2)
        self.assertAlmostEqual(found["ep_share_busy"], 0.4)

    def test_technologies_are_those_of_the_module(self):
        source = (ROOT / "contrib/mixnet/model/optical/optical-technology.cc").read_text("utf-8")
        table = dict(re.findall(r'{"([a-z-]+)", "[^"]*", (\d+),', source))
        self.assertEqual(table.pop("abstract"), "0")
        study = Study(find_study("switching-technologies", WORKLOADS), WORKLOADS)
        values = study.axis("technology").values
        self.assertEqual([value.name for value in values], list(table))
        for value in values:
            has = value.columns
            self.assertEqual(has["ports"], int(table[value.name]))
            self.assertEqual(has["switches"],
                             value.settings["optical"].get("switchesPerRegion", 1))
            self.assertEqual(has["servers"], has["ports"] // -(-6 // has["switches"]))
            amount, unit = re.match(r"([0-9]+)(min|[a-z]+)", has["switching delay"]).groups()
            call = {"min": "Minutes", "ms": "MilliSeconds", "us": "MicroSeconds",
                    "ns": "NanoSeconds"}[unit]
            line = next(t for t in source.splitlines() if f'{{"{value.name}"' in t)
            given = f"{call}({amount})" in line
            self.assertTrue(given or ("nullopt" in line and amount + unit == "25ms"), line)

    def test_mistakes_name_file_key_and_what_is_accepted(self):
        def broken(**changes):
            return {**STUDY, **changes}

        axes = STUDY["axes"]
        figure = STUDY["figure"]
        for change, words in (
            (broken(colour=1), "colour: is unknown"),
            (broken(schema="x/9"), "accepted: 'mixnet-study/1'"),
            (broken(scenario="none.json"), "'none.json' does not exist"),
            (broken(axes=[]), "axes: missing"),
            (broken(axes=axes + axes[:1]), "same name"),
            (broken(axes=[axes[0], {**axes[1], "values": ["25"]}]), "'25' is no time"),
            (broken(axes=[axes[0], {**axes[1], "unit": "B"}]), "axes.1.unit"),
            (broken(reference={"fabric": "torus"}), "packet, optical one"),
            (broken(figure={**figure, "x": "fabric"}), "an axis of times"),
            (broken(figure={**figure, "kind": "pie"}), "lines, bars"),
            (broken(figure={**figure, "lines": "none"}), "fabric, delay"),
            (broken(axes=[*axes, {"name": "share", "key": "x", "values": ["1/2", "1-2"]}]),
             "two different runs are both called 'packet_1-2'"),
        ):
            path = self.write("broken.json", change)
            with self.assertRaisesRegex(StudyError, "broken.json: .*" + re.escape(words)):
                Study(path, self.workloads)
        with self.assertRaisesRegex(StudyError, "no JSON"):
            Study(self.write("broken.json", "{"), self.workloads)
        for words, problem in (
            ((), "which study"),
            (("nothing",), "no study 'nothing' (known: "),
            (("none.json",), "'none.json' does not exist"),
            ((self.study, "--jobs=0"), "1 to 9999"),
            ((self.study, "fast"), "'fast' is not accepted"),
            ((self.study, "--optical.switchingDelay=1ms"), "varies it (axis 'delay')"),
            ((self.study, "--optical=1"), "varies it (axis 'delay')"),
            ((self.study, "--program=/none"), "no program '/none'"),
        ):
            code, out, error = self.call(*words)
            self.assertEqual((words, code, out), (words, 1, ""))
            self.assertIn(problem, error)

    def test_the_command_line_overrides_and_a_dry_run_writes_nothing(self):
        before = sorted(self.folder.rglob("*"))
        code, out, _ = self.call(self.study, "--dry-run", "--iterations=7", "--a.b=25ms")
        self.assertEqual(code, 0)
        lines = out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], list(NAMES))
        self.assertTrue(all("--iterations=7 --a.b=25ms" in line for line in lines))
        self.assertIn('--fabrics=["mixnet"] --optical.switchingDelay=1us', lines[1])
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_times(self):
        self.assertEqual([seconds(t) for t in ("25ms", "1us", "7 ns", "10s", "1min", "2", "x")],
                         [0.025, 1e-6, 7e-9, 10.0, 60.0, None, None])

    def test_shape(self):
        # max(0, x - 3): 5 % of 10 is passed between 3 and 4; it ends with slope 1.
        self.assertEqual(describe_shape([1, 3, 4, 9], [10.0, 10.0, 11.0, 16.0]), (3, 1.0))


class RunsTest(Case):
    """The driver with a program that only copies files."""

    def setUp(self):
        super().setUp()
        self.program = pathlib.Path(self.write("fake", FAKE))
        self.program.chmod(0o755)
        patch = mock.patch.dict(os.environ, FAKE=str(self.folder))
        patch.start()
        self.addCleanup(patch.stop)
        for name, lengths in zip(NAMES, ([2.0, 4.0], [3.0, 3.0], [3.0, 3.02], [6.0, 6.0])):
            write_result(self.folder / f"{name}.h5", lengths)

    def study_words(self, output="out", *words):
        return [self.study, f"--program={self.program}", f"--output={self.folder / output}", *words]

    def ran(self, *words, output="out"):
        """Run the study; returns its exit code and the names that the program was called for."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        code, self.out, self.error = self.call(*self.study_words(output, *words))
        return code, sorted(log.read_text("utf-8").split()) if log.exists() else []

    def read(self, output="out"):
        return {name: (self.folder / output / name).read_bytes() for name in TABLES}

    def test_a_table_and_figures_the_same_for_any_jobs(self):
        self.assertEqual(self.ran("--jobs=1"), (0, sorted(NAMES)))
        rows = (self.folder / "out" / "table.csv").read_text("utf-8").splitlines()
        self.assertTrue(rows[0].startswith("run,fabric,ports,delay [s],iteration [s],relative,"))
        self.assertTrue(rows[1].startswith("packet,packet,,,3.0,1.0,0.0,"))
        self.assertTrue(rows[2].startswith("optical-one_1us,optical one,48,1e-06,3.0,1.0,0.0,"))
        self.assertTrue(rows[4].startswith("optical-one_1s,optical one,48,1.0,6.0,2.0,"))
        with h5py.File(self.folder / "out" / "table.h5") as file:
            self.assertEqual(file.attrs["schema"], "mixnet-study-result/1")
            np.testing.assert_array_equal(file["runs/relative"], [1, 1, 3.01 / 3, 2])
            self.assertTrue(np.isnan(file["runs/delay"][0]))
            self.assertEqual(file["runs/delay"].attrs["unit"], "s")
        summary = (self.folder / "out" / "summary.txt").read_text("utf-8")
        self.assertRegex(summary, r"optical one +10ms +3\.02")  # (6 - 3.01) / (1 - 0.01)
        self.assertRegex(summary, r"\n  1s +3 +6\n")
        time.sleep(1.1)  # past the seconds that a date in a file would have
        self.assertEqual(self.ran("--jobs=3", output="other"), (0, sorted(NAMES)))
        self.assertEqual(self.read(), self.read("other"))

    def test_only_what_has_changed_is_repeated(self):
        self.assertEqual(self.ran(), (0, sorted(NAMES)))
        first = self.read()
        self.assertEqual(self.ran(), (0, []))
        self.assertEqual(self.read(), first)
        (self.folder / "out" / "runs" / NAMES[1] / "result.h5").unlink()
        self.assertEqual(self.ran(), (0, [NAMES[1]]))
        slower = {**STUDY, "axes": [STUDY["axes"][0], {**STUDY["axes"][1],
                                                       "values": ["1us", "10ms", "10s"]}]}
        write_result(self.folder / "optical-one_10s.h5", [60.0])
        self.write("study.json", slower)
        self.assertEqual(self.ran(), (0, ["optical-one_10s"]))
        self.write("study.json", STUDY)
        everything = (0, sorted(NAMES))
        for change in (
            lambda: self.program.write_text(FAKE + "# other\n", encoding="utf-8"),
            lambda: self.write("scenario.json", {**SCENARIO, "seed": 2}),
            lambda: self.write("workloads/models/little.json", '{"layers": 3}'),
        ):
            change()
            self.assertEqual(self.ran(), everything)
        self.assertEqual(self.ran("--iterations=3"), everything)
        # Dates repeat nothing, nor does a file that happens to be called as a fabric is.
        os.utime(self.program)
        self.write("mixnet", "other")
        self.assertEqual(self.ran("--iterations=3"), (0, []))

    def test_failed_runs_are_named_and_tried_again(self):
        self.assertEqual(self.ran(), (0, sorted(NAMES)))
        self.program.write_text(FAKE + "# other\n", encoding="utf-8")
        self.write(f"code-{NAMES[1]}", "2")
        self.write(f"code-{NAMES[3]}", "1")
        code, names = self.ran()
        self.assertEqual((code, names), (2, sorted(NAMES)))
        self.assertIn(f"run {NAMES[1]} ended with exit code 2", self.error)
        self.assertIn(f"run {NAMES[3]} ended with exit code 1", self.error)
        self.assertFalse((self.folder / "out" / "table.csv").exists())
        (self.folder / f"code-{NAMES[1]}").unlink()
        (self.folder / f"code-{NAMES[3]}").unlink()
        self.assertEqual(self.ran(), (0, sorted([NAMES[1], NAMES[3]])))

    def test_an_interrupted_study_goes_on_where_it_was(self):
        self.write(f"hang-{NAMES[2]}", "")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "analysis")}
        words = self.study_words("out", "--jobs=1", f"--workloads={self.workloads}")
        with subprocess.Popen([sys.executable, "-m", "mixnet_studies", *words], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as study:
            log = self.folder / "log"
            for _ in range(600):
                if log.exists() and NAMES[2] in log.read_text("utf-8"):
                    break
                time.sleep(0.05)
            code, _, error = self.call(*self.study_words())
            self.assertEqual(code, 1)
            self.assertIn("in use by another study", error)
            study.send_signal(signal.SIGINT)
            _, error = study.communicate(timeout=60)
        self.assertEqual(study.returncode, 130)
        self.assertIn("interrupted", error)
        self.assertNotIn("Traceback", error)
        done = set(log.read_text("utf-8").split()) - {NAMES[2]}
        self.assertGreater(len(done), 0)
        (self.folder / f"hang-{NAMES[2]}").unlink()
        self.assertEqual(self.ran(), (0, sorted(set(NAMES) - done)))


if __name__ == "__main__":
    unittest.main()
