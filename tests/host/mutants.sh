#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/mutants plants each kind of bug: a program with all of them behaves as before, and with any one of them otherwise.
# Debian's Python, for which its package of clang is.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
	echo "$*"
	exit 1
}

cat > "$folder/sample.c" <<'EOF'
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static bool serial_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static int count(int n, bool odd)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		if (odd && i % 2)
			sum += i + 1;
		else if (i == 4 || i == 6)
			sum--;
	return sum;
}

int main(void)
{
	for (int n = 0; n < 9; n++)
		printf("%d %d %d\n", count(n, true), count(n, false), n <= 4 ? n - 1 : n);
	for (uint32_t a = 0; a < 4; a++)
		printf("%d %d\n", serial_lt(a - 2, 1), (serial_lt)(a, 1));
	return 0;
}
EOF
/usr/bin/python3 - "$folder" <<'EOF' || fail "cannot plant bugs"
import sys
sys.path.insert(0, "tools/mutants.d")
import plant
planter = plant.Planter(sys.argv[1] + "/sample.c", "sample.c", [], 1)
with open(sys.argv[1] + "/planted.c", "wb") as file:
    file.write(b'#include "mutants.h"\n' + planter.plant())
with open(sys.argv[1] + "/bugs", "w") as file:
    file.writelines(f"{m.number}\t{m.line}: {m.bug}\n" for m in planter.mutants)
EOF
gcc -o "$folder/sample" "$folder/sample.c" || fail "cannot compile the sample"
gcc -w -I tools/mutants.d -o "$folder/planted" "$folder/planted.c" || fail "cannot compile the sample with bugs"
"$folder/sample" > "$folder/expected"

MUTANTS_SEEN=$folder/seen "$folder/planted" | cmp -s - "$folder/expected" || fail "the program differs without any bug"
while IFS=$'\t' read -r number bug; do
	MUTANT=$number timeout 10 "$folder/planted" | cmp -s - "$folder/expected" && fail "no difference: $bug"
	grep -qx "$number" "$folder/seen" || fail "not noted as reached: $bug"
done < "$folder/bugs"
for kind in "always true" "always false" "left out of &&" "left out of ||" "<= instead" "< instead" "without + 1" \
	"without - 1" "left out:" "no regard to wrap"; do
	grep -qF "$kind" "$folder/bugs" || fail "no bug of the kind '$kind'"
done
echo "$(wc -l < "$folder/bugs") bugs"
