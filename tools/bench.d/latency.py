# SPDX-License-Identifier: BSD-2-Clause
"""Latency and bandwidth over nodes and sizes, compared with the floor."""
import svg
from tables import markdown, ratio, us, with_unpushed

NODES = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
CURVES = [("NICs", "offload_ns"), ("host, default", "host_default_ns"), ("host, best", "host_best_ns"),
          ("floor", "floor_ns")]
OPERATIONS = [("allreduce", 8), ("barrier", 0), ("bcast", 8)]
ROW = ["op", "type", "size", "nodes", "topology", "mode", "offload_ns", "unpushed_ns", "host_default_ns", "host_best_ns",
       "host_best_algorithm", "floor_ns", "wire_bytes"]


def case_of(op, size, nodes, **more):
    return {"op": op, "size": size or None, "nodes": nodes, **more}


def row_of(result, keys=tuple(ROW)):
    return {key: result[key] for key in keys}


def curves(rows, x, names=tuple(CURVES)):
    return [(name, [(row[x], row[key] / 1000) for row in rows]) for name, key in names]


def nodes_table(rows):
    head = ["nodes", "mode", "NICs, us", "host default, us", "host best, us", "best algorithm", "floor, us",
            "default/NICs", "best/NICs", "NICs/floor"]
    cells = [[row["nodes"], row["mode"], us(row["offload_ns"]), us(row["host_default_ns"]), us(row["host_best_ns"]),
              row["host_best_algorithm"], us(row["floor_ns"]), ratio(row["host_default_ns"], row["offload_ns"]),
              ratio(row["host_best_ns"], row["offload_ns"]), ratio(row["offload_ns"], row["floor_ns"])]
             for row in rows]
    return markdown(*with_unpushed(head, cells, rows, 3))


def over_nodes(bench):
    """Measure the latency of three short operations from 2 to 1,024 nodes."""
    cases = [case_of(op, size, n) for op, size in OPERATIONS for n in NODES]
    rows = [row_of(result) for result in bench.all(cases)]
    tables, figures = {}, {}
    for op, size in OPERATIONS:
        mine = [row for row in rows if row["op"] == op]
        what = f"{size}-byte {op}" if size else op
        figures[f"nodes-{op}"] = svg.lines(
            f"Latency of {what} over nodes, us", "nodes", "us", curves(mine, "nodes"), y_kind="zero")
        tables[f"nodes-{op}"] = nodes_table(mine)
    return {"nodes": rows}, tables, figures


def fast_host(bench):
    """Measure an 8-byte allreduce with the parameters of one fast host."""
    cases = [case_of("allreduce", 8, n, params="infiniband100g") for n in NODES if n <= 512]
    rows = [row_of(result) for result in bench.all(cases)]
    return {"fast-host": rows}, {"fast-host": nodes_table(rows)}, {}


def over_size(bench):
    """Measure the latency of allreduce from 8 bytes to 1 MiB."""
    sizes = [8 << i for i in range(18)]
    cases = [case_of("allreduce", size, n) for n in (16, 256) for size in sizes]
    rows = [row_of(result) for result in bench.all(cases)]
    tables, figures = {}, {}
    for nodes in (16, 256):
        mine = [row for row in rows if row["nodes"] == nodes]
        figures[f"size-{nodes}"] = svg.lines(
            f"Latency of allreduce over size, {nodes} nodes, us", "bytes", "us", curves(mine, "size"),
            x_label=svg.size_label)
        head = ["bytes", "mode", "NICs, us", "host default, us", "host best, us", "best algorithm", "default/NICs",
                "best/NICs"]
        cells = [[svg.size_label(row["size"]), row["mode"], us(row["offload_ns"]), us(row["host_default_ns"]),
                  us(row["host_best_ns"]), row["host_best_algorithm"],
                  ratio(row["host_default_ns"], row["offload_ns"]), ratio(row["host_best_ns"], row["offload_ns"])]
                 for row in mine]
        tables[f"size-{nodes}"] = markdown(*with_unpushed(head, cells, mine, 3))
    return {"size": rows}, tables, figures


def steps(bench):
    """Measure all multiples of eight bytes to 512, and sizes around 48 and 256, where descriptors of others end."""
    wide = bench.all([case_of("allreduce", size, 16, **{"no-host": True}) for size in range(8, 520, 8)])
    fine = bench.all([case_of("allreduce", size, 16, type="int8", **{"no-host": True})
                      for size in (47, 48, 49, 55, 56, 57, 63, 64, 65, 191, 192, 193, 255, 256, 257)])
    keys = ["type", "size", "nodes", "mode", "offload_ns", "floor_ns"]
    rows = [row_of(result, keys) for result in wide + fine]
    figure = {"steps": svg.lines(
            "Latency of allreduce, 8 to 512 bytes, 16 nodes, us", "bytes", "us",
        curves([row_of(result, keys) for result in wide], "size", [CURVES[0], CURVES[3]]), x_kind="linear",
        y_kind="zero")}
    table = {"steps": markdown(["bytes (int8)", "NICs, ns"], [[row["size"], row["offload_ns"]]
                                                              for row in rows if row["type"] == "int8"])}
    return {"steps": rows}, table, figure


def bandwidth(bench):
    """Measure the bus bandwidth of allreduce over 16 nodes: 2(n-1)/n of the vector, divided by the time."""
    sizes = [1 << i for i in range(12, 27)]
    nodes, rows = 16, []
    for result in bench.all([case_of("allreduce", size, nodes) for size in sizes]):
        row = row_of(result)
        for side in ("offload", "host_default", "host_best"):
            row[f"{side}_gbps"] = round(16 * row["size"] * (nodes - 1) / nodes / row[f"{side}_ns"], 3)
        rows.append(row)
    figure = {"bandwidth": svg.lines(
            f"Bus bandwidth of allreduce over {nodes} nodes, Gb/s", "bytes", "Gb/s",
        [(name, [(row["size"], row[key]) for row in rows])
         for name, key in (("NICs", "offload_gbps"), ("host, default", "host_default_gbps"),
                           ("host, best", "host_best_gbps"))], y_kind="zero", x_label=svg.size_label)}
    table = {"bandwidth": markdown(
        ["bytes", "mode", "NICs, Gb/s", "host default, Gb/s", "host best, Gb/s", "best algorithm"],
        [[svg.size_label(row["size"]), row["mode"], f"{row['offload_gbps']:.1f}", f"{row['host_default_gbps']:.1f}",
          f"{row['host_best_gbps']:.1f}", row["host_best_algorithm"]] for row in rows])}
    return {"bandwidth": rows}, table, figure


def counts():
    """Return the node counts of the floor's figure: all to 33, steps of a fifteenth, and those around full leaves."""
    chosen, n = set(range(2, 34)), 34
    while n < 1024:
        chosen.add(n)
        n += max(3, n // 15)
    return sorted(chosen | {16 * k + d for k in (4, 8, 12, 16, 24, 32, 48) for d in (-1, 0, 1)} | {1023, 1024})


def floor(bench):
    """Measure the ratio of the time to the floor over the number of nodes."""
    results = bench.all([case_of("allreduce", 8, n, **{"no-host": True}) for n in counts()])
    rows = [{**row_of(result, ["nodes", "mode", "offload_ns", "floor_ns"]),
             "ratio": round(result["offload_ns"] / result["floor_ns"], 4)} for result in results]
    worst = max(rows, key=lambda row: row["ratio"])
    full = [row for row in rows if row["nodes"] % 16 == 0]
    worst_full = max(full, key=lambda row: row["ratio"])
    figure = {"floor": svg.lines(
            "8-byte allreduce: ratio of time to floor over nodes", "nodes", "NICs / floor",
        [("NICs / floor", [(row["nodes"], row["ratio"]) for row in rows])], y_kind="zero")}
    table = {"floor": markdown(
        ["counts", "number", "worst ratio", "nodes", "NICs, us", "floor, us"],
        [[name, len(group), f"{row['ratio']:.2f}", row["nodes"], us(row["offload_ns"]), us(row["floor_ns"])]
         for name, group, row in (("all measured", rows, worst), ("full leaves (multiples of 16)", full, worst_full))])}
    return {"floor": rows}, table, figure
