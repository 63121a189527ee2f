# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The comparison figure: where an iteration's time goes, by fabric and compute model."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

PARTS = (
    ("compute", "compute", "#4c72b0"),
    ("exposed_ep", "exposed EP", "#dd8452"),
    ("waiting_for_circuits", "waiting for circuits", "#c44e52"),
    ("exposed_rest", "exposed TP, CP, PP, DP", "#937860"),
    ("idle", "idle (bubble, stragglers)", "#cccccc"),
)


def breakdown(iterations, run):
    """Mean seconds of one run's iterations by part; the parts add up to the iteration time.

    iterations: columns of the table; run: its number. Exposed EP is without the waits for circuits,
    which are a part of their own; idle is what is left.
    """
    rows = iterations["run"] == run
    total = float(np.mean(iterations["end"][rows] - iterations["start"][rows]))
    mean = {name: float(np.mean(iterations[name][rows])) for name in (
        "compute", "exposed_tp", "exposed_ep", "exposed_pp", "exposed_dp", "exposed_other",
        "waiting_for_circuits")}
    # results written before there was context parallelism have no such column
    context = float(np.mean(iterations["exposed_cp"][rows])) if "exposed_cp" in iterations else 0.0
    parts = {
        "compute": mean["compute"],
        "exposed_ep": mean["exposed_ep"] - mean["waiting_for_circuits"],
        "waiting_for_circuits": mean["waiting_for_circuits"],
        "exposed_rest": mean["exposed_tp"] + mean["exposed_pp"] + mean["exposed_dp"]
        + mean["exposed_other"] + context,
    }
    parts["idle"] = max(0.0, total - sum(parts.values()))
    return total, parts


def iteration_figure(result, path):
    """Draw stacked bars of the iteration time, one panel per compute model, into path (PNG, SVG).

    Returns False, and draws nothing, when no run has an iteration.
    """
    if "iterations" not in result:
        return False
    runs = result.table("runs")
    iterations = result.table("iterations")
    have = [r for r in range(len(runs["run"])) if np.any(iterations["run"] == runs["run"][r])]
    if not have:
        return False
    models = list(dict.fromkeys(runs["compute"][r] for r in have))
    figure, panels = plt.subplots(
        1, len(models), figsize=(1.5 + 5.0 * len(models), 1.6 + 0.45 * len(have) / len(models)),
        squeeze=False, constrained_layout=True)
    for panel, model in zip(panels[0], models):
        mine = [r for r in have if runs["compute"][r] == model]
        labels = [str(runs["fabric"][r]) for r in mine]
        totals = []
        left = np.zeros(len(mine))
        drawn = [breakdown(iterations, runs["run"][r]) for r in mine]
        for key, label, color in PARTS:
            widths = np.array([parts[key] for _, parts in drawn])
            panel.barh(labels, widths, left=left, color=color, label=label)
            left += widths
        totals = [total for total, _ in drawn]
        for y, total in enumerate(totals):
            panel.text(total, y, f" {total / totals[0]:.2f}x", va="center", fontsize=8)
        panel.set_xlim(0, max(totals) * 1.12)
        panel.invert_yaxis()
        panel.set_xlabel("iteration time, mean [s]")
        panel.set_title(f"compute model: {model}", fontsize=10)
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center",
                  ncol=len(names), fontsize=8, bbox_to_anchor=(0.5, 1.09), frameon=False)
    # No dates and versions: the same result gives the same file.
    metadata = {"Date": None} if path.endswith(".svg") else {"Software": None}
    figure.savefig(path, dpi=150, bbox_inches="tight", metadata=metadata)
    plt.close(figure)
    return True
