#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""archive.py pack FOLDER ARCHIVE | unpack ARCHIVE FOLDER: the seeds of a fuzzer as one text file.

An archive has one line for each file of the folder, sorted by name: the name, a space, and the bytes. Bytes
other than printable ASCII, and backslashes, are written as escapes of Python's string literals."""
import os
import sys


def pack(folder, archive):
    with open(archive, "w", encoding="ascii") as out:
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as seed:
                text = seed.read().decode("latin-1").encode("unicode_escape").decode("ascii")
            out.write(f"{name} {text}\n")


def unpack(archive, folder):
    os.makedirs(folder, exist_ok=True)
    with open(archive, encoding="ascii") as lines:
        for line in lines:
            name, text = line.rstrip("\n").split(" ", 1)
            with open(os.path.join(folder, name), "wb") as seed:
                seed.write(text.encode("ascii").decode("unicode_escape").encode("latin-1"))


def main(argv):
    acts = {"pack": pack, "unpack": unpack}
    if len(argv) != 3 or argv[0] not in acts:
        print(__doc__, file=sys.stderr)
        return 2
    acts[argv[0]](argv[1], argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
