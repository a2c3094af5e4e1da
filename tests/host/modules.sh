#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Modules only fit the kernel and the sources that they were built for. Otherwise the lab rebuilds them.

tree=$(mktemp -d /tmp/tally-modules-XXXXXX)
trap 'rm -rf "$tree"' EXIT
folder=$tree/build/kernel-stock
status=0

# expect True|False CASE
expect() {
	local is
	is=$(python3 -B -c '
import sys
sys.path.insert(0, "tools/lab.d")
from kernels import Kernel
print(Kernel("stock", "6.1", sys.argv[1], "image").modules_fit(sys.argv[1]))' "$tree")
	[ "$is" = "$1" ] || { echo "$2: fit is $is"; status=1; }
}

mkdir -p "$folder" "$tree"/{kernel/test,uapi/gen}
touch -d '2 hours ago' "$tree"/{image,kernel/main.c,kernel/test/fake.c,uapi/gen/tally_hw.h}
expect False "nothing was built"
echo 6.1 > "$folder/.version"
expect False "a build did not end"
touch -d '1 hour ago' "$folder/.built"
expect True "built from these sources"
for source in kernel/main.c kernel/test/fake.c uapi/gen/tally_hw.h; do
	touch "$tree/$source"
	expect False "$source has changed"
	touch -d '2 hours ago' "$tree/$source"
done
echo 6.2 > "$folder/.version"
expect False "built for another kernel"
exit $status
