# SPDX-License-Identifier: BSD-2-Clause
"""Writes rows as CSV files and Markdown tables, and inserts the tables into a document."""
import csv
import io
import re


def csv_text(rows):
    """Return rows, which are dictionaries with the same keys, as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def us(ns):
    return f"{ns / 1000:.2f}"


def with_unpushed(head, cells, rows, after):
    """
    Return head and cells of a table with an additional column after that of the NICs: their time if the request is
    fetched instead of pushed. Return the table unchanged if no row has that time.
    """
    if all(row["unpushed_ns"] is None for row in rows):
        return head, cells
    times = ["-" if row["unpushed_ns"] is None else us(row["unpushed_ns"]) for row in rows]
    return ([*head[:after], "without push, us", *head[after:]],
            [[*line[:after], time, *line[after:]] for line, time in zip(cells, times)])


def ratio(part, whole):
    return f"{part / whole:.2f}"


def splice(document, name, content, path):
    """Return the document with the content between the markers of that name, which must exist."""
    pattern = re.compile(rf"(<!-- bench:{re.escape(name)} -->\n).*?(<!-- /bench:{re.escape(name)} -->)", re.DOTALL)
    changed, found = pattern.subn(lambda match: match[1] + content.rstrip("\n") + "\n" + match[2], document)
    if found != 1:
        raise SystemExit(f"bench: {path}: {found} pairs of markers bench:{name}, not one")
    return changed
