# SPDX-License-Identifier: BSD-2-Clause
"""The experiments of document 002: broadcasts whose ranks arrive unevenly, with fixed and with competing leaders."""
import svg
from paper_002 import (NODES, PROCESSES, STEPS_NODES, STEPS_PROCESSES, WIDTH, impact, message_time, root_time,
                       simulated_impact)
from run import BenchError
from tables import markdown

DEGREES = [0.5, 1, 2, 5, 10, 20, 50, 100]
# Steps between nodes, and processes that compete, of each curve of figure 3.
IMPACTS = {"BT, P-BT": (STEPS_PROCESSES, 1), "CP-BT, 2": (STEPS_NODES, 2), "CP-BT, 8": (STEPS_NODES, 8)}
SIZES = [8, 64, 256, 1024, 2048, 4096, 16384, 65536]
MOST_NICS = 2048    # from here to the next size the NICs' timers repeat what a link of 0.8 Gb/s still queues
ITERATIONS = 100
MODEL = {"topology": "switch", "nodes": NODES, "ranks": PROCESSES, "params": "model-002"}
WAYS = {"P": "fixed", "CP": "node"}
SOFTWARE = {"BT": "k-nomial-2", "P": "smp-k-nomial-2", "CP": "cp-k-nomial-2"}

# Colour: the method; dashed: all ranks call at once.
STYLES = {"BT, P-BT": (svg.HOST, False), "CP-BT, 2": (svg.NICS_LIGHT, False), "CP-BT, 8": (svg.NICS, False),
          "BT": (svg.HOST, False), "P": (svg.BEST, False), "CP": (svg.NICS, False), "NICs, CP": (svg.FLOOR, False),
          "BT at once": (svg.HOST, True), "P at once": (svg.BEST, True)}


def skew(width):
    """Return the option for an interval of `width` us in which the ranks call, with as many operations as it needs."""
    return {"skew": f"{round(1000 * width)}ns", "iterations": ITERATIONS} if width else {}


def by_library(way, size, width, **more):
    """Return the case of a broadcast by libtallycoll. The figure of a case is the longest of the ranks' mean times."""
    return {"command": "coll", "op": "bcast", "size": size, "way": way, **skew(width), **more}


def by_software(algorithm, size, width, **more):
    return {"op": "bcast", "size": size, "algorithm": algorithm, **skew(width), **more}


def library_us(bench, cases):
    """Return the times, in us. All operations must have been offloaded, and their results right."""
    results = bench.all(cases)
    for case, result in zip(cases, results):
        if result["offloaded"] != 1 or not result["checked"]:
            raise BenchError(f"{case}: {result['offloaded']:.0%} offloaded, checked: {result['checked']}")
    return [result["rank_max_ns"] / 1000 for result in results]


def figure_3(bench):
    """The impact model of section 2, which needs no simulator."""
    del bench
    rows = [{"degree": degree, **{f"{name}, {kind}": round(value(degree, *IMPACTS[name]), 4)
                                  for name in IMPACTS
                                  for kind, value in (("equation", impact), ("simulated", simulated_impact))}}
            for degree in DEGREES]
    figure = svg.lines("Figure 3: impact of uneven arrival on the root", "unbalance degree", "impact coefficient",
                       [(name, [(row["degree"], row[f"{name}, equation"]) for row in rows]) for name in IMPACTS],
                       y_kind="zero", styles=STYLES)
    table = markdown([*rows[0]], [[row["degree"], *[f"{row[key]:.2f}" for key in list(row)[1:]]] for row in rows])
    return {"002-figure3": rows}, {"002-figure3": table}, {"002-figure3": figure}


def rows_of_figure_4(bench):
    """Equation 4 for the root; the software of the model, and the library over NICs, for the slowest rank."""
    kinds = [(name, width) for width in (0, WIDTH) for name in SOFTWARE]
    software = iter(bench.all([by_software(SOFTWARE[name], size, width, **MODEL)
                               for size in SIZES for name, width in kinds]))
    nics = iter(library_us(bench, [by_library(WAYS[name], size, width, **MODEL)
                                   for size in SIZES if size <= MOST_NICS for width in (0, WIDTH) for name in WAYS]))
    steps = {"BT": (STEPS_PROCESSES, 1, 0), "P": (STEPS_NODES, 1, 1), "CP": (STEPS_NODES, PROCESSES, 1)}
    rows = []
    for size in SIZES:
        row = {"size": size, "degree": round(WIDTH / message_time(size), 2)}
        for name, width in kinds:
            key = f"{name} at once" if not width else name
            row[f"{key}, equation"] = round(root_time(size, width, *steps[name]), 2)
            row[f"{key}, software"] = round(next(software)["host_rank_max_ns"] / 1000, 2)
        for width in (0, WIDTH):
            for name in WAYS:
                key = f"{name} at once" if not width else name
                row[f"{key}, NICs"] = round(next(nics), 2) if size <= MOST_NICS else None
        rows.append(row)
    return rows


def table_4(rows, kind):
    names = ["BT at once", "P at once", "CP at once", "BT", "P", "CP"]
    keys = [f"{name}, {kind}" for name in names if f"{name}, {kind}" in rows[0]]
    return markdown(["bytes", "degree", *[f"{key.split(',')[0]}, us" for key in keys]],
                    [[svg.size_label(row["size"]), row["degree"], *[f"{row[key]:.1f}" for key in keys]]
                     for row in rows if row[keys[0]] is not None])


def picture_4(rows, kind, title):
    names = [name for name in ("BT", "P", "CP", "BT at once", "P at once") if f"{name}, {kind}" in rows[0]]
    return svg.lines(title, "bytes", "us",
                     [(name, [(row["size"], row[f"{name}, {kind}"]) for row in rows]) for name in names],
                     x_label=svg.size_label, styles=STYLES)


def figure_4(bench):
    """The times of the model of section 2."""
    rows = rows_of_figure_4(bench)
    tables = {f"002-figure4-{kind.lower()}": table_4(rows, kind) for kind in ("equation", "software", "NICs")}
    figures = {"002-figure4-equation": picture_4(rows, "equation", "Figure 4: equation 4, the root's mean time"),
               "002-figure4-software": picture_4(rows, "software", "Figure 4: software, the slowest rank's mean time")}
    return {"002-figure4": rows}, tables, figures
