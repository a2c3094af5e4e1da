# SPDX-License-Identifier: BSD-2-Clause
"""The record of planted bugs: rtl/mutants.json has a line for each block, and docs/rtl.md a table of it.

A line has a hash of each bug that was run, and with it a hash of the sources with which it was run: those of the block, of
what it uses, and of its benches, without comments. A bug that was not caught has its name there, too. The C model and
generated packages are in no hash: they change with every constant, and few constants concern a block. A bug that only a
campaign with the whole NIC has caught says so."""
import contextlib
import fcntl
import hashlib
import json
import os
import re

import blocks

RECORD = "rtl/mutants.json"
DOCUMENT = "docs/rtl.md"
CAMPAIGN = "by campaign"    # how a bug was caught that neither bench nor proof of its block catches
INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def bug(name, changes):
    """Return the name of a bug in the record: its hash."""
    return _hash(repr((name, changes)))


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _with_helpers(path, found):
    """Add a file of a bench and those of its folder that it includes, and their sources, to the dictionary of texts."""
    if path in found or not os.path.isfile(path):
        return
    found[path] = _text(path)
    for name in INCLUDE.findall(found[path]):
        stem = os.path.splitext(os.path.join(os.path.dirname(path), name))[0]
        for end in (".h", ".c", ".cpp"):
            _with_helpers(stem + end, found)


def sources(block):
    """Return the hash of everything in rtl/ that decides whether a bug of the block is caught."""
    found = {}
    for path in {*block.files, *block.bench}:
        _with_helpers(path, found)
    rtl = os.path.join(blocks.CHECKOUT, "rtl", "")
    texts = [blocks.bare(text) for path, text in sorted(found.items()) if path.startswith(rtl)]
    return _hash("\n".join([*texts, *block.parameters]))


@contextlib.contextmanager
def alone(path):
    """Keep others from the record meanwhile, as each writes all of what it has read. Error if one has it."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY)    # the file is replaced when it is written
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise blocks.Error(f"{RECORD}: another run of tools/rtl mutants --record writes it") from None
    finally:
        os.close(folder)


class Record:
    """For each block, the bugs that were run: hash of the bug -> (hash of the sources, how it was not caught, or "")."""

    def __init__(self, path):
        self.path = path
        self.of = {}
        if os.path.exists(path):
            self.of = {block: {name: tuple(said.partition(" ")[::2]) for name, said in bugs.items()}
                       for block, bugs in json.loads(_text(path)).items()}

    def _write(self):
        lines = []
        for block, bugs in sorted(self.of.items()):
            said = {name: " ".join(filter(None, entry)) for name, entry in sorted(bugs.items())}
            lines.append(f"{json.dumps(block)}: {json.dumps(said)}")
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
        os.replace(self.path + ".new", self.path)

    def keep(self, block, bugs):
        """Forget bugs of the block that are not among these any more."""
        if block in self.of:
            self.of[block] = {name: entry for name, entry in self.of[block].items() if name in bugs}
            self._write()

    def has(self, block, name, of_sources):
        return self.of.get(block, {}).get(name, ("",))[0] == of_sources

    def survives(self, block, name, of_sources):
        """Return whether the bug was run with these sources, and neither bench nor proof has caught it."""
        of_sources_then, said = self.of.get(block, {}).get(name, ("", ""))
        return of_sources_then == of_sources and said.startswith("not caught")

    def put(self, block, name, of_sources, missed):
        """Write at once what became of a bug, so that a run that is stopped loses nothing."""
        self.of.setdefault(block, {})[name] = of_sources, missed
        self._write()


def _missed(said):
    return said and not said.startswith(CAMPAIGN)


def report(chosen, planted, record):
    """Return lines about the bugs planted in these blocks: how many are caught, with earlier sources, and not run."""
    lines = []
    for block in chosen:
        bugs = [bug(*entry) for entry in planted(block)]
        ran = [record.of[block.name][name] for name in bugs if name in record.of.get(block.name, {})]
        now = sources(block) if ran else ""
        stale = sum(of_sources != now for of_sources, _ in ran)
        said = [f"{sum(not _missed(how) for _, how in ran)} of {len(bugs)} caught"]
        said += [f"{stale} run with earlier sources"] if stale else []
        said += [f"{len(bugs) - len(ran)} never run"] if len(ran) < len(bugs) else []
        if bugs:
            lines += [f"{block.name}: {', '.join(said)}", *(f"  {missed}" for _, missed in ran if missed)]
    return lines


def _row(name, entries):
    by_block = sum(not how for _, how in entries)
    by_campaigns = sum(how.startswith(CAMPAIGN) for _, how in entries)
    score = 100 * (by_block + by_campaigns) / max(1, len(entries))
    return f"| {name} | {len(entries)} | {by_block} | {by_campaigns} | {score:.1f}% |\n" if entries else ""


def table(known, record):
    """Return the table of the document: all that the record says, by folder, and what was not caught."""
    folders, missed = {}, ""
    for block in known:
        entries = record.of.get(block.name, {}).values()
        folders.setdefault(os.path.basename(block.folder), []).extend(entries)
        names = "; ".join(sorted(said.partition(": ")[2] for _, said in entries if _missed(said)))
        missed += f"| `tally_{block.name}` | {len(entries)} | {names} |\n" if names else ""
    rows = "".join(_row(f"`{name}`", entries) for name, entries in folders.items())
    rows += _row("all", sum(folders.values(), []))
    text = f"| folder | bugs that were run | caught by bench or proof | by campaigns | score |\n|---|---:|---:|---:|---:|\n{rows}"
    return text + (f"\n| block | bugs that were run | not caught |\n|---|---:|---|\n{missed}" if missed else "")


def document(text, made):
    """Return the document with the table between its markers."""
    text, count = re.subn(r"(<!-- tools/rtl mutants: begin -->\n).*(<!-- tools/rtl mutants: end -->)",
                          lambda match: match[1] + made + match[2], text, flags=re.DOTALL)
    if count != 1:
        raise blocks.Error(f"{DOCUMENT}: {count} places for the table of planted bugs, not one")
    return text


def update(known, record, check):
    """Write the table of the document, or with `check` return whether it differs from the record."""
    path = os.path.join(blocks.CHECKOUT, DOCUMENT)
    old = _text(path)
    new = document(old, table(known, record))
    if new != old and not check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    return new != old and check
