# SPDX-License-Identifier: BSD-2-Clause
"""The experiments of document 002: broadcasts whose ranks arrive unevenly, with fixed and with competing leaders."""
import csv
import os
import tempfile

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


PLATFORM = {"topology": "switch", "params": "infiniband-002"}
WIDTHS = [0, 500, 5000]     # k, in us
# Figures, algorithm, nodes, sizes and operations of figures 12 to 17: the even ones have 4 ranks per node, the odd ones 8.
METHODS = [((12, 13), "bt", 16, [8, 128, 1024, 4096, 8192], 100),
           ((14, 15), "rdaas", 16, [16 << 10, 32 << 10, 64 << 10, 128 << 10], 50),
           ((16, 17), "ringaas", 10, [128 << 10, 256 << 10, 512 << 10, 1 << 20], 25)]
BETWEEN = {"bt": "k-nomial-2", "rdaas": "scatter-doubling", "ringaas": "scatter-ring"}


def label(method, width):
    return f"{method}, k={width / 1000:g}"


def repeated(width, iterations):
    """Return the options for the number of operations: few if all ranks call at once, for then they are alike."""
    return {"warmup": 2, "iterations": iterations if width else 10}


def figures_12_to_17(bench):
    """P and CP with the same algorithm between nodes: by the library over NICs, and in software."""
    keys = [(figure, name, nodes, ranks, size, width, method, iterations)
            for figures, name, nodes, sizes, iterations in METHODS for figure, ranks in zip(figures, (4, 8))
            for size in sizes for width in WIDTHS for method in ("P", "CP")]
    cases = [{**by_library(f"bcast={method.lower()}-{name}", size, width), **PLATFORM, "nodes": nodes, "ranks": ranks,
              **repeated(width, iterations),
              "algorithm": f"{'smp' if method == 'P' else 'cp'}-{BETWEEN[name]}"}
             for _, name, nodes, ranks, size, width, method, iterations in keys]
    return [{"figure": figure, "algorithm": name, "nodes": nodes, "ranks": ranks, "size": size, "k_us": width,
             "method": method, "nics_us": round(time, 2), "software_us": round(result["host_rank_max_ns"] / 1000, 2),
             "nics_root_us": round(result["root_mean_ns"] / 1000, 2), "retransmits": result["retransmits"]}
            for (figure, name, nodes, ranks, size, width, method, _), time, result
            in zip(keys, library_us(bench, cases), bench.all(cases))]


def table_of_figure(rows):
    """Return a line for each size, with P, CP and their ratio for each width, on both sides."""
    head = ["bytes"]
    for side in ("NICs", "software"):
        for width in WIDTHS:
            head += [f"{side}: {label('P', width)}, us", "CP, us", "CP/P"]
    lines = []
    for size in dict.fromkeys(row["size"] for row in rows):
        line = [svg.size_label(size)]
        for side in ("nics_us", "software_us"):
            for width in WIDTHS:
                p, cp = (next(row[side] for row in rows if (row["size"], row["k_us"], row["method"]) == (size, width, name))
                         for name in ("P", "CP"))
                line += [f"{p:.1f}", f"{cp:.1f}", f"{cp / p:.2f}"]
        lines.append(line)
    return markdown(head, lines)


def picture_of_figure(figure, rows):
    """Return the plot of the NICs, as in 002: P and CP for each width."""
    colours = {0: svg.BEST, 500: svg.NICS, 5000: svg.HOST}
    first = rows[0]
    names = [(method, width) for width in WIDTHS for method in ("P", "CP")]
    return svg.lines(
        f"Figure {figure}: {first['algorithm'].upper()}, {first['ranks']} x {first['nodes']} ranks, NICs, k in ms",
        "bytes", "us",
        [(label(method, width), [(row["size"], row["nics_us"]) for row in rows
                                 if (row["method"], row["k_us"]) == (method, width)]) for method, width in names],
        x_label=svg.size_label,
        styles={label(method, width): (colours[width], method == "P") for method, width in names})


def methods(bench):
    """Figures 12 to 17."""
    rows = figures_12_to_17(bench)
    tables, figures = {}, {}
    for figure in dict.fromkeys(row["figure"] for row in rows):
        mine = [row for row in rows if row["figure"] == figure]
        tables[f"002-figure{figure}"] = table_of_figure(mine)
        figures[f"002-figure{figure}"] = picture_of_figure(figure, mine)
    return {"002-methods": rows}, tables, figures


# Figures 18 to 21: k of the figures with short and with long messages.
LIBRARIES = {0: (18, 20), 500: (19, 21)}
SHORT, LONG = [8, 128, 1024, 4096, 8192], [16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20]


def mvapich(size):
    """Return what MVAPICH2 1.2 does: leaders with shared memory from 12,288 bytes to 1 MiB, else all ranks alike."""
    if size < 12288:
        return "k-nomial-2"
    return "scatter-ring" if size > 1 << 20 else "smp-scatter-ring" if size > 512 << 10 else "smp-scatter-doubling"


def actor(size):
    """Return the algorithm of 002's figure 7 for this size, in software."""
    return "cp-k-nomial-2" if size < 12288 else "cp-scatter-doubling" if size < 512 << 10 else "cp-scatter-ring"


def iterations_of(size):
    return 100 if size < 16 << 10 else 40 if size < 1 << 20 else 10


def libraries(bench):
    """Figures 18 to 21: the default of a library, the algorithm of 002 in software, and the library over NICs."""
    keys = [(size, width) for width in LIBRARIES for size in [*SHORT, *LONG]]
    cases = {name: [{**by_library("node", size, width), **PLATFORM, "nodes": 16, "ranks": 8,
                     **repeated(width, iterations_of(size)), "algorithm": algorithm(size)} for size, width in keys]
             for name, algorithm in (("MVAPICH2", mvapich), ("MPIActor", actor))}
    sides = {name: [result["host_rank_max_ns"] / 1000 for result in bench.all(mine)] for name, mine in cases.items()}
    sides["NICs, node"] = library_us(bench, cases["MVAPICH2"])
    rows = [{"figure": LIBRARIES[width][size >= 16 << 10], "size": size, "k_us": width,
             **{f"{name}_us": round(times[i], 2) for name, times in sides.items()}}
            for i, (size, width) in enumerate(keys)]
    tables, figures = {}, {}
    for figure in (18, 19, 20, 21):
        mine = [row for row in rows if row["figure"] == figure]
        tables[f"002-figure{figure}"] = markdown(
            ["bytes", *[f"{name}, us" for name in sides], "MPIActor/MVAPICH2", "NICs/MVAPICH2"],
            [[svg.size_label(row["size"]), *[f"{row[f'{name}_us']:.1f}" for name in sides],
              f"{row['MPIActor_us'] / row['MVAPICH2_us']:.2f}", f"{row['NICs, node_us'] / row['MVAPICH2_us']:.2f}"]
             for row in mine])
        figures[f"002-figure{figure}"] = svg.lines(
            f"Figure {figure}: 8 x 16 ranks, k={mine[0]['k_us'] / 1000:g} ms", "bytes", "us",
            [(name, [(row["size"], row[f"{name}_us"]) for row in mine]) for name in sides], x_label=svg.size_label,
            styles={"MVAPICH2": (svg.HOST, False), "MPIActor": (svg.BEST, False), "NICs, node": (svg.NICS, False)})
    return {"002-libraries": rows}, tables, figures


# ASP with 10,240 vertices over 128 ranks: 80 rows of 10,240 sums in each step, and a row of 40 KiB to broadcast. The
# interruptions are chosen so that ranks arrive within some 300 us, as in 002.
ASP = {"op": "bcast", "type": "int32", "size": 40 << 10, "nodes": 16, "ranks": 8, "work": "600us", "noise-rate": 100,
       "noise-time": "100us", "warmup": 2, "iterations": 320, **PLATFORM}
SHOWN = [40, 120, 200, 280]     # broadcasts of figure 22


def asp(bench):
    """Figure 22, when ranks arrive in ASP, and the time that they spend in broadcasts, of figure 23."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "arrivals.csv")
        cases = [{"command": "coll", "way": way, "arrivals": path if way == "node" else None, **ASP}
                 for way in WAYS.values()]
        results = bench.all(cases)
        library_us(bench, cases)
        with open(path, encoding="utf-8") as file:
            calls = [{"broadcast": int(row["iteration"]), "rank": int(row["rank"]), "us": float(row["ns"]) / 1000}
                     for row in csv.DictReader(file)]
    shown = [{**row, "us": round(row["us"], 1)} for row in calls if row["broadcast"] in SHOWN]
    times = [[method, *[f"{result[key] / 1000:.1f}" for key in ("arrival_ns", "rank_mean_ns", "rank_max_ns")]]
             for method, result in zip(WAYS, results)]
    names = {i: f"broadcast {i}" for i in SHOWN}
    figure = svg.lines("Figure 22: arrival of 128 ranks at broadcasts of ASP, CP", "rank", "us",
                       [(names[i], [(row["rank"], row["us"]) for row in shown if row["broadcast"] == i]) for i in SHOWN],
                       x_kind="linear", y_kind="zero", styles=svg.shades([*names.values()]))
    table = markdown(["method", "arrival within, us", "rank's mean time in a broadcast, us", "slowest rank's, us"], times)
    return {"002-figure22": shown}, {"002-asp": table}, {"002-figure22": figure}


OTHERS = [("barrier", None), *[(op, size) for op in ("allreduce", "reduce") for size in (8, 64 << 10)]]


def others(bench):
    """What 002 leaves to future work: other operations with a leader that is the last to bring its data."""
    keys = [(op, size, width, way) for op, size in OTHERS for width in (0, 500) for way in ("fixed", "node", "direct")]
    cases = [{"command": "coll", "op": op, "size": size, "way": way, "nodes": 16, "ranks": 8, "topology": "switch",
              "params": "infiniband100g", **skew(width), **repeated(width, 200 if size == 8 or not size else 60)}
             for op, size, width, way in keys]
    library_us(bench, cases)
    rows = [{"op": op, "size": size or 0, "k_us": width, "way": way,
             **{f"{key}_us": round(result[f"{key}_ns"] / 1000, 2) for key in ("mean", "rank_mean", "rank_max", "root_mean")}}
            for (op, size, width, way), result in zip(keys, bench.all(cases))]
    table = markdown(
        ["operation", "bytes", "k, ms", "way", "after the last call, us", "rank's mean, us", "slowest rank's mean, us",
         "root's mean, us"],
        [[row["op"], svg.size_label(row["size"]) if row["size"] else "-", f"{row['k_us'] / 1000:g}", row["way"],
          *[f"{row[f'{key}_us']:.2f}" for key in ("mean", "rank_mean", "rank_max")],
          f"{row['root_mean_us']:.2f}" if row["op"] == "reduce" else "-"] for row in rows])
    return {"002-others": rows}, {"002-others": table}, {}
