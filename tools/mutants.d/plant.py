# SPDX-License-Identifier: BSD-2-Clause
"""Plants all bugs of a source file at once, each behind a switch (mutants.h)."""
import dataclasses

from clang import cindex
from clang.cindex import CursorKind as Kind

BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ASSIGNMENTS = ("=", "+=", "-=", "|=", "&=", "^=", "<<=", ">>=")


@dataclasses.dataclass
class Mutant:
    number: int
    file: str
    line: int
    bug: str


class Planter:
    """The bugs of one file. Numbers begin at @first."""

    def __init__(self, path, name, arguments, first):
        self.name, self.mutants, self.first = name, [], first
        with open(path, "rb") as file:
            self.text = file.read()
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = cindex.Index.create().parse(path, args=arguments, options=options)
        fatal = [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if fatal:
            raise SystemExit(f"mutants: {name}: {fatal[0].spelling}")
        self.path, self.edits = path, []   # edits: (offset, order, removed bytes, text)
        self.macros = [self._span(c) for c in self.unit.cursor.get_children()
                       if c.kind == Kind.MACRO_INSTANTIATION and self._is_here(c)]

    def _is_here(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == self.path

    @staticmethod
    def _span(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def _source(self, span):
        return b" ".join(self.text[span[0]:span[1]].split()).decode()

    def _from_macro(self, span):
        return any(start <= span[0] and span[1] <= end for start, end in self.macros)

    def _new(self, cursor, bug):
        number = self.first + len(self.mutants)
        self.mutants.append(Mutant(number, self.name, cursor.extent.start.line, bug))
        return number

    def _wrap(self, span, before, after):
        """Put text around a span. Of spans that begin or end together the longer one is outside."""
        length = span[1] - span[0]
        self.edits.append((span[0], 1, -length, 0, before))
        self.edits.append((span[1], 0, length, 0, after))

    def plant(self):
        """Return the text with all bugs."""
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == Kind.FUNCTION_DECL and cursor.is_definition() and self._is_here(cursor):
                self._visit(list(cursor.get_children())[-1], cursor)
        text, last = [], 0
        for offset, _, _, removed, inserted in sorted(self.edits, key=lambda e: e[:3]):
            text += [self.text[last:offset], inserted.encode()]
            last = offset + removed
        return b"".join(text + [self.text[last:]])

    def _visit(self, cursor, function):
        children = list(cursor.get_children())
        span = self._span(cursor)
        if cursor.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            children = children[-1:]
        elif cursor.kind == Kind.DECL_STMT and self.text[span[0]:].startswith(b"static"):
            return
        elif cursor.kind == Kind.CXX_UNARY_EXPR:   # sizeof
            return
        if not self._from_macro(span):
            self._plant_here(cursor, children, span, function)
        for child in children:
            self._visit(child, function)

    def _plant_here(self, cursor, children, span, function):
        if cursor.kind in (Kind.IF_STMT, Kind.CONDITIONAL_OPERATOR):
            self._condition(children[0])
        elif cursor.kind == Kind.WHILE_STMT:
            self._operand(children[0], False, "the loop does not begin")
        elif cursor.kind == Kind.RETURN_STMT and children and function.result_type.spelling in ("bool", "_Bool"):
            if children[0].kind == Kind.UNEXPOSED_EXPR or children[0].kind == Kind.BINARY_OPERATOR:
                self._condition(children[0])
        elif cursor.kind == Kind.BINARY_OPERATOR:
            self._binary(cursor, children)
        elif cursor.kind == Kind.CALL_EXPR and cursor.spelling == "serial_lt" and self.text[span[0]:].startswith(b"serial_lt("):
            number = self._new(cursor, f"no regard to wrap: {self._source(span)}")
            self.edits.append((span[0], 2, 0, len("serial_lt("), f"MUTANT_WRAP({number}, "))
        if cursor.kind in (Kind.COMPOUND_STMT, Kind.IF_STMT, Kind.FOR_STMT, Kind.WHILE_STMT, Kind.CASE_STMT,
                           Kind.DEFAULT_STMT):
            for child in children[0 if cursor.kind == Kind.COMPOUND_STMT else -2 if cursor.kind == Kind.IF_STMT and
                                  len(children) == 3 else -1:]:
                self._statement(child)

    def _usable(self, cursor):
        span = self._span(cursor)
        return not self._from_macro(span) and span[1] > span[0] and self._is_here(cursor)

    def _condition(self, cursor):
        if not self._usable(cursor):
            return
        text = self._source(self._span(cursor))
        yes = self._new(cursor, f"always true: {text}")
        no = self._new(cursor, f"always false: {text}")
        self._wrap(self._span(cursor), f"MUTANT_IF({yes}, {no}, ", ")")

    def _operand(self, cursor, value, bug):
        if not self._usable(cursor):
            return
        number = self._new(cursor, f"{bug}: {self._source(self._span(cursor))}")
        self._wrap(self._span(cursor), f"MUTANT_{'TRUE' if value else 'FALSE'}({number}, ", ")")

    def _binary(self, cursor, children):
        left, right = self._span(children[0]), self._span(children[1])
        between = self.text[left[1]:right[0]].decode()
        operator = between.strip().strip("()").strip()
        at = left[1] + between.find(operator)
        if operator in ("&&", "||"):
            for child in children:
                self._operand(child, operator == "&&", "left out of " + operator)
        elif operator in BOUNDS and "&" not in cursor.type.spelling and "*" not in children[0].type.spelling:
            number = self._new(cursor, f"{BOUNDS[operator]} instead: {self._source(self._span(cursor))}")
            self._wrap(self._span(cursor), f"MUTANT_BOUND({number}, {BOUNDS[operator]}, (", "))")
            self.edits.append((at, 2, 0, len(operator), f"), {operator}, ("))
        elif operator in ("+", "-") and self.text[right[0]:right[1]] in (b"1", b"1U", b"1u"):
            if self._usable(children[1]) and "*" not in cursor.type.spelling:
                number = self._new(cursor, f"without {operator} 1: {self._source(self._span(cursor))}")
                self._wrap(right, f"MUTANT_ONE({number}, ", ")")

    def _statement(self, cursor):
        """Leave out a statement that is an expression with an effect."""
        span = self._span(cursor)
        wanted = cursor.kind in (Kind.CALL_EXPR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR)
        if cursor.kind == Kind.BINARY_OPERATOR:
            children = list(cursor.get_children())
            between = self.text[self._span(children[0])[1]:self._span(children[1])[0]].decode().strip()
            wanted = between in ASSIGNMENTS
        end = self.text.find(b";", span[1])
        if not wanted or self._from_macro(span) or self.text[span[1]:end].strip():
            return
        number = self._new(cursor, f"left out: {self._source(span)}")
        self._wrap((span[0], end + 1), f"{{ if (!mutant_runs({number})) ", " }")
