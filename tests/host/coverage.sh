#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make coverage adds the counts of several runs, finds the sources of modules behind Kbuild's links, ignores tests,
# keeps the reasons that people wrote, and names the parts that miss the goal. The test uses a tree of two sources.

fail() { echo "$*"; cat "$work/page" "$work/messages"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree"/{kernel,providers,build/kernel-debug,build/saved/boot-1}

cat > "$tree/kernel/sign.c" <<'END'
int sign(int x)
{
	if (x > 0)
		return 1;
	if (x < 0)
		return -1;
	return 0;
}
END
cat > "$tree/providers/twice.c" <<'END'
int twice(int x) { return 2 * x; }
END
cat > "$tree/providers/twice_test.c" <<'END'
int sign(int x);
int twice(int x);
int main(int argc, char **argv)
{
	(void)argv;
	return twice(sign(argc - 2)) > 2;
}
END
ln -s "$tree/kernel/sign.c" "$tree/build/kernel-debug/sign.c"
checkout=$PWD
cd "$tree/build" || exit 1
for source in kernel-debug/sign ../providers/twice ../providers/twice_test; do
	gcc --coverage -c "$PWD/$source.c" -o "$(basename $source).o" || fail "cannot compile $source"
done
gcc --coverage ./*.o -o program || fail "cannot link"

# One run on the host, and one as in a guest, whose counts are in an archive.
./program || fail "the program fails"
GCOV_PREFIX=$work/guest ./program more || fail "the program fails"
tar -cf saved/boot-1/kernel.tar -C "$work/guest" .

report() {
	/usr/bin/python3 -B - "$1" "$tree" "$work/page" > "$work/messages" 2>&1 <<'END' || fail "the report fails"
import sys
sys.path.insert(0, sys.argv[1] + "/tools/coverage.d")
import collect
import report
print(report.write(sys.argv[3], collect.collect(sys.argv[2], sys.argv[2] + "/build/saved"), ["unit/"]))
END
}
shows() { # a line of the page
	grep -qxF "$1" "$work/page" || fail "no line '$1'"
}

report "$checkout"
shows '| `kernel/sign.c` | 6 | 5 | 83.3% |'
shows '| `providers/twice.c` | 1 | 1 | 100.0% |'
shows '| `kernel/sign.c` | `sign` | 4 | ? |'
! grep -q twice_test "$work/page" || fail "a test program is counted"
grep -qF "(['kernel: 83.3% of 6 lines ran, the goal is 85%'], 1)" "$work/messages" ||
	fail "the report does not say that the goal is missed"

sed -i 's/| ? |/| nobody is positive |/' "$work/page"
report "$checkout"
shows '| `kernel/sign.c` | `sign` | 4 | nobody is positive |'
grep -q ', 0)$' "$work/messages" || fail "the report asks for a reason that exists"
