#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# cmake --install puts everything below DESTDIR and the prefix, and the installed files find one another there. The
# simulator builds without libibverbs.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

[ -x build/bin/tally_cluster ] || { echo "build/ is not built: run make stack"; exit 1; }
# The layers for MPIs are installed if they are built.
layers=$(cd build/lib && ls libtallycoll_mpich.so openmpi/mca_coll_tally.so 2> /dev/null)
lib=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' build/CMakeCache.txt)

install_to() { # options of cmake --install
	cmake --install build "$@" > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
}

DESTDIR=$work/root install_to --prefix /opt/tally
[ "$(ls "$work/root")" = opt ] && [ "$(ls "$work/root/opt")" = tally ] || bad "files outside /opt/tally: $(find "$work/root" -type f)"
! grep -v ' /*[^ ]*/root/opt/tally/' <(grep -E '^-- (Installing|Up-to-date): ' "$work/said") || bad "these are installed outside DESTDIR"
grep -rlF "$work/root" "$work/root" | grep . && bad "DESTDIR is in these installed files"
[ "$(cat "$work/root/opt/tally/etc/libibverbs.d/tally.driver")" = "driver /opt/tally/$lib/libtally" ] || bad "tally.driver is wrong"
while read -r path; do
	[ -e "$work/root/opt/tally/$path" ] || bad "$path is not installed"
done <<-END
	bin/tallysim
	bin/tallycoll_info
	bin/tallyctl
	bin/tally_demo
	bin/tally_cluster
	include/infiniband/tallydv.h
	include/infiniband/tally_types.h
	include/tallycoll.h
	$lib/libtally.so
	$lib/libtally-rdmav34.so
	$lib/libtallycoll.so
	${layers:+$(sed "s|^|$lib/|" <<< "$layers")}
	$lib/pkgconfig/libtally.pc
	$lib/pkgconfig/libtallycoll.pc
	$lib/wireshark/plugins/tally.lua
	$lib/wireshark/plugins/tally_data.lua
	$lib/wireshark/plugins/tally_fields.lua
	share/doc/tally/examples/tally_cluster.c
	share/man/man1/tallycoll_info.1
	share/man/man1/tallysim.1
	share/man/man3/tallydv_create_group.3
	share/man/man3/tallydv_attach_group.3
	share/man/man4/tally.4
	share/man/man7/tallydv.7
	share/man/man8/tallyctl.8
	share/tally/params/ethernet100g.params
END

# With the prefix /usr, the configuration goes to /etc, where libibverbs searches.
DESTDIR=$work/usr install_to --prefix /usr
[ "$(cat "$work/usr/etc/libibverbs.d/tally.driver")" = "driver /usr/$lib/libtally" ] || bad "tally.driver of /usr is wrong"

# The examples build against a prefix by pkg-config alone, and the installed programs run from there.
prefix=$work/prefix
install_to --prefix "$prefix"
export PKG_CONFIG_PATH=$prefix/$lib/pkgconfig
flags=$(pkg-config --cflags --libs libtally) || bad "pkg-config does not find libtally"
examples=$prefix/share/doc/tally/examples
gcc -Wall -Werror -o "$work/cluster" "$examples/tally_cluster.c" $flags || bad "tally_cluster does not build"
gcc -Wall -Werror -o "$work/demo" "$examples"/{tally_demo,common,large,processes}.c $flags || bad "tally_demo does not build"
[ "$prefix/$lib/libtally.so.1" -ef "$(ldd "$prefix/bin/tally_cluster" | awk '$1 == "libtally.so.1" { print $3 }')" ] || bad "tally_cluster does not find the library of its prefix"
cat > "$work/coll.c" <<-END
	#include <tallycoll.h>
	int main(void) { return !tallycoll_status_str(TALLYCOLL_OK); }
END
gcc -Wall -Werror -o "$work/coll" "$work/coll.c" $(pkg-config --cflags --libs libtallycoll) || bad "a program of libtallycoll does not build"
LD_LIBRARY_PATH=$prefix/$lib "$work/coll" || bad "a program of libtallycoll does not run"
[ "$prefix/$lib/libtally.so.1" -ef "$(ldd "$prefix/$lib/libtallycoll.so.0" | awk '$1 == "libtally.so.1" { print $3 }')" ] || bad "libtallycoll does not find libtally in its folder"
for layer in $layers; do
	[ "$prefix/$lib/libtallycoll.so.0" -ef "$(ldd "$prefix/$lib/$layer" | awk '$1 == "libtallycoll.so.0" { print $3 }')" ] || bad "$layer does not find libtallycoll"
done
version=$(sed -nE 's/^project\(tally VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ "$(pkg-config --modversion libtally)" = "$version" ] || bad "libtally.pc is of version $(pkg-config --modversion libtally)"
for program in tallysim tallyctl; do
	[ "$("$prefix/bin/$program" --version)" = "$program $version" ] || bad "$program is of version $("$prefix/bin/$program" --version)"
done
[ "$(sed -nE 's/^## ([0-9.]+) .*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ] || bad "CHANGELOG.md does not begin with $version"

# Without libibverbs: pkg-config finds only json-c, and no source includes a verbs header. The codes of operations and types
# have such a name, too.
unset PKG_CONFIG_PATH
mkdir "$work/pc"
cp "$(pkg-config --variable pcfiledir json-c)/json-c.pc" "$work/pc"
export PKG_CONFIG_LIBDIR=$work/pc
{ cmake -G Ninja -S . -B "$work/build" -DTALLY_PROVIDER=OFF -DTALLY_TESTS=OFF -DTALLY_RTL=OFF && cmake --build "$work/build"; } > "$work/said" 2>&1 ||
	{ bad "the simulator does not build without libibverbs"; tail -n 20 "$work/said"; }
ninja -C "$work/build" -t deps | grep -E 'infiniband/|rdma/' | grep -v /tally_types.h && bad "the simulator includes headers of verbs"
"$work/build/bin/tallysim" campaign --collectives 5 > "$work/said" 2>&1 || { bad "tallysim fails"; cat "$work/said"; }
exit $status
