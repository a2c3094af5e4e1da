# SPDX-License-Identifier: BSD-2-Clause
"""plants the bugs of mutants/BLOCK.txt into a copy, and reports which bench or proof catches them

A bench is built once for nearly all bugs of a block, and each run of it chooses one (schemata.py). What seed 1 does not catch
is run with the further seeds of tools/rtl bench, if a run is quick. --one-by-one builds the bench anew for each bug.

A bug in that file is a line `= NAME`, followed by equal numbers of lines `- TEXT` and `+ TEXT`, or by `- TEXT` alone if
the bug removes it. TEXT occurs once in the block's source, where a blank of it may be any blanks and line ends. Text
before the first bug is a comment. Fails if fewer than 95% are caught, if verilator's lint refuses a bug, which could then never get into the
source, or if a block fails without any bug.

--survivors runs those that the record says are not caught in the NIC of tallysim, which has all of them, and reports which
campaign of random collectives catches them (survivors.py).

With --record the result of each bug is written to rtl/mutants.json, and a bug whose result for the present sources is
there already is not run again. --report shows what is there, and what of it is of earlier sources; both write the table
in docs/rtl.md."""
import concurrent.futures
import contextlib
import itertools
import os
import re
import sys
import tempfile

import blocks
import scores
import survivors
import together
from workspace import REFUSED, Workspace

GOAL = 0.95


def options(parser):
    parser.add_argument("--only", metavar="NAME", action="append", help="only this bug; may be given several times")
    parser.add_argument("--benches", action="store_true", help="without the proofs, which may take long")
    parser.add_argument("--one-by-one", action="store_true", help="build the benches anew for each bug")
    parser.add_argument("--lint", action="store_true", help="only look whether verilator's lint takes each bug")
    parser.add_argument("--fits", action="store_true", help="only look whether each bug fits its source")
    parser.add_argument("--record", action="store_true", help="only bugs whose result is not known, and record it")
    parser.add_argument("--survivors", action="store_true", help="only bugs that are recorded as not caught, by campaigns")
    parser.add_argument("--report", action="store_true", help="only show what has been recorded")
    parser.add_argument("--check", action="store_true", help="only look whether the table of docs/rtl.md is that of the record")


def _read(path):
    """Return (name, [(old, new)]) for each bug of a file."""
    bugs = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("= "):
                bugs.append((line[2:], [], []))
            elif bugs and line.startswith("- "):
                bugs[-1][1].append(line[2:])
            elif bugs and line.startswith("+ "):
                bugs[-1][2].append(line[2:])
    return [(name, list(zip(old, new or [""] * len(old), strict=True))) for name, old, new in bugs]


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _planted(path, name, changes):
    """Return the source with the bug."""
    text = _text(path)
    for old, new in changes:
        parts = re.split(r"\s+".join(map(re.escape, old.split())), text)
        if len(parts) != 2:
            raise blocks.Error(f"{os.path.basename(path)}: {name}: '{old}' occurs {len(parts) - 1} times")
        text = new.join(parts)
    return text


def _bugs(block):
    """Return the bugs planted in a block."""
    path = block.file("mutants", f"{block.name}.txt")
    return _read(path) if os.path.exists(path) else []


def run(chosen, arguments):
    path = os.path.join(blocks.CHECKOUT, scores.RECORD)
    with scores.alone(path) if arguments.record else contextlib.nullcontext():
        return _run(chosen, arguments, scores.Record(path))


def _run(chosen, arguments, record):
    if arguments.report or arguments.check:
        return _report(chosen, record, arguments)
    work = [(block, name, changes) for block in chosen for name, changes in _bugs(block)
            if not arguments.only or name in arguments.only]
    unknown = set(arguments.only or ()) - {name for _, name, _ in work}
    if unknown:
        raise blocks.Error(f"{'; '.join(sorted(unknown))}: no such bug in these blocks")
    for block, name, changes in work:
        _planted(block.source, name, changes)
    if arguments.fits:
        return 0
    now = {block.name: scores.sources(block) for block in chosen}   # before a copy is made, since they may change then
    if arguments.record and not arguments.survivors:
        for block in chosen:
            record.keep(block.name, [scores.bug(*entry) for entry in _bugs(block)])
        work = [entry for entry in work if not record.has(entry[0].name, scores.bug(*entry[1:]), now[entry[0].name])]
    if arguments.survivors:
        work = [entry for entry in work if record.survives(entry[0].name, scores.bug(*entry[1:]), now[entry[0].name])]
    with tempfile.TemporaryDirectory(prefix="tally-mutants-") as folder:
        workspaces = [Workspace(os.path.join(folder, str(index)))
                      for index in range(max(1, min(arguments.jobs, len(work))))]
        if arguments.lint:
            return _lint_all(work, workspaces)
        done = (_run_survivors if arguments.survivors else _run_all)(
            work, workspaces, arguments, lambda block, name, changes, how: arguments.record and
            record.put(block.name, scores.bug(name, changes), now[block.name], how))
    if arguments.record:
        scores.update(blocks.load(arguments.build, []), record, False)
    return done


def _report(chosen, record, arguments):
    if arguments.report:
        print("\n".join(scores.report(chosen, _bugs, record)))
    if scores.update(blocks.load(arguments.build, []), record, arguments.check):
        print(f"rtl: {scores.DOCUMENT} differs from {scores.RECORD}: run tools/rtl mutants --report", file=sys.stderr)
        return 1
    return 0


def _inside(workspaces, method, *what):
    """Call the method in a workspace that nobody uses."""
    workspace = workspaces.pop()
    try:
        return method(workspace, *what)
    finally:
        workspaces.append(workspace)


def _lint_all(work, workspaces):
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        found = pool.map(lambda entry: _caught_by(workspaces, entry, []), work)
        for (block, name, _), by in zip(work, found):
            if by == REFUSED:
                print(f"{block.name}: {name}: REFUSED by verilator", flush=True)
                refused += 1
    print(f"{refused} of {len(work)} planted bugs refused")
    return 1 if refused else 0


def _caught_by(workspaces, entry, ways):
    block, name, changes = entry
    return _inside(workspaces, Workspace.caught_by, block, _planted(block.source, name, changes), ways)


def _together(entries, workspace, pool, alone):
    """Yield (entry, what catches it) for the bugs that one build can have; append the others to `alone`."""
    block = entries[0][0]
    bugs = {number: (_planted(block.source, *entry[1:]), _apart(*entry)) for number, entry in enumerate(entries, 1)}
    many = together.Together(workspace, block, _text(block.source), bugs)
    for number, by in many.run(pool):
        yield entries[number - 1], by
    yield from ((entries[number - 1], None) for number in many.missed)
    alone += [entries[number - 1] for number in sorted(many.alone)]


def _one_by_one(entries, workspaces, pool):
    """Yield (entry, what catches it) for bugs that are planted one by one."""
    if entries:
        ways = _inside(workspaces, Workspace.ways, entries[0][0])
        yield from zip(entries, pool.map(lambda entry: _caught_by(workspaces, entry, ways), entries))


def _apart(block, name, changes):
    """Return the source with each change of a bug alone, or nothing if one needs another one."""
    try:
        return [_planted(block.source, name, [change]) for change in changes]
    except blocks.Error:
        return []


def _by_benches(entries, workspaces, pool, one_by_one):
    """Yield (entry, what catches it) for the bugs of a block: those that one build can have, and then the others."""
    alone = list(entries) if one_by_one else []
    if not one_by_one:
        yield from _together(entries, workspaces[0], pool, alone)
    yield from _one_by_one(alone, workspaces, pool)


def _run_block(entries, workspaces, pool, arguments):
    """Yield (entry, what catches it) for each bug of a block. The proof is only for those that no bench catches."""
    block, missed = entries[0][0], []
    for entry, by in _by_benches(entries, workspaces, pool, arguments.one_by_one):
        if by or arguments.benches or not block.prove:
            yield entry, by
        else:
            missed.append(entry)
    if missed:
        ways = _inside(workspaces, Workspace.proves, block)
        yield from zip(missed, pool.map(lambda entry: _caught_by(workspaces, entry, ways), missed))


def _run_all(work, workspaces, arguments, tell):
    caught = refused = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        for _, entries in itertools.groupby(work, lambda entry: entry[0].name):
            try:
                for (block, name, changes), by in _run_block(list(entries), workspaces, pool, arguments):
                    caught += by not in (None, REFUSED)
                    refused += by == REFUSED
                    missed = f"REFUSED by {REFUSED}" if by == REFUSED else "" if by else "NOT CAUGHT"
                    print(f"{block.name}: {name}: {missed or f'caught by {by}'}", flush=True)
                    tell(block, name, changes, f"{missed.lower()}: {name}" if missed else "")
            except blocks.Error as error:
                print(f"rtl: {error}", file=sys.stderr, flush=True)
    print(f"{caught} of {len(work)} planted bugs caught, {refused} refused")
    return 0 if not refused and caught >= GOAL * len(work) else 1


def _run_survivors(work, workspaces, arguments, tell):
    """Run these bugs in the NIC of tallysim, where some survive, too. Error if it fails without any."""
    inside = set(blocks.load(arguments.build, [survivors.NIC])[0].files)
    bugs, caught = [], 0
    for _, entries in itertools.groupby(enumerate(work), lambda entry: entry[1][0].name):
        entries = [(number + 1, *entry) for number, entry in entries]
        block = entries[0][1]
        if block.source in inside:
            bugs.append((block, _text(block.source), {number: (_planted(block.source, *entry), _apart(block, *entry))
                                                      for number, block, *entry in entries}))
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(workspaces)) as pool:
        for number, by in survivors.run(workspaces[0], pool, bugs):
            block, name, changes = work[number - 1]
            caught += by is not None
            print(f"{block.name}: {name}: {f'caught by {by}' if by else 'NOT CAUGHT'}", flush=True)
            tell(block, name, changes, f"{scores.CAMPAIGN if by else 'not caught'}: {name}")
    print(f"{caught} of {len(work)} survivors caught")
    return 0
