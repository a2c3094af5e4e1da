#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian packages of these sources: their contents and dependencies. Each file is in one package.
set -u
grep -qx 'ID=debian' /etc/os-release || { echo "this is not Debian"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

# A folder with contents is not replaced.
mkdir "$work/full"
touch "$work/full/kept"
for refused in "$work/full" "$work/full/kept" --folder "$work/a $work/b"; do
	tools/deb $refused > "$work/said" 2>&1
	[ $? -eq 2 ] && grep -q '^usage: ' "$work/said" || bad "tools/deb $refused is not refused: $(cat "$work/said")"
done
[ -e "$work/full/kept" ] || bad "tools/deb has removed the contents of a folder"

debs=$(tests/host/built-debs 2> "$work/said") || { cat "$work/said"; exit 1; }
version=$(sed -nE 's/^project\(tally VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
lib=usr/lib/x86_64-linux-gnu

# The packages are unpacked side by side. A path in two packages would be a conflict.
for package in libtally1 libtallycoll0 libtallycoll-mpich libtallycoll-openmpi libtally-dev tally-dkms tally-tools tallysim; do
	file=$(echo "$debs/${package}_${version}"_*.deb)
	[ -e "$file" ] || { bad "there is no package $package of version $version"; continue; }
	dpkg-deb -x "$file" "$work/$package"
	dpkg-deb -f "$file" Depends > "$work/$package.depends"
	dpkg-deb -c "$file" | awk '$6 !~ /\/$/ { print $6 }' >> "$work/paths"
done
[ -z "$(sort "$work/paths" | uniq -d)" ] || bad "files in two packages: $(sort "$work/paths" | uniq -d)"

holds() { # package, paths
	local package=$1 path
	shift
	for path; do
		[ -s "$work/$package/$path" ] || [ -L "$work/$package/$path" ] || bad "$package has no $path"
	done
}
sources=usr/src/tally-$version
holds libtally1 $lib/libtally.so.1 etc/libibverbs.d/tally.driver $lib/libtally-rdmav34.so
holds libtallycoll0 $lib/libtallycoll.so.0
holds libtallycoll-mpich $lib/libtallycoll_mpich.so
holds libtallycoll-openmpi $lib/openmpi/lib/openmpi3/mca_coll_tally.so
holds libtally-dev $lib/libtally.so usr/include/infiniband/{tallydv,tally_types}.h \
	usr/share/man/man{3/tallydv_create_group.3,3/tallydv_attach_group.3,7/tallydv.7}.gz
holds tally-dkms $sources/{dkms.conf,kernel/Kbuild,kernel/ib/main.c,uapi/tally-abi.h,uapi/gen/tally_hw.h} \
	usr/share/man/man4/tally.4.gz
holds tally-tools usr/bin/{tallyctl,tally_demo,tally_cluster} $lib/wireshark/plugins/{tally,tally_data,tally_fields}.lua \
	usr/share/doc/tally-tools/examples/tally_demo.c usr/share/man/man8/tallyctl.8.gz
holds tallysim usr/bin/tallysim usr/share/tally/params/ethernet100g.params usr/share/man/man1/tallysim.1.gz
grep -rqs 'SPDX' "$work/libtally1/usr/share/doc/libtally1/copyright" && bad "the copyright file of libtally1 has SPDX tags instead of the text"

# libibverbs loads the plug-in through this file, and only if it has the interface that the provider was compiled for.
[ "$(cat "$work/libtally1/etc/libibverbs.d/tally.driver")" = "driver /$lib/libtally" ] || bad "tally.driver is wrong"
grep -q 'libibverbs1 (<< 5[47])' "$work/libtally1.depends" || bad "libtally1 accepts any libibverbs: $(cat "$work/libtally1.depends")"
grep -q 'libtally1 (>= ' "$work/tally-tools.depends" || bad "tally-tools does not depend on libtally1: $(cat "$work/tally-tools.depends")"
for package in libtallycoll-mpich libtallycoll-openmpi; do
	grep -q 'libtallycoll0 (>= ' "$work/$package.depends" || bad "$package does not depend on libtallycoll0"
done
grep -q 'libopenmpi3' "$work/libtallycoll-openmpi.depends" || bad "libtallycoll-openmpi does not depend on Open MPI"
grep -q 'dkms' "$work/tally-dkms.depends" || bad "tally-dkms does not depend on dkms"

# The programs find their libraries where the packages put them, and contain no path of the build.
for program in tally-tools/usr/bin/{tally_demo,tallyctl} tallysim/usr/bin/tallysim libtally1/$lib/libtally.so.1 \
	libtallycoll0/$lib/libtallycoll.so.0 libtallycoll-mpich/$lib/libtallycoll_mpich.so \
	libtallycoll-openmpi/$lib/openmpi/lib/openmpi3/mca_coll_tally.so; do
	readelf -d "$work/$program" | grep -E 'R(UN)?PATH' && bad "$program has a run path"
	grep -q "$PWD" "$work/$program" && bad "$program holds the path of its build"
done

# A program of three lines compiles and links against the unpacked packages, and runs.
printf '%s\n' '#include <infiniband/tallydv.h>' '#include <stdio.h>' \
	'int main(void) { return puts(tallydv_coll_status_name(TALLY_COLL_OK)) < 0; }' > "$work/program.c"
gcc -Wall -Werror -I "$work/libtally-dev/usr/include" -L "$work/libtally1/$lib" -o "$work/program" "$work/program.c" \
	-l:libtally.so.1 -libverbs || bad "a program does not link"
[ "$(LD_LIBRARY_PATH=$work/libtally1/$lib "$work/program")" = OK ] || bad "a program does not run"

# All files that dkms.conf refers to exist, under the names that Kbuild uses.
dkms_tree=/D parallel_jobs=1 kernel_source_dir=/K
. "$work/tally-dkms/$sources/dkms.conf"
[ "$PACKAGE_NAME-$PACKAGE_VERSION" = "tally-$version" ] || bad "dkms.conf names $PACKAGE_NAME-$PACKAGE_VERSION"
for name in "${BUILT_MODULE_NAME[@]}"; do
	grep -qw "$name.o" "$work/tally-dkms/$sources/kernel/Kbuild" || bad "Kbuild does not build $name"
done
[[ ${MAKE[0]} = *"-C /K M=/D/tally/$version/build/kernel "* ]] || bad "dkms.conf runs: ${MAKE[0]}"
exit $status
