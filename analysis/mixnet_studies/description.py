# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What a study is: a JSON description, and the runs that it asks for."""

import itertools
import json
import os
import re

SCHEMA = "mixnet-study/1"
SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
FIGURE_KEYS = {"kind", "x", "y", "lines", "rows", "columns", "slope"}
KINDS = ("lines", "bars")


class StudyError(Exception):
    """A description that does not hold; the message names file, key and what is accepted."""


class Value:
    """One value of an axis: its name, the scenario keys that it sets, and columns of its own."""

    def __init__(self, name, settings, without=(), columns=None):
        self.name = name
        self.settings = settings
        self.without = tuple(without)
        self.columns = columns or {}


class Axis:
    """One swept thing; unit is "s" where the values are times, otherwise empty."""

    def __init__(self, name, unit, values):
        self.name = name
        self.unit = unit
        self.values = values
        # Keys that every value sets: what the axis varies.
        self.keys = [key for key in values[0].settings
                     if len(values) > 1 and all(key in value.settings for value in values)]


class Run:
    """One run: a value of every axis that applies, and all scenario keys that it sets."""

    def __init__(self, choice, settings):
        self.choice = choice
        self.settings = settings
        self.name = "_".join(
            re.sub(r"[^A-Za-z0-9.]+", "-", value.name).strip("-") for value in choice.values())

    def names(self):
        """Names of the values, by axis."""
        return {axis: value.name for axis, value in self.choice.items()}

    def words(self):
        """The run's settings as words of the command line, --key=value."""
        return [f"--{key}={as_word(value)}" for key, value in self.settings.items()]


def as_word(value):
    """A JSON value as the command line takes it: text as it is where it is not read as JSON."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, separators=(",", ":"))


def seconds(text):
    """A time with its unit, "25ms", in seconds; None where it is none."""
    match = re.fullmatch(r"([0-9.]+) ?([a-z]+)", text)
    if not match or match[2] not in SECONDS:
        return None
    try:
        # Decimal text keeps 25ms at the float nearest to 0.025.
        exponent = {"ps": -12, "ns": -9, "us": -6, "ms": -3}.get(match[2], 0)
        return float(f"{match[1]}e{exponent}") * (60.0 if match[2] == "min" else 1.0)
    except ValueError:
        return None


class Study:
    """A description that was read and checked."""

    def __init__(self, path, workloads, overrides=()):
        """Read path; workloads is where scenarios lie, overrides are (key, value) for all runs."""
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        try:
            with open(path, encoding="utf-8") as file:
                self._json = json.load(file)
        except OSError as error:
            raise StudyError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise StudyError(f"{path}: no JSON: {error}") from error
        self._check_keys(self._json, "", {"schema", "title", "about", "scenario"},
                         {"set", "axes", "reference", "figure"})
        if self._json["schema"] != SCHEMA:
            self._refuse("schema", f"{self._json['schema']!r}", repr(SCHEMA))
        self.title = self._text(self._json, "title")
        self.about = self._text(self._json, "about")
        self.scenario = self._find(self._text(self._json, "scenario"), workloads)
        self.settings = dict(self._object(self._json, "set"))
        self.overrides = dict(overrides)
        self.axes = [self._axis(i, a) for i, a in enumerate(self._json.get("axes", []))]
        if not self.axes:
            self._refuse("axes", "missing", "a list of at least one axis")
        self._check_names()
        self._check_overrides()
        self.reference = self._object(self._json, "reference")
        self._check_choice(self.reference, "reference")
        self.figure = self._read_figure()
        self.runs()

    def axis(self, name):
        """The axis of that name."""
        return next(a for a in self.axes if a.name == name)

    def runs(self):
        """All runs, in the order of the axes; a value's `without` leaves axes out."""
        found = {}
        for values in itertools.product(*(axis.values for axis in self.axes)):
            left_out = {name for value in values for name in value.without}
            choice = {a.name: v for a, v in zip(self.axes, values) if a.name not in left_out}
            settings = dict(self.settings)
            for value in choice.values():
                settings.update(value.settings)
            for key, value in self.overrides.items():
                settings.pop(key, None)
                settings[key] = value  # last: it may be a part of a key before it
            run = Run(choice, settings)
            other = found.setdefault(run.name, run)
            if other.settings != run.settings or other.names() != run.names():
                self._refuse("axes", f"two different runs are both called '{run.name}'",
                             "values whose names differ in letters and digits")
        return list(found.values())

    def reference_of(self, run, runs):
        """The run that `run` is compared with, or None."""
        if not self.reference:
            return None
        want = run.names()
        want.update(self.reference)
        for other in runs:
            have = other.names()
            if all(want.get(name) == value for name, value in have.items()) and all(
                    have.get(name) == value for name, value in self.reference.items()):
                return other
        return None

    def _refuse(self, key, problem, accepted):
        raise StudyError(f"{self.path}: {key}: {problem}; accepted: {accepted}")

    def _check_keys(self, value, where, needed, optional):
        if not isinstance(value, dict):
            self._refuse(where or "file", "is no object", "an object {...}")
        dot = f"{where}." if where else ""
        for key in value:
            if key not in needed | optional:
                self._refuse(dot + key, "is unknown", ", ".join(sorted(needed | optional)))
        for key in sorted(needed):
            if key not in value:
                self._refuse(dot + key, "is missing", "it")

    def _text(self, value, key, where=""):
        if not isinstance(value.get(key), str):
            self._refuse(where + key, "is no text", 'text in "quotes"')
        return value[key]

    def _object(self, value, key, where=""):
        found = value.get(key, {})
        if not isinstance(found, dict):
            self._refuse(where + key, "is no object", "an object {...}")
        return found

    def _find(self, given, workloads):
        tries = [os.path.join(os.path.dirname(self.path), given), os.path.join(workloads, given)]
        for candidate in tries:
            if os.path.isfile(candidate):
                return os.path.abspath(candidate)
        return self._refuse("scenario", f"'{given}' does not exist",
                            f"a file; tried {', '.join(tries)}")

    def _axis(self, index, axis):
        where = f"axes.{index}"
        self._check_keys(axis, where, {"name", "values"}, {"key", "unit"})
        name = self._text(axis, "name", where + ".")
        if not isinstance(axis["values"], list) or not axis["values"]:
            self._refuse(where + ".values", "is no list of values", "at least one value")
        unit = axis.get("unit", "")
        if unit not in ("", "s"):
            self._refuse(where + ".unit", f"{unit!r}", "'s' for times, or no unit")
        values = []
        for place, value in enumerate(axis["values"]):
            here = f"{where}.values.{place}"
            if "key" in axis:
                text = value if isinstance(value, str) else json.dumps(value)
                values.append(Value(text, {axis["key"]: value}))
            else:
                self._check_keys(value, here, {"name"}, {"set", "without", "columns"})
                values.append(Value(self._text(value, "name", here + "."),
                                    self._object(value, "set", here + "."),
                                    value.get("without", ()),
                                    self._object(value, "columns", here + ".")))
            if unit == "s" and seconds(values[-1].name) is None:
                self._refuse(here, f"'{values[-1].name}' is no time", "such as 25ms")
        if len({value.name for value in values}) < len(values):
            self._refuse(where + ".values", "two values have the same name", "different names")
        return Axis(name, unit, values)

    def _check_names(self):
        names = [axis.name for axis in self.axes]
        if len(set(names)) < len(names):
            self._refuse("axes", "two axes have the same name", "different names")
        for axis in self.axes:
            for value in axis.values:
                for name in value.without:
                    if name not in names:
                        self._refuse(f"axes: {value.name}.without", f"no axis '{name}'",
                                     ", ".join(names))

    def _check_overrides(self):
        for given in self.overrides:
            for axis in self.axes:
                for key in axis.keys:
                    if f"{given}.".startswith(f"{key}.") or f"{key}.".startswith(f"{given}."):
                        raise StudyError(f"--{given}: the study varies it (axis '{axis.name}')")

    def _check_choice(self, choice, where):
        names = [axis.name for axis in self.axes]
        for name, value in choice.items():
            if name not in names:
                self._refuse(f"{where}.{name}", "is no axis", ", ".join(names))
            known = [v.name for v in self.axis(name).values]
            if value not in known:
                self._refuse(f"{where}.{name}", f"no value '{value}'", ", ".join(known))

    def _read_figure(self):
        figure = self._object(self._json, "figure")
        self._check_keys(figure, "figure", {"kind", "x", "y", "lines"}, FIGURE_KEYS)
        if figure["kind"] not in KINDS:
            self._refuse("figure.kind", f"{figure['kind']!r}", ", ".join(KINDS))
        names = [axis.name for axis in self.axes]
        for key in ("x", "lines", "rows", "columns"):
            if key in figure and figure[key] not in names:
                self._refuse(f"figure.{key}", f"no axis '{figure[key]}'", ", ".join(names))
        if figure["kind"] == "lines" and self.axis(figure["x"]).unit != "s":
            self._refuse("figure.x", f"'{figure['x']}' has no unit", "an axis of times")
        return figure


def list_studies(workloads):
    """Names of the studies that lie in workloads/studies, sorted."""
    folder = os.path.join(workloads, "studies")
    if not os.path.isdir(folder):
        return []
    return sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".json"))


def find_study(name, workloads):
    """Path of a study given by name or as a file; StudyError lists the known ones."""
    if name.endswith(".json"):
        if os.path.isfile(name):
            return name
        raise StudyError(f"'{name}' does not exist")
    path = os.path.join(workloads, "studies", f"{name}.json")
    if not os.path.isfile(path) or os.sep in name:
        raise StudyError(f"no study '{name}' (known: {', '.join(list_studies(workloads))}; "
                         "or a file that ends in .json)")
    return path
