#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The hardware's sources contain nothing that only a simulator accepts or that yosys misreads. Each block has a bench, a
# synthesis and planted bugs, which fit its source.
least=5	# planted bugs of each block, at least
status=0
bad() { echo "$*"; status=1; }

# Prints the lines of standard input that are no hardware, or that yosys misreads (docs/rtl.md, Language): it treats a
# memory of a struct as one word, a localparam of '1 as 1, W'({a, b}) inside braces as wide as {a, b}, and -W'(a) as
# (-W)'(a). An $error with text alone ends elaboration.
strange() {
	sed 's://.*::; s/^ *\$error("[^"]*");$//' | grep -nE \
		-e '\b(real|shortreal|realtime|initial|fork)\b' -e '"DPI' -e '#[0-9]' \
		-e '\$(([^cbsu]|c[^l]|b[^i]|s[^i]|u[^n])[a-z_]*)' -e '[a-z]\.[a-z_]+\.[a-z]+_[qd]\b' \
		-e '^ *([a-z_]+::)?[a-z_]+_[te] +(\[[^]]*\] *)?[a-z_]+ +\[' -e "localparam .*= *'1;" -e "\{[^}]*'\(\{" -e "-[A-Za-z_]+'\("
}

# The search must find these lines.
while IFS= read -r line; do
	strange <<< "$line" > /dev/null || bad "the search does not find: $line"
done << 'END'
  real x;
  initial y = 0;
  import "DPI-C" function int f();
  assign #1 a = b;
  assign a = $random;
  $display("x");
  $error("%d", x);
  held_t held_mem_q [N];
  other_pkg::held_t held_mem_q [2**W];
  localparam logic [W-1:0] Ones = '1;
  assign a = {b, W'({c, d})};
  assign a = -W'(b);
END
strange << 'END' && bad "the search reports valid hardware"
  logic [$clog2(N)-1:0] a = $signed(b); // $random, #5
  assign a = W'({b, {c, d}} >> e);
    $error("tally_x: Words must be a power of two");
END

for source in rtl/*/tally_*.sv; do
	found=$(strange < "$source") && bad "$source: $found"
done

# Prints what breaks the rules of style that a script can check (docs/rtl.md, Language): a generate block without the
# prefix gen_, a unique case without a default.
style() {
	sed 's://.*::; s/.*/ & /' | awk '
		/[^a-z_](for|if|else)[^a-z_].*begin *: *[a-z]/ && !/begin *: *gen_/ { print NR ": a generate block without gen_" }
		/[^a-z_]case[xz]?[^a-z_]/ { depth++; unique[depth] = /unique +case/; line[depth] = NR; has[depth] = 0 }
		/[^a-z_]default *:/ { has[depth] = 1 }
		/[^a-z_]endcase[^a-z_]/ {
			if (unique[depth] && !has[depth])
				print line[depth] ": a unique case without default"
			depth--
		}'
}

while IFS= read -r line; do
	[ -n "$(tr ';' '\n' <<< "$line" | style)" ] || bad "the rules of style do not find: $line"
done << 'END'
  if (Words < 4) begin : g_few
    end else begin : other
  unique case (a); 1: b = c; endcase
  unique case (a); 1: unique case (b); 1: c = d; default: c = e; endcase; endcase
END
style << 'END' | grep -q . && bad "the rules of style report what keeps to them"
  for (genvar k = 0; k < 4; k++) begin : gen_k
  unique case (a) // unique case
    default: b = c;
  endcase
END

for source in rtl/*/tally_*.sv; do
	found=$(style < "$source")
	[ -z "$found" ] || bad "$source: $found"
done

blocks=build/rtl/blocks.jsonl
[ -s "$blocks" ] || { echo "no $blocks: run make build"; exit 1; }
while IFS=$'\t' read -r name folder synths; do
	source=$folder/tally_$name.sv
	grep -sqE '^module ' "$source" || continue	# a package
	[ "$synths" -gt 0 ] || bad "$source: no SYNTH in its CMakeLists.txt"
	[ -e "$folder/bench/${name}_bench.cpp" ] || bad "$source: no bench"
	bugs=$(grep -cE '^= ' "$folder/mutants/$name.txt" 2> /dev/null)
	[ "${bugs:-0}" -ge $least ] || bad "$source: ${bugs:-0} planted bugs, fewer than $least"
done < <(/usr/bin/python3 -c '
import json
import os
import sys
for line in sys.stdin:
    block = json.loads(line)
    print(block["block"], os.path.relpath(block["folder"]), len(block["synth"]), sep="\t")' < "$blocks")

while IFS= read -r line; do
	bad "$line: more than 100 columns"
done < <(find rtl -name '*.sv' -o -name '*.svh' | xargs awk 'length > 100 { print FILENAME ":" FNR }')

refuses() { # text of the message, arguments
	local said text=$1
	shift
	said=$(tools/rtl "$@" 2>&1) && bad "tools/rtl $* is taken"
	case $said in
	*"$text") ;;
	*) bad "tools/rtl $*: $said" ;;
	esac
}
refuses "argument --seed: -1 is no number" bench --seed -1 fifo
refuses "junk is not NAME=VALUE" elaborate --parameters junk --output /dev/null fifo
refuses "elaborate --parameters goes with --output; without it, the parameters are those of the syntheses" \
	elaborate --parameters Width=1 fifo
tools/rtl mutants --fits || bad "a planted bug does not fit its source"
exit $status
