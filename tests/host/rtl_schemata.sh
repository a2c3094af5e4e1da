#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `tools/rtl mutants` compiles many planted bugs into one bench: without a choice the module is as before, and each choice does what
# its bug does. A bug of no such shape, and one that verilator does not take there, are left to be planted alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v verilator > /dev/null || { echo "verilator is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat > "$folder/tally_sample.sv" << 'EOF_SV'
module tally_sample (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] a_i,
  input  logic [3:0] b_i,
  output logic [3:0] sum_o,
  output logic [3:0] half_o,
  output logic [3:0] kind_o,
  output logic [3:0] count_o,
  output logic [3:0] part_o,
  output logic [3:0] fixed_o
);
  typedef struct packed { logic [1:0] x, y; } pair_t;
  localparam logic [3:0] Step = 4'd1;
  pair_t pair;
  function automatic logic [3:0] twice(input logic [3:0] value);
    twice = value + value;
  endfunction
  localparam logic [3:0] Fixed = twice(4'd3);

  assign fixed_o = Fixed;
  assign sum_o = a_i + b_i;  // a comment; with a semicolon
  assign half_o = (a_i + b_i) >> 1;
  assign pair = '{x: 2'd1, y: 2'd2};
  always_comb begin
    kind_o = '0;
    unique case (a_i)
      4'd14: kind_o = 4'd1;
      4'd15: if (b_i > 4'd2) kind_o = 4'd2;
        else kind_o = {pair.x, pair.y};
      default: ;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_o <= '0;
    else begin
      for (int unsigned i = 0; i < 2; i++) if (i[0]) count_o <= count_o + Step;
    end
  end
  tally_part u_part (.clk_i, .in_i(a_i), .out_o(part_o));
`ifdef FORMAL
  always_comb assert (sum_o == '0);
`endif
endmodule
EOF_SV
cat > "$folder/tally_part.sv" << 'EOF_SV'
module tally_part (input logic clk_i, input logic [3:0] in_i, output logic [3:0] out_o);
  always_ff @(posedge clk_i) out_o <= in_i;
endmodule
EOF_SV
cat > "$folder/main.cpp" << 'EOF_CPP'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "Vdut.h"
double sc_time_stamp() { return 0; }
void vl_stop(const char *, int, const char *) { std::exit(2); }
int main()
{
	Vdut dut;
	char text[64];
	dut.a_i = 15; dut.b_i = 3; dut.rst_ni = 1; dut.clk_i = 0; dut.eval();
	dut.rst_ni = 0; dut.eval();
	dut.rst_ni = 1;
	for (int i = 0; i < 6; i++) { dut.clk_i = i % 2 == 0; dut.eval(); }
	std::sprintf(text, "%d %d %d %d %d %d", dut.sum_o, dut.half_o, dut.kind_o, dut.count_o, dut.part_o, dut.fixed_o);
	std::puts(text);
	return std::strcmp(text, "2 1 2 3 15 6") != 0;
}
EOF_CPP

/usr/bin/python3 - "$folder" << 'EOF'
import concurrent.futures
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tools/rtl.d")
import blocks
import mutants
import schemata
import together
import workspace

ROOT = sys.argv[1]
SOURCE = os.path.join(ROOT, "tally_sample.sv")
FILES = [os.path.join(ROOT, "tally_part.sv"), SOURCE]
# name, changes, what the bench prints; None: it cannot be in one build with others
BUGS = (
    ("an operand of assign", [("a_i + b_i;", "a_i - b_i;")], "12 1 2 3 15 6"),
    ("another one there", [("a_i + b_i;", "b_i;")], "3 1 2 3 15 6"),
    ("wider than the source's", [("(a_i + b_i) >> 1", "5'({1'b0, a_i} + {1'b0, b_i}) >> 1")], "2 9 2 3 15 6"),
    ("a pattern", [("'{x: 2'd1, y: 2'd2}", "'{x: 2'd2, y: 2'd1}"), ("b_i > 4'd2", "b_i > 4'd3")], "2 1 9 3 15 6"),
    ("a condition", [("if (b_i > 4'd2) kind_o", "if (b_i < 4'd2) kind_o")], "2 1 6 3 15 6"),
    ("a statement in it", [("kind_o = 4'd2;", "kind_o = 4'd7;")], "2 1 7 3 15 6"),
    ("a label", [("4'd14: kind_o", "4'd13, 4'd15: kind_o"), ("4'd15: if", "4'd14: if")], "2 1 1 3 15 6"),
    ("no statement", [("if (i[0]) count_o <= count_o + Step;", ";")], "2 1 2 0 15 6"),
    ("two statements", [("kind_o = '0;", "kind_o = '0; if (a_i == '0) kind_o = 4'd4;")], "2 1 2 3 15 6"),
    ("an input", [(".in_i(a_i)", ".in_i(b_i)")], "2 1 2 3 3 6"),
    ("a parameter", [("Step = 4'd1", "Step = 4'd2")], None),
    ("an output", [(".out_o(part_o)", ".out_o()")], None),
    ("a sensitivity", [("posedge clk_i or negedge rst_ni", "posedge clk_i")], None),
    ("a declaration", [("logic [1:0] x, y;", "logic [1:0] y, x;")], None),
    ("a function of a constant", [("value + value", "value")], None),
)
EQUAL = "two statements"    # no bench can catch it


class Workspace(workspace.Workspace):
    """Builds the module and its bench here, and no copy of the tree."""

    def __init__(self):
        self.folder = self.tree = self.build = ROOT
        self.options = os.path.join(ROOT, "options")
        self.tests = {"rtl/sample_lint": ["verilator", "--lint-only", "-Wall", "--top-module", "tally_sample", *FILES]}
        os.mkdir(os.path.join(ROOT, "bin"))

    def benches(self, block):
        return ["sample_bench"]

    def make(self, way):
        return workspace._said(["verilator", "--cc", "--exe", "--build", "-f", self.options, "--prefix", "Vdut", "--Mdir", "made",
                                "-CFLAGS", "-DVL_USER_STOP", "-o", os.path.join(ROOT, "bin", way), "--top-module", "tally_sample",
                                *FILES, os.path.join(ROOT, "main.cpp")], ROOT)

    def lint(self, block, text, *options):
        # Warnings about single bugs do not matter here.
        return super().lint(block, text, *(options or ["-Wno-lint", "-Wno-style", "-Wno-fatal"]))


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def printed(number):
    with open(os.path.join(ROOT, schemata.FILE), "w", encoding="utf-8") as file:
        file.write(f"{number}\n")
    return subprocess.run([os.path.join(ROOT, "bin/sample_bench")], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


blocks.CHECKOUT = ROOT
block = blocks.Block("sample", ROOT, FILES, [], [], [], [])
bugs = {number: (mutants._planted(SOURCE, name, changes), mutants._apart(block, name, changes))
        for number, (name, changes, _) in enumerate(BUGS, 1)}
many = together.Together(Workspace(), block, mutants._text(SOURCE), bugs)
with concurrent.futures.ThreadPoolExecutor(max_workers=1) as pool:
    caught = dict(many.run(pool))
names = [name for name, _, _ in BUGS]
expect("those that are planted alone", [names[number - 1] for number in sorted(many.alone)],
       [name for name, _, text in BUGS if text is None])
expect("those that are missed", [names[number - 1] for number in many.missed], [EQUAL])
expect("those that are caught", [names[number - 1] for number in sorted(caught)],
       [name for name, _, text in BUGS if text and name != EQUAL])
expect("no bug", printed(0), "2 1 2 3 15 6")
for number, (name, _, text) in enumerate(BUGS, 1):
    if text:
        expect(name, printed(number), text)
os.remove(os.path.join(ROOT, schemata.FILE))
expect("without a choice", subprocess.run([os.path.join(ROOT, "bin/sample_bench")], cwd=ROOT, stdout=subprocess.DEVNULL,
                                          check=False).returncode, 2)
EOF
