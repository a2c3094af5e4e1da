# SPDX-License-Identifier: BSD-2-Clause
"""The parts of the time of an 8-byte allreduce, and the latencies of the engine, from traces."""
import collections
import os
import tempfile

import svg
from latency import case_of
from run import PARAMS
from tables import markdown
from critical_path import Costs, Trace, Walk

SET = "ethernet100g"
KINDS = ["host", "PCIe", "engine", "transmit queue", "wire", "cables", "switches", "queues"]
ALONE = {"no-host": True}
CASES = [(2, "fattree3"), (16, "fattree3"), (256, "fattree3"), (500, "fattree2")]


def traced(bench, folder, name, case):
    path = os.path.join(folder, name + ".json")
    result = bench.one({**case, **ALONE, "params": SET, "trace": path})
    return result, Trace(path)


def critical_path(bench, folder, nodes, topology):
    """Return the nanoseconds by kind, and the result of the run."""
    result, trace = traced(bench, folder, f"nodes-{nodes}", case_of("allreduce", 8, nodes, topology=topology))
    walk = Walk(trace, Costs(os.path.join(PARAMS, SET + ".params")))
    spent = collections.Counter()
    for kind, _, _, start, end in walk.steps:
        spent[kind] += end - start
    return {kind: spent[kind] / 1000 for kind in KINDS}, walk, result


def steps_table(walk):
    """Return the critical path of one run as a table, with adjacent steps of the same kind and place combined."""
    lines, begin = [], walk.steps[-1][3]
    for kind, what, where, start, end in reversed(walk.steps):
        if lines and lines[-1][1:3] == [kind, what] and lines[-1][3] == where:
            lines[-1][4] += end - start
        else:
            lines.append([start - begin, kind, what, where, end - start])
    return markdown(["start, ns", "kind", "step", "place", "duration, ns"],
                    [[f"{at / 1000:.1f}", kind, what, where, f"{length / 1000:.1f}"]
                     for at, kind, what, where, length in lines])


def engine_steps(bench, folder):
    """Return the consecutive steps of the engines in a tree that is a chain of three, in cycles of the engine."""
    _, trace = traced(bench, folder, "chain", case_of("allreduce", 8, 3, mode="tree", degree=1))
    costs = Costs(os.path.join(PARAMS, SET + ".params"))
    rows = []
    for kind, what, where, start, end in reversed(Walk(trace, costs).steps):
        if kind == "engine" and rows and rows[-1]["host"] == where and rows[-1]["end"] == start:
            rows[-1].update(what=f"{rows[-1]['what']}, {what}", end=end)
        elif kind == "engine":
            rows.append({"host": where, "what": what, "start": start, "end": end})
    return [{"host": row["host"], "what": row["what"], "ns": (row["end"] - row["start"]) / 1000,
             "cycles": round((row["end"] - row["start"]) * costs.clock_mhz / 1e6)} for row in rows]


def experiment(bench):
    rows, shown = [], None
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_steps(bench, folder)
        for nodes, topology in CASES:
            spent, walk, result = critical_path(bench, folder, nodes, topology)
            rows.append({"nodes": nodes, "topology": topology, "mode": result["mode"], "offload_ns": result["offload_ns"],
                         "floor_ns": result["floor_ns"], **spent})
            if nodes == 256:
                shown = walk
    figure = svg.bars("8-byte allreduce: critical path by kind, ns", "ns",
                      [(f"{row['nodes']}", [(kind, row[kind]) for kind in KINDS]) for row in rows])
    tables = {
        "breakdown": markdown(["nodes", "topology", "total, ns", *KINDS],
                              [[row["nodes"], row["topology"], f"{sum(row[k] for k in KINDS):.0f}",
                                *[f"{row[kind]:.0f}" for kind in KINDS]] for row in rows]),
        "path": steps_table(shown),
        "engine": markdown(["place", "step", "ns", "cycles"],
                           [[row["host"], row["what"], f"{row['ns']:.0f}", row["cycles"]] for row in engine]),
    }
    return {"breakdown": rows, "engine": engine}, tables, {"breakdown": figure}
