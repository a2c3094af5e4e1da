#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Calls every collective of mpi4py: of buffers and of pickled objects, blocking, without blocking and persistent (if mpi4py
has it), on five communicators, and compares each result with one that is computed without MPI.

Rank 0 prints a line for each communicator and function: how many results were compared, and a checksum of those of all
ranks, which do not depend on who performed the collectives. The exit status is 1 if any result is wrong."""
import collections
import sys
import zlib

import numpy
from mpi4py import MPI

LENGTHS = (7, 1000)
LONG = 20000    # one call of each, whose data do not fit into a packet
TYPES = ("i", "d", "F")
REDUCTIONS = {"SUM": numpy.add, "PROD": numpy.multiply, "MAX": numpy.maximum, "MIN": numpy.minimum,
              "BAND": numpy.bitwise_and, "BOR": numpy.bitwise_or, "BXOR": numpy.bitwise_xor,
              "LAND": numpy.logical_and, "LOR": numpy.logical_or, "LXOR": numpy.logical_xor}
FORMS = ("{}", "I{}", "{}_init")

compared = collections.Counter()    # (communicator, function) -> results
checksums = collections.Counter()
wrong = []


def data(rank, length, kind):
    """Return what a rank contributes: small whole numbers, so that sums and products are exact in every type."""
    return ((numpy.arange(length) * 7 + rank * 3) % 4 + 1).astype(kind)


def reduced(op, contributions):
    result = contributions[0]
    for other in contributions[1:]:
        result = REDUCTIONS[op](result, other).astype(result.dtype)
    return result


def compare(comm, function, got, expected):
    key = (comm.name, function)
    compared[key] += 1
    if isinstance(expected, numpy.ndarray):
        same, text = numpy.array_equal(got, expected), got.tobytes()
    else:
        same, text = got == expected, repr(got).encode()
    checksums[key] = zlib.crc32(text, checksums[key])
    if not same:
        wrong.append(f"{comm.name} {function}, rank {comm.rank} of {comm.size}: {got!r:.200} instead of {expected!r:.200}")


def each_form(comm, name, out, arguments, expected):
    """Call the forms of a collective of buffers. It writes to the array `out`, where a rank without result has None as
    `expected`."""
    clean = None if out is None else out.copy()
    for form in FORMS:
        small = name[0].lower() + name[1:] if form == "I{}" else name
        function = getattr(comm, form.format(small), None)
        if not function:
            continue
        if out is not None:
            out[:] = clean
        request = function(*arguments)
        for _round in range(2 if form == "{}_init" else 1):
            if form == "{}_init":
                request.Start()
            if request:
                request.Wait()
        compare(comm, form.format(small), out if expected is not None else 0, expected if expected is not None else 0)


def empty(length, kind):
    return numpy.full(length, 99, kind)


def roots(comm, every):
    """All ranks, or only the last one."""
    return range(comm.size) if every else [comm.size - 1]


def bcast_and_blocks(comm, length, kind):
    """The collectives that move data."""
    rank, size = comm.rank, comm.size
    whole = numpy.concatenate([data(r, length, kind) for r in range(size)])
    mine = data(rank, length, kind)
    for root in roots(comm, length == 7 and kind == "i"):
        at_root = rank == root
        out = mine.copy() if at_root else empty(length, kind)
        each_form(comm, "Bcast", out, (out, root), data(root, length, kind))
        out = empty(length * size, kind) if at_root else None
        each_form(comm, "Gather", out, (mine, out, root), whole if at_root else None)
        out = empty(length, kind)
        each_form(comm, "Scatter", out, (whole if at_root else None, out, root), mine)
    out = empty(length * size, kind)
    each_form(comm, "Allgather", out, (mine, out), whole)
    blocks = [data(rank * size + r, length, kind) for r in range(size)]
    exchanged = numpy.concatenate([data(r * size + rank, length, kind) for r in range(size)])
    out = empty(length * size, kind)
    each_form(comm, "Alltoall", out, (numpy.concatenate(blocks), out), exchanged)


def in_place(comm, length, kind):
    """The same buffer for input and result."""
    rank, size = comm.rank, comm.size
    whole = numpy.concatenate([data(r, length, kind) for r in range(size)])
    out = empty(length * size, kind)
    out[rank * length:(rank + 1) * length] = data(rank, length, kind)
    each_form(comm, "Allgather", out, (MPI.IN_PLACE, out), whole)
    out = data(rank, length, kind)
    each_form(comm, "Allreduce", out, (MPI.IN_PLACE, out, MPI.SUM),
              reduced("SUM", [data(r, length, kind) for r in range(size)]))


def blocks_of_counts(comm, kind):
    """The collectives with a count for each rank."""
    rank, size = comm.rank, comm.size
    counts = [r + 2 for r in range(size)]
    places = [sum(counts[:r]) for r in range(size)]
    mine = data(rank, counts[rank], kind)
    whole = numpy.concatenate([data(r, counts[r], kind) for r in range(size)])
    mpi_type = MPI._typedict[kind]
    for root in roots(comm, False):
        at_root = rank == root
        out = empty(len(whole), kind) if at_root else None
        each_form(comm, "Gatherv", out, (mine, [out, counts, places, mpi_type] if at_root else None, root),
                  whole if at_root else None)
        out = empty(counts[rank], kind)
        each_form(comm, "Scatterv", out, ([whole, counts, places, mpi_type] if at_root else None, out, root), mine)
    out = empty(len(whole), kind)
    each_form(comm, "Allgatherv", out, (mine, [out, counts, places, mpi_type]), whole)
    # Rank r gives each other rank a part of r + 2 elements.
    parts = numpy.concatenate([data(rank + r, counts[rank], kind) for r in range(size)])
    got = numpy.concatenate([data(r + rank, counts[r], kind) for r in range(size)])
    sent, sent_places = [counts[rank]] * size, [counts[rank] * r for r in range(size)]
    out = empty(len(got), kind)
    each_form(comm, "Alltoallv", out, ([parts, sent, sent_places, mpi_type], [out, counts, places, mpi_type]), got)
    bytes_of = numpy.dtype(kind).itemsize
    types = [mpi_type] * size
    out = empty(len(got), kind)
    each_form(comm, "Alltoallw", out, ([parts, sent, [place * bytes_of for place in sent_places], types],
                                       [out, counts, [place * bytes_of for place in places], types]), got)


def reductions(comm, op, length, kind):
    rank, size = comm.rank, comm.size
    mpi_op = getattr(MPI, op)
    mine = data(rank, length, kind)
    result = reduced(op, [data(r, length, kind) for r in range(size)])
    out = empty(length, kind)
    each_form(comm, "Allreduce", out, (mine, out, mpi_op), result)
    for root in roots(comm, op == "SUM" and length == 7 and kind == "i"):
        out = empty(length, kind) if rank == root else None
        each_form(comm, "Reduce", out, (mine, out, mpi_op, root), result if rank == root else None)
    out = empty(length, kind)
    each_form(comm, "Scan", out, (mine, out, mpi_op), reduced(op, [data(r, length, kind) for r in range(rank + 1)]))
    out = empty(length, kind)
    each_form(comm, "Exscan", out, (mine, out, mpi_op),
              reduced(op, [data(r, length, kind) for r in range(rank)]) if rank else None)
    whole = numpy.concatenate([mine] * size)
    out = empty(length, kind)
    each_form(comm, "Reduce_scatter_block", out, (whole, out, mpi_op), result)
    each_form(comm, "Reduce_scatter", out, (whole, out, [length] * size, mpi_op), result)
    counts = [r + 1 for r in range(size)]
    parts = [data(r, sum(counts), kind) for r in range(size)]
    place = sum(counts[:rank])
    out = empty(counts[rank], kind)
    each_form(comm, "Reduce_scatter", out, (parts[rank], out, counts, mpi_op),
              reduced(op, parts)[place:place + counts[rank]])


def own_operation(comm):
    """A reduction with an operation of this program, which no NIC has."""
    def absolute_sum(given, kept, _type):
        array = numpy.frombuffer(kept, "i")
        array += numpy.abs(numpy.frombuffer(given, "i"))
    op = MPI.Op.Create(absolute_sum, commute=True)
    out = empty(5, "i")
    each_form(comm, "Allreduce", out, (data(comm.rank, 5, "i"), out, op),
              reduced("SUM", [data(r, 5, "i") for r in range(comm.size)]))
    op.Free()


def pickled(comm):
    """The collectives of Python's objects, which mpi4py makes of those with a count for each rank."""
    rank, size = comm.rank, comm.size

    def thing(r):
        return {"rank": r, "text": "x" * (r * 10), "list": [r, None, 2.5]}
    things = [thing(r) for r in range(size)]
    for root in roots(comm, True):
        compare(comm, "bcast", comm.bcast(thing(rank) if rank == root else None, root), thing(root))
        compare(comm, "gather", comm.gather(thing(rank), root), things if rank == root else None)
        compare(comm, "scatter", comm.scatter(things if rank == root else None, root), thing(rank))
        compare(comm, "reduce", comm.reduce(rank + 1, MPI.SUM, root), size * (size + 1) // 2 if rank == root else None)
    compare(comm, "allgather", comm.allgather(thing(rank)), things)
    compare(comm, "alltoall", comm.alltoall([thing(rank + r) for r in range(size)]), [thing(r + rank) for r in range(size)])
    compare(comm, "allreduce", comm.allreduce([rank], MPI.SUM), list(range(size)))
    compare(comm, "allreduce", comm.allreduce((rank % 2, rank), MPI.MAXLOC), (1 if size > 1 else 0, 1 if size > 1 else 0))
    compare(comm, "scan", comm.scan(rank, MPI.SUM), rank * (rank + 1) // 2)
    compare(comm, "exscan", comm.exscan(rank, MPI.SUM), (rank * (rank - 1) // 2) if rank else None)
    comm.barrier()
    compare(comm, "barrier", 0, 0)


def barriers(comm):
    each_form(comm, "Barrier", None, (), None)


def all_collectives(comm):
    barriers(comm)
    for length in LENGTHS:
        for kind in TYPES if length == 7 else ("i",):
            bcast_and_blocks(comm, length, kind)
        in_place(comm, length, "i")
    bcast_and_blocks(comm, LONG, "d")
    blocks_of_counts(comm, "d")
    for op in REDUCTIONS:
        for kind in ("i", "d") if op in ("SUM", "MAX") else ("i",):
            reductions(comm, op, 7, kind)
    reductions(comm, "SUM", 1000, "f")
    reductions(comm, "SUM", 7, "F")
    reductions(comm, "SUM", LONG, "d")
    own_operation(comm)
    pickled(comm)


def communicators():
    world = MPI.COMM_WORLD
    made = {"self": MPI.COMM_SELF, "dup": world.Dup(), "reversed": world.Split(0, -world.rank),
            "split": world.Split(world.rank % 2, world.rank)}
    for name, comm in made.items():
        comm.name = name
    world.name = "world"
    return [world, *made.values()]


def report():
    """Collect what the ranks found, without collectives. Return the exit status."""
    world = MPI.COMM_WORLD
    if world.rank:
        world.send((compared, checksums, wrong), 0)
        return 1 if wrong else 0
    for rank in range(1, world.size):
        counts, sums, complaints = world.recv(source=rank)
        compared.update(counts)
        wrong.extend(complaints)
        for key, value in sums.items():
            checksums[key] = zlib.crc32(value.to_bytes(4, "little"), checksums[key])
    for key in sorted(compared):
        print("result", *key, compared[key], f"{checksums[key]:08x}")
    for complaint in wrong[:20]:
        print("wrong:", complaint)
    print(f"{sum(compared.values())} results compared, {len(wrong)} wrong")
    return 1 if wrong else 0


def main():
    for comm in communicators():
        all_collectives(comm)
        if MPI.COMM_WORLD.rank == 0:
            print(f"{comm.name} done", file=sys.stderr, flush=True)
    status = report()
    MPI.Finalize()
    return status


if __name__ == "__main__":
    sys.exit(main())
