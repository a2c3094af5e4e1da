# SPDX-License-Identifier: BSD-2-Clause
"""Many planted bugs in one source, of which a number chooses one when the bench runs.

A bug is what differs between two texts of a module. The smallest part around it that can be chosen at run time is replaced
by a choice between both: a statement, the condition of an `if`, an `assign`, or what is connected to an input of an instance.
These nest, so any number of bugs fits into one source. A statement is repeated as a whole, since an expression in ?: would
have the width and the sign of both. What differs elsewhere (declarations, parameters, generate blocks, sensitivities, outputs)
is in no such part; such a bug is left to be planted alone."""
import dataclasses
import re

PACKAGE = "tally_mutant"
CHOSEN = f"{PACKAGE}::chosen"
FILE = "tally_mutant"   # the bench reads the number of the bug from it, in its folder
TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | `(?:ifdef|ifndef|elsif|else|endif|include|define|undef)[^\n]*
  | "(?:\\.|[^"\\])*"
  | (?:\d[\d_]*)?'[sS]?[bodhBODH][0-9a-fA-FxXzZ_?]+ | '[01xXzZ](?!\w)
  | [A-Za-z_$`\\][\w$]* | \d[\d_]*(?:\.\d+)?
  | <<<=|>>>=|<<=|>>=|===|!==|==\?|!=\?|<<<|>>>|\|->|\|=>|::|&&|\|\||==|!=|<=|>=|<<|>>|\+\+|--|\*\*|~&|~\||~\^
  | [-+*/%&|^]=|\+:|-:|.""", re.VERBOSE | re.DOTALL)
OPEN, CLOSE = set("([{"), set(")]}")
CASES = {"case", "casez", "casex"}
TYPES = {"automatic", "static", "logic", "bit", "int", "integer", "byte", "reg", "localparam", "typedef", "var", "const", "genvar"}
WORD = re.compile(r"[A-Za-z_]\w*$")


class Unknown(Exception):
    """Text that is no list of statements as this parser knows them."""


@dataclasses.dataclass(frozen=True)
class Part:
    """Tokens from start to before end that can be chosen: a statement, cond, assign or port."""
    start: int
    end: int
    kind: str


class Source:
    """A text with its tokens."""

    def __init__(self, text):
        self.text = text
        found = [match for match in TOKEN.finditer(text) if match["skip"] is None]
        self.tokens = [match[0] for match in found]
        self.spans = [match.span() for match in found]

    def between(self, start, end):
        """Return the text of the tokens from start to before end."""
        return self.text[self.spans[start][0]:self.spans[end - 1][1]] if start < end else ""


class Parser:
    """Finds the parts of a list of tokens."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.parts = []

    def _is(self, at, *words):
        return at < len(self.tokens) and self.tokens[at] in words

    def _expect(self, at, word):
        if not self._is(at, word):
            raise Unknown(f"no {word}")
        return at + 1

    def _until(self, at, *ends):
        """Return where the first of these tokens is that is in no brackets."""
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if not depth and token in ends:
                return at
            depth += (token in OPEN) - (token in CLOSE)
            if depth < 0:
                break
            at += 1
        raise Unknown(f"no {ends}")

    def _brackets(self, at):
        """Return what follows the brackets that begin here."""
        self._expect(at, "(")
        return self._until(at + 1, ")") + 1

    def _label(self, at):
        return at + 2 if self._is(at, ":") else at

    def _declares(self, at):
        """Return whether a declaration begins here: a type and a name."""
        if self._is(at, *TYPES):
            return True
        while self._is(at + 1, "::"):
            at += 2
        return at + 1 < len(self.tokens) and all(WORD.match(token) for token in self.tokens[at:at + 2])

    def statement(self, at):
        """Note the parts of the statement that begins here; return what follows it."""
        start = at
        if self._is(at, "unique", "unique0", "priority"):
            at += 1
        if self._is(at, "begin"):
            at = self.statements(self._label(at + 1), "end")
            at = self._label(at + 1)
        elif self._is(at, "if"):
            at = self._if(at)
        elif self._is(at, *CASES):
            at = self._case(at)
        elif self._is(at, "for", "while", "repeat", "foreach"):
            at = self.statement(self._brackets(at + 1))
        elif self._declares(at):
            return self._until(at, ";") + 1
        elif self._is(at, "end", "endcase", "else", "function", "always", "assign", "assert", "do", "return"):
            raise Unknown(self.tokens[at])
        else:
            at = self._until(at, ";") + 1
        self.parts.append(Part(start, at, "statement"))
        return at

    def _if(self, at):
        end = self._brackets(at + 1)
        self.parts.append(Part(at + 2, end - 1, "cond"))
        at = self.statement(end)
        return self.statement(at + 1) if self._is(at, "else") else at

    def _case(self, at):
        at = self._brackets(at + 1)
        if self._is(at, "inside"):
            at += 1
        while not self._is(at, "endcase"):
            if self._is(at, "default") and not self._is(at + 1, ":"):
                at += 1
            else:
                at = self._until(at, ":") + 1
            at = self.statement(at)
        return at + 1

    def statements(self, at, end=None):
        """Note the parts of statements until the token `end`; return where it is."""
        while at < len(self.tokens) and not self._is(at, end):
            at = self.statement(at)
        if end:
            self._expect(at, end)
        return at

    def module(self):
        """Note the parts of a module."""
        at = 0
        while at < len(self.tokens):
            before = len(self.parts)
            try:
                at = self._item(at)
            except Unknown:
                del self.parts[before:]
                at += 1
        return self.parts

    def _item(self, at):
        if self._is(at, "always_comb", "always_latch"):
            return self.statement(at + 1)
        if self._is(at, "always_ff", "always"):
            return self.statement(self._brackets(self._expect(at + 1, "@")))
        if self._is(at, "function"):
            return self.statements(self._until(at, ";") + 1, "endfunction") + 1
        if self._is(at, "assign"):
            end = self._until(at, ";") + 1
            self.parts.append(Part(at, end, "assign"))
            return end
        if self._is(at, ".") and self._is(at + 2, "(") and not self.tokens[at + 1].endswith("_o"):
            end = self._until(at + 3, ")")
            self.parts.append(Part(at + 3, end, "port"))
            return end
        if self._is(at, "#") and self._is(at + 1, "("):
            return self._brackets(at + 1)   # its parameters
        return at + 1


def _whole_statements(tokens):
    """Return whether these tokens are statements, none of which declares something."""
    parser = Parser(tokens)
    try:
        parser.statements(0)
    except Unknown:
        return False
    at = 0
    while at < len(tokens):
        ends = [part.end for part in parser.parts if part.start == at and part.kind == "statement"]
        if not ends:
            return False
        at = max(ends)
    return True


def _expression(tokens):
    """Return whether these tokens are an expression that may be an operand of ?:."""
    try:
        Parser([*tokens, ";"])._until(0, ";", ",")
    except Unknown:
        return False
    return bool(tokens) and "," not in _outside(tokens) and tokens[:2] != ["'", "{"]


def _outside(tokens):
    """Return the tokens that are in no brackets."""
    depth, found = 0, []
    for token in tokens:
        depth -= token in CLOSE
        if not depth:
            found.append(token)
        depth += token in OPEN
    return found


def _assignment(tokens):
    """Return the left side of `assign LEFT = RIGHT;`, or None."""
    outside = _outside(tokens)
    if tokens[:1] != ["assign"] or outside.count("=") != 1 or "," in outside or outside.count(";") != 1 or tokens[-1] != ";":
        return None
    return tokens[1:tokens.index("=")]


def _fits(kind, old, new):
    """Return whether the new tokens may be chosen instead of the old ones."""
    if kind == "statement":
        return _whole_statements(new)
    if kind == "assign":
        return _assignment(old) is not None and _assignment(old) == _assignment(new)
    return _expression(old) and _expression(new)


def _difference(old, new):
    """Return how many tokens are the same at the begin and at the end."""
    most = min(len(old), len(new))
    begin = next((index for index in range(most) if old[index] != new[index]), most)
    end = next((index for index in range(most - begin) if old[-1 - index] != new[-1 - index]), most - begin)
    return begin, end


@dataclasses.dataclass
class Site:
    """A part of the source, and what bugs have instead: (number, tokens' text)."""
    part: Part
    bugs: list


class Schemata:
    """The bugs of a module that can be chosen at run time."""

    def __init__(self, text):
        self.source = Source(text)
        self.parts = sorted(Parser(self.source.tokens).module(), key=lambda part: part.end - part.start)
        self.chosen = {}    # number of a bug -> [(part, text)]

    def add(self, number, planted, changes):
        """Add a bug with this number: its text, and a text for each of its changes. Return whether it can be chosen."""
        tokens = Source(planted).tokens
        for texts in (changes, [planted]):
            found = [self._site(text) for text in texts]
            if None not in found and self._with(found) == tokens:
                self.chosen[number] = found
                return True
        return False

    def _with(self, found):
        """Return the tokens of the source with these (part, text) in it; None if parts overlap."""
        tokens, at = [], 0
        for part, text in sorted(found, key=lambda entry: entry[0].start):
            if part.start < at:
                return None
            tokens += self.source.tokens[at:part.start] + Source(text).tokens
            at = part.end
        return tokens + self.source.tokens[at:]

    def _site(self, text):
        """Return (part, text) of the smallest part in which the text differs, or None."""
        new = Source(text)
        begin, end = _difference(self.source.tokens, new.tokens)
        last = len(self.source.tokens) - end
        grows = len(new.tokens) - len(self.source.tokens)
        for part in self.parts:
            if part.start <= begin and last <= part.end and part.end + grows >= part.start:
                old = self.source.tokens[part.start:part.end]
                if _fits(part.kind, old, new.tokens[part.start:part.end + grows]):
                    return part, new.between(part.start, part.end + grows)
        return None

    def _sites(self, numbers):
        """Return the sites of these bugs, an outer one before those in it."""
        sites = {}
        for number in numbers:
            for part, text in self.chosen[number]:
                sites.setdefault(part, Site(part, [])).bugs.append((number, text))
        return sorted(sites.values(), key=lambda site: (site.part.start, -site.part.end))

    def made(self, numbers):
        """Return the source with these bugs, and for each of its lines the numbers of the bugs there."""
        writer = _Writer(self.source, self._sites(numbers))
        return writer.made()


class _Writer:
    """Writes the source with choices, and notes which lines are of which bugs."""

    def __init__(self, source, sites):
        self.source = source
        self.sites = sites
        self.out = []
        self.line = 1
        self.lines = {}

    def _put(self, text, numbers=()):
        self.out.append(text)
        end = self.line + text.count("\n")
        for line in range(self.line, end + 1):
            self.lines.setdefault(line, set()).update(numbers)
        self.line = end

    def made(self):
        """Return the text and the bugs of its lines. The first source that is read has the package before it."""
        self._put(f"`ifndef TALLY_MUTANT\n`define TALLY_MUTANT\npackage {PACKAGE};\n  int chosen = 0;\nendpackage\n`endif\n")
        tokens = self.source.tokens
        last = len(tokens) - 1 - tokens[::-1].index("endmodule")
        self._put(self.source.text[:self.source.spans[0][0]])
        self._tokens(0, last)
        self._put(f'\ninitial begin\n  int file;\n  file = $fopen("{FILE}", "r");\n'
                  f'  if (file == 0 || $fscanf(file, "%d", {CHOSEN}) != 1) $stop;\n  $fclose(file);\nend\n')
        self._put(self.source.text[self.source.spans[last][0]:])
        return "".join(self.out), self.lines

    def _tokens(self, start, end):
        """Write these tokens with the sites in them, and the text that follows the last one."""
        while self.sites and self.sites[0].part.start < end:
            site = self.sites.pop(0)
            if start < site.part.start:
                self._put(self.source.text[self.source.spans[start][0]:self.source.spans[site.part.start][0]])
            self._site(site)
            start = site.part.end
            self._put("\n")
        if start < end:
            following = self.source.spans[end][0] if end < len(self.source.spans) else len(self.source.text)
            self._put(self.source.text[self.source.spans[start][0]:following])

    def _site(self, site):
        """Write a choice, each bug on lines of its own."""
        numbers = {number for number, _ in site.bugs}
        before, between, last, after = _SHAPES[site.part.kind]
        self._put("\n" + before, numbers)
        for number, text in site.bugs:
            self._put("\n", numbers)
            self._put(between[0].format(f"{CHOSEN} == {number}") + _inner(site.part.kind, text) + "\n" + between[1], {number})
        self._put("\n" + last, numbers)
        start = site.part.start + (site.part.kind == "assign")
        self._put("\n")
        self._tokens(start, site.part.end)
        self._put("\n")
        self._put(after, numbers)


# what a choice begins with, what is around each bug, what is before the source's own text, and what the choice ends with
_SHAPES = {
    "statement": ("begin", ("if ({}) begin\n", "end else"), "begin", "end end"),
    "assign": ("always_comb begin", ("if ({}) begin\n", "end else"), "begin", "end end"),
    "cond": ("(", ("{} ? !!(", ") :"), "!!(", "))"),
    "port": ("(", ("{} ? (", ") :"), "(", "))"),
}


def _inner(kind, text):
    return text[len("assign"):] if kind == "assign" else text
