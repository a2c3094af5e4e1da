#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/campaigns runs the campaigns that it names, on Verilated NICs, and notices one that fails.
status=0
bad() { echo "$*"; status=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/campaigns --collectives 1 --keep "$work/one" 1902 > "$work/said" 2>&1 || bad "a run fails: $(cat "$work/said")"
grep -q '^PASS 1902: --nodes 4 --mode all$' "$work/said" || bad "the run is not named: $(cat "$work/said")"
[ "$(tail -n 1 "$work/one/1902.txt")" = passed ] || bad "the report is not kept"

# A simulator of which one run fails: all are begun, with the faults, and the failed one is named.
cat > "$work/fails" << 'END'
#!/bin/bash
echo "$*"
[[ $* != *" --seed 1903 "* ]]
END
chmod +x "$work/fails"
TALLYSIM=$work/fails tools/campaigns --jobs 2 --keep "$work/all" > "$work/said" 2>&1 && bad "a failed run is not noticed"
[ "$(grep -c '^PASS ' "$work/said")" = 4 ] || bad "other runs fail, too: $(cat "$work/said")"
grep -q '^FAIL 1903: --nodes 16 --mode tree: ' "$work/said" || bad "the failed run is not named: $(cat "$work/said")"
[ "$(cat "$work"/all/*.txt | grep -c -- '--engine rtl --collectives 20000 .*--drop 0.05 --dup 0.05 --reorder 0.1 --corrupt 0.01')" = 5 ] ||
	bad "not five runs of 20,000: $(cat "$work"/all/*.txt)"

# Bad input is named.
while IFS='|' read -r arguments text; do
	# shellcheck disable=SC2086
	tools/campaigns $arguments > "$work/said" 2>&1 && bad "$arguments is taken"
	grep -q "$text" "$work/said" || bad "$arguments: $(cat "$work/said")"
done << 'END'
7|no run has seed 7
--jobs 0|0 is no number
--collectives many|many is no number
--what|campaigns \[--collectives N\]
END
TALLYSIM=$work/none tools/campaigns 2> "$work/said" && bad "a missing simulator is not noticed"
grep -q "none: no such program" "$work/said" || bad "the missing simulator is not named: $(cat "$work/said")"

exit $status
