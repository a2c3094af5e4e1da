# SPDX-License-Identifier: BSD-2-Clause
"""Tables 4 to 6 of document 000: an allreduce by the hosts, in Node mode and in Socket mode."""
import svg
from paper_000 import MODES, PROCESSES, SIZES, TABLES
from run import BenchError
from tables import markdown

PLATFORM = {"op": "allreduce", "type": "fp32", "params": "roce25g-000"}
# Until every rank that may ever post for its node has done so once, and has registered the node's memory.
STEADY = {"warmup": 20, "iterations": 2}
WAYS = ["node", "socket", "direct"]     # direct: every process posts for itself, which 000 does not have
# Colour: who works; dashed: published.
STYLES = {"hosts, published": (svg.HOST, True), "hosts": (svg.HOST, False), "Node, published": (svg.NICS_LIGHT, True),
          "Node": (svg.NICS_LIGHT, False), "Socket, published": (svg.NICS, True), "Socket": (svg.NICS, False),
          "direct": (svg.FLOOR, False)}


def library_us(bench, cases):
    """Return the times, in us. All operations must have been offloaded, and their results right."""
    results = bench.all(cases)
    for case, result in zip(cases, results):
        if result["offloaded"] != 1 or not result["checked"]:
            raise BenchError(f"{case}: {result['offloaded']:.0%} offloaded, checked: {result['checked']}")
    return [result["mean_ns"] / 1000 for result in results]


def rows_of(bench, nodes):
    """Return a row for each number of processes and each length: 000's times and ours."""
    cells = [(processes, size) for processes in PROCESSES for size in SIZES]
    hosts = bench.all([{**PLATFORM, "nodes": nodes, "ranks": processes, "size": size,
                        "algorithm": "recursive-doubling"} for processes, size in cells])
    ours = {way: library_us(bench, [{"command": "coll", **PLATFORM, **STEADY, "nodes": nodes, "ranks": processes, "sockets": 2,
                                     "size": size, "way": way} for processes, size in cells]) for way in WAYS}
    rows = []
    for i, (processes, size) in enumerate(cells):
        row = {"nodes": nodes, "processes": processes, "size": size}
        for mode, column in zip(MODES, TABLES[nodes][size]):
            row[f"{mode}, 000"] = column[PROCESSES.index(processes)]
        row["host"] = round(hosts[i]["host_ns"] / 1000, 3)
        rows.append({**row, **{way: round(ours[way][i], 3) for way in WAYS}})
    return rows


def table_of(rows):
    """Return the times in pairs, 000's and ours."""
    head = ["PPN", "bytes", "host: 000, us", "ours, us", "Node: 000, us", "ours, us", "Socket: 000, us", "ours, us",
            "direct, us"]
    return markdown(head, [
        [row["processes"], row["size"],
         *[f"{row[key]:.2f}" for mode in MODES for key in (f"{mode}, 000", mode)], f"{row['direct']:.2f}"]
        for row in rows])


def gains_of(rows):
    """Return by how much less time each mode takes than the hosts of its side: ranges over the lengths."""
    lines = []
    for processes in PROCESSES:
        mine = [row for row in rows if row["processes"] == processes]
        cells = [processes]
        for mode, side in [(mode, side) for mode in ("node", "socket") for side in (", 000", "")] + [("direct", "")]:
            gains = [1 - row[mode + side] / row["host" + side] for row in mine]
            cells.append(f"{min(gains):.0%} to {max(gains):.0%}")
        lines.append(cells)
    return markdown(["PPN", "Node: 000", "ours", "Socket: 000", "ours", "direct"], lines)


def figure_of(rows, nodes):
    """Return figure 9 for this number of nodes: 64 processes on each."""
    mine = [row for row in rows if row["processes"] == 64]
    keys = ["host, 000", "host", "node, 000", "node", "socket, 000", "socket", "direct"]
    return svg.lines(f"Allreduce over {nodes} nodes of 64 processes, us", "bytes", "us",
                     [(name, [(row["size"], row[key]) for row in mine]) for name, key in zip(STYLES, keys)],
                     y_kind="zero", styles=STYLES)


def experiment(nodes, name):
    def run(bench):
        rows = rows_of(bench, nodes)
        return {name: rows}, {name: table_of(rows), f"{name}-gains": gains_of(rows)}, {f"000-figure9-{nodes}": figure_of(rows, nodes)}
    return run


table_4, table_5, table_6 = (experiment(nodes, f"000-table{number}") for nodes, number in ((4, 4), (9, 5), (16, 6)))
