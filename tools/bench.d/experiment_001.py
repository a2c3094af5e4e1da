# SPDX-License-Identifier: BSD-2-Clause
"""The experiment of document 001: times of the fitted platform without offload, and predictions for its NICs."""
import csv
import os
import tempfile

import svg
from latency import case_of
from paper_001 import NODES, TABLES, TYPES
from run import CHECKOUT
from tables import markdown
from tianhe import SET as SET_FILE, replaced, values_of

SET = {"params": "tianhe-001"}
ALONE = {**SET, "no-host": True}
SIZES = [8, 16, 24, 32, 40, 48, 56, 64, 96, 128]


def other_fit(bench):
    """
    Return the tree's times, in us, with the fit for a reduction and a broadcast instead of recursive doubling. The
    column without offload cannot distinguish the two.
    """
    with open(os.path.join(CHECKOUT, "docs/bench/001-fit.csv"), encoding="utf-8") as file:
        fits = [row for row in csv.DictReader(file) if row["algorithm"].startswith("reduce-bcast")]
    best = min(fits, key=lambda row: float(row["rms_error"]))
    with open(SET_FILE, encoding="utf-8") as file:
        text = replaced(file.read(), values_of((best["message_software_ns"], best["switch_latency_ns"]),
                                               best["switch_ports"]))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "other.params")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        results = bench.all([case_of("allreduce", 16, n, mode="tree", **{**ALONE, "params": path}) for n in NODES])
    return [result["offload_ns"] / 1000 for result in results]


def percent(ours, theirs):
    return f"{100 * (ours / theirs - 1):+.1f}%"


def rows_of_tables(bench):
    """Return a row for each cell of tables 1 to 5: the document's time, and the model's host, tree and planned NICs."""
    cells = [(size, n) for size in TABLES for n in NODES]
    hosts = bench.all([case_of("allreduce", size, n, **SET) for size, n in cells])
    trees = bench.all([case_of("allreduce", size, n, mode="tree", **ALONE) for size, n in cells])
    rows = []
    for (size, n), host, tree in zip(cells, hosts, trees):
        without, offloaded = (column[NODES.index(n)] for column in TABLES[size])
        rows.append({"size": size, "nodes": n, "paper_without_us": without, "paper_with_us": offloaded,
                     "host_us": host["host_default_ns"] / 1000, "tree_us": tree["offload_ns"] / 1000,
                     "planned_us": host["offload_ns"] / 1000, "planned_mode": host["mode"]})
    return rows


def table_1(rows, others):
    return markdown(
        ["nodes", "001 without, us", "model, us", "error", "001 with, us", "tree, us", "error", "tree, other fit, us",
         "planned, us", "mode", "001's speed-up", "tree's", "planned"],
        [[row["nodes"], f"{row['paper_without_us']:.2f}", f"{row['host_us']:.2f}",
          percent(row["host_us"], row["paper_without_us"]), f"{row['paper_with_us']:.2f}", f"{row['tree_us']:.2f}",
          percent(row["tree_us"], row["paper_with_us"]), f"{other:.2f}",
          f"{row['planned_us']:.2f}", row["planned_mode"],
          f"{row['paper_without_us'] / row['paper_with_us']:.2f}", f"{row['host_us'] / row['tree_us']:.2f}",
          f"{row['host_us'] / row['planned_us']:.2f}"] for row, other in zip(rows, others)])


def table_of_errors(rows):
    """Return a summary of tables 2 to 5: the ranges of the errors over the node counts."""
    lines = []
    for size in TABLES:
        mine = [row for row in rows if row["size"] == size]
        cells = [size]
        for ours, theirs in (("host_us", "paper_without_us"), ("tree_us", "paper_with_us")):
            errors = [row[ours] / row[theirs] - 1 for row in mine]
            cells.append(f"{100 * min(errors):+.1f}% to {100 * max(errors):+.1f}%")
        for with_, without in (("paper_with_us", "paper_without_us"), ("tree_us", "host_us"),
                               ("planned_us", "host_us")):
            gains = [row[without] / row[with_] for row in mine]
            cells.append(f"{min(gains):.2f} to {max(gains):.2f}")
        lines.append(cells)
    return markdown(["bytes", "error without", "error with (tree)", "001's speed-up", "tree's", "planned"], lines)


def figures_6_and_7(bench):
    """Measure figure 6, 8 bytes of each type, and figure 7, sizes with the step between 48 and 56 bytes."""
    by_type = bench.all([case_of("allreduce", 8, n, type=name, mode="tree", **ALONE) for name in TYPES for n in NODES])
    by_size = bench.all([case_of("allreduce", size, n, mode="tree", **ALONE) for n in NODES for size in SIZES])
    types = [{"type": name, "nodes": n, "tree_us": result["offload_ns"] / 1000}
             for (name, n), result in zip(((name, n) for name in TYPES for n in NODES), by_type)]
    sizes = [{"nodes": n, "size": size, "tree_us": result["offload_ns"] / 1000}
             for (n, size), result in zip(((n, size) for n in NODES for size in SIZES), by_size)]
    return types, sizes


# Colour: software or NICs; dashed: published.
CURVES = {"software, published": ("paper_without_us", (svg.HOST, True)),
          "software, simulated": ("host_us", (svg.HOST, False)),
          "NICs, published": ("paper_with_us", (svg.NICS, True)),
          "NICs, simulated": ("tree_us", (svg.NICS, False)),
          "NICs, as planned": ("planned_us", (svg.NICS_LIGHT, False))}


def experiment(bench):
    rows = rows_of_tables(bench)
    types, sizes = figures_6_and_7(bench)
    first = [row for row in rows if row["size"] == 16]
    figures = {
        "001-table1": svg.lines(
            "16-byte allreduce on Tianhe: published and simulated, us", "nodes", "us",
            [(name, [(row["nodes"], row[key]) for row in first]) for name, (key, _) in CURVES.items()],
            y_kind="zero", styles={name: style for name, (_, style) in CURVES.items()}),
        "001-figure7": svg.lines(
            "Allreduce on Tianhe by NICs over size, simulated, us", "bytes", "us",
            [(f"{n} nodes", [(row["size"], row["tree_us"]) for row in sizes if row["nodes"] == n]) for n in NODES],
            x_kind="linear", y_kind="zero", styles=svg.shades([f"{n} nodes" for n in NODES])),
    }
    tables = {
        "001-table1": table_1(first, other_fit(bench)), "001-tables": table_of_errors(rows),
        "001-figure6": markdown(["nodes", *[f"{name}, us" for name in TYPES]],
                                [[n, *[f"{row['tree_us']:.3f}" for row in types if row["nodes"] == n]] for n in NODES]),
        "001-figure7": markdown(["nodes", *[f"{size} B, us" for size in SIZES]],
                                [[n, *[f"{row['tree_us']:.3f}" for row in sizes if row["nodes"] == n]] for n in NODES]),
    }
    return {"001-tables": rows, "001-figure6": types, "001-figure7": sizes}, tables, figures
