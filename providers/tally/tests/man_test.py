#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""man_test.py HEADER MAP PAGES: check the manual pages of a library. Every function of HEADER has a page with its
declaration, every structure is shown with all members, and groff and mandoc report nothing. MAP is the version script
of the library, PAGES has man3/ and man7/ as they are installed. The names of the library begin with that of HEADER."""
import pathlib
import re
import subprocess
import sys

header_path, map_path, pages = map(pathlib.Path, sys.argv[1:])
prefix = header_path.stem
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def squeeze(text):
    """Return C source without comments, preprocessor lines and insignificant white space."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"(?m)^#.*$", " ", text)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([(){},;*]) ?", r"\1", text)


def plain(roff):
    """Return the text of a page without macros, fonts and escapes."""
    lines = []
    for line in roff.split("\n"):
        if line.startswith('.\\"'):
            continue
        macro = re.match(r"\.(BI|BR|B|I) (.*)", line)
        if macro and macro[1] in ("BI", "BR"):  # these macros set their arguments without space
            line = "".join(a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', macro[2]))
        elif macro:
            line = macro[2]
        lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"\\f[BIPR]", "", text)
    text = re.sub(rf"#include <(infiniband/)?{prefix}\.h>", "", text)
    return text.replace("\\(aq", "'").replace("\\-", "-").replace("\\e", "\\")


def follow(path):
    roff = path.read_text()
    link = re.fullmatch(r"\.so (\S+)\n", roff)
    return (pages / link[1]).read_text() if link else roff


header = squeeze(header_path.read_text())
declared = dict()
for match in re.finditer(r"(?<![\w.>])((?:[a-z]\w* )*[a-z]\w*[ *])(PREFIX_\w+)(\([^(){}]*\))[;{]".replace("PREFIX", prefix), header):
    result = match[1].removeprefix("static inline ")
    if result.split()[0] not in ("return", "else"):
        declared[match[2]] = squeeze(f"{result}{match[2]}{match[3]};")
check(len(declared) > 10, f"only {len(declared)} functions found in {header_path.name}")

# ---- Functions ----
for name, declaration in declared.items():
    path = pages / "man3" / f"{name}.3"
    if not path.exists():
        failures.append(f"{name}: no manual page")
        continue
    text = plain(follow(path))
    synopsis = text[text.index(".SH SYNOPSIS"):text.index(".SH DESCRIPTION")]
    synopsis = squeeze(re.sub(r"(?m)^\.(?:PP|nf|fi|SH.*)$", "", synopsis))
    check(declaration in synopsis, f"{name}: SYNOPSIS does not show {declaration}")
    head = text[text.index(".SH NAME"):text.index(".SH SYNOPSIS")]
    check(re.search(rf"\b{name}\b", head), f"{name}: not in NAME")
for path in (pages / "man3").iterdir():
    check(path.stem in declared, f"{path.name}: {header_path.name} declares no such function")

exported = set(re.findall(rf"({prefix}_\w+);", map_path.read_text()))
for name in exported - set(declared):
    failures.append(f"{name}: exported, but not declared in {header_path.name}")

# ---- Structures that programs fill in or read ----
everything = squeeze("\n".join(plain(p.read_text()) for p in sorted(pages.glob("man*/*"))))
for match in re.finditer(rf"struct ({prefix}_\w+)\{{", header):
    if match[1] in ("tallydv_qp", "tallydv_basic"):  # internal part of the inline functions
        continue
    end, depth = match.end(), 1
    while depth:
        depth += {"{": 1, "}": -1}.get(header[end], 0)
        end += 1
    check(header[match.start():end] in everything, f"struct {match[1]}: no page shows it as declared")

# ---- References, groff and mandoc ----
for path in sorted(pages.glob("man*/*")):
    for name, section in re.findall(rf"({prefix}\w*)(?:\\fP)? ?\(([37])\)", follow(path)):
        check((pages / f"man{section}" / f"{name}.{section}").exists(), f"{path.name}: refers to {name}({section})")
    relative = path.relative_to(pages)
    if path.read_text().startswith(".so "):  # a link; its target is checked, and mandoc rejects links
        continue
    for command in (["groff", "-man", "-t", "-ww", "-z"], ["mandoc", "-T", "lint"]):
        run = subprocess.run(command + [relative], cwd=pages, capture_output=True, text=True, check=False)
        said = run.stdout + run.stderr
        check(not run.returncode and not said, f"{path.name}: {command[0]}: {said or run.returncode}")

print("\n".join(failures) or f"{len(declared)} functions are described")
sys.exit(bool(failures))
