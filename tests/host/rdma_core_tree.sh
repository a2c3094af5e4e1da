#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/rdma-core-tree adds the provider in all places where rdma-core lists its providers, and refuses other trees.
# With RDMA_CORE_SOURCE, the unpacked sources of an rdma-core, the provider is also built in it, without a warning.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

# The lines of an rdma-core tree that the script searches for.
tree=$work/source
mkdir -p "$tree"/{kernel-headers/rdma,libibverbs,providers/efa}
touch "$tree/providers/efa/CMakeLists.txt"
echo 'add_subdirectory(providers/siw)' > "$tree/CMakeLists.txt"
printf '%s\n' 'publish_internal_headers(rdma' '  rdma/siw-abi.h' '  )' 'rdma_kernel_provider_abi(' '  rdma/siw-abi.h' '  )' \
	> "$tree/kernel-headers/CMakeLists.txt"
echo 'extern const struct verbs_device_ops verbs_provider_siw;' > "$tree/libibverbs/verbs.h"

tools/rdma-core-tree "$tree" "$work/target" || bad "a tree is refused"
grep -qx 'add_subdirectory(providers/tally)' "$work/target/CMakeLists.txt" || bad "the provider is not built"
[ "$(grep -cx '  rdma/tally-abi.h' "$work/target/kernel-headers/CMakeLists.txt")" = 2 ] || bad "its ABI is not published"
grep -q verbs_provider_tally "$work/target/libibverbs/verbs.h" || bad "static programs cannot name it"
for file in kernel-headers/rdma/tally-abi.h providers/tally/{CMakeLists.txt,tally.c,plan/plan.c,gen/tally_hw.h,man/tallydv.7}; do
	[ -e "$work/target/$file" ] || bad "$file is not there"
done
[ ! -e "$tree/providers/tally" ] || bad "the source was changed"

# refused TEXT ARGUMENT...: checks that the script refuses the arguments with this text.
refused() {
	local words=$1
	shift
	tools/rdma-core-tree "$@" 2> "$work/said" && bad "rdma-core-tree $* is not refused"
	grep -q "$words" "$work/said" || bad "rdma-core-tree $*: $(cat "$work/said")"
}
refused 'usage' "$tree"
refused "$work is not an rdma-core source tree" "$work" "$work/other"
refused "$work/target exists" "$tree" "$work/target"
refused 'has a providers/tally already' "$work/target" "$work/other"
: > "$tree/libibverbs/verbs.h"
refused 'libibverbs/verbs.h has no line like' "$tree" "$work/other"

[ -n "${RDMA_CORE_SOURCE:-}" ] || exit $status
tools/rdma-core-tree "$RDMA_CORE_SOURCE" "$work/rdma-core" || exit 1
cmake -G Ninja -S "$work/rdma-core" -B "$work/build" -DNO_PYVERBS=1 -DENABLE_STATIC=1 -DCMAKE_C_FLAGS=-Werror > "$work/log" 2>&1 &&
	ninja -C "$work/build" tally tally-static libibverbs/all > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
exit $status
