# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The figure of a study: lines over a swept time, or bars; PNG and SVG, the same runs, same bytes."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from .description import seconds  # noqa: E402
from .table import label_of, lines_of  # noqa: E402

COLORS = ("#555555", "#c44e52", "#dd8452", "#4c72b0", "#55a868", "#8172b3", "#937860")


def draw_lines(panel, study, lines, table):
    """Lines over times, logarithmic on both axes; what is not swept is a dashed level."""
    values = table.columns[study.figure["y"]]
    for color, (name, points) in zip(COLORS * 9, lines.items()):
        swept = [(seconds(x), values[n]) for x, n in points if x is not None]
        if swept:
            panel.plot(*zip(*swept), "o-", color=color, markersize=3, linewidth=1.2, label=name)
        else:
            panel.axhline(values[points[0][1]], color=color, linestyle="--", linewidth=1,
                          label=name)
    panel.set_xscale("log")
    panel.set_yscale("log")


def draw_bars(panel, study, lines, table):
    """A group of bars per x, side by side; what is not swept is a dashed level."""
    values = table.columns[study.figure["y"]]
    xs = [v.name for v in study.axis(study.figure["x"]).values]
    bars = [name for name, points in lines.items() if points[0][0] is not None]
    width = 0.8 / max(1, len(bars))
    for color, (name, points) in zip(COLORS * 9, lines.items()):
        if name in bars:
            at = [xs.index(x) + (bars.index(name) + 0.5) * width - 0.4 for x, _ in points]
            panel.bar(at, [values[n] for _, n in points], width, color=color, label=name)
        else:
            panel.axhline(values[points[0][1]], color=color, linestyle="--", linewidth=1,
                          label=name)
    panel.set_xticks(range(len(xs)), xs, rotation=30, ha="right", fontsize=8)
    panel.set_yscale("log")


def draw(study, runs, table, paths):
    """Draw the study's figure into all paths (.png, .svg)."""
    figure = study.figure
    lines = lines_of(study, runs, range(len(runs)))
    rows = list(dict.fromkeys(place[0] for place in lines))
    columns = list(dict.fromkeys(place[1] for place in lines))
    # Names of elements in SVG files are random without a salt.
    matplotlib.rcParams["svg.hashsalt"] = "mixnet"
    drawing, panels = plt.subplots(
        len(rows), len(columns), figsize=(1 + 3.4 * len(columns), 1.2 + 2.6 * len(rows)),
        squeeze=False, sharex=True, constrained_layout=True)
    for i, row in enumerate(rows):
        for k, column in enumerate(columns):
            mine = {p[2]: v for p, v in lines.items() if p[:2] == (row, column)}
            panel = panels[i][k]
            (draw_bars if figure["kind"] == "bars" else draw_lines)(panel, study, mine, table)
            panel.set_title(", ".join(p for p in (column, row) if p), fontsize=9)
            panel.grid(alpha=0.3, which="major")
            if k == 0:
                panel.set_ylabel(label_of(study, table, figure["y"]))
            if i == len(rows) - 1:
                panel.set_xlabel(table.heading(figure["x"]))
    handles, names = panels[0][0].get_legend_handles_labels()
    drawing.legend(handles, names, loc="lower center",
                   ncol=len(names), fontsize=8, frameon=False, bbox_to_anchor=(0.5, 1.0))
    for path in paths:
        # No dates and versions: the same runs give the same file.
        metadata = {"Date": None} if path.endswith(".svg") else {"Software": None}
        drawing.savefig(path, dpi=150, bbox_inches="tight", metadata=metadata)
    plt.close(drawing)
