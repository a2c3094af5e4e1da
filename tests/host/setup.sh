#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/setup installs only the packages that a target needs, and reports why it fails. The stack can be configured
# without the packages that only tests need. Nothing is installed or downloaded: the test replaces the programs that
# would do so.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

says() { # text of a file $1: all the words that follow
	local file=$1 word
	shift
	for word; do
		grep -qF -e "$word" "$file" || bad "no '$word' in: $(cat "$file")"
	done
}

# Groups of packages of the targets.
needs() { # target
	sed -n "s/^needs_$1 := //p" Makefile
}

for target in demo demo-mpi check-mpi check coverage mutants fuzz kunit bench rtl deb deb-check; do
	[ -n "$(needs $target)" ] || bad "the Makefile does not say what $target needs"
	tools/setup --list $(needs $target) > "$work/$target" || bad "make $target asks for a group that does not exist"
done
for package in gcc cmake qemu-system-x86 busybox-static linux-headers-amd64; do
	grep -qx $package "$work/demo" || bad "make demo does not install $package"
done
for package in npm nodejs yosys verilator clang tshark linux-source build-essential libcmocka-dev; do
	! grep -qx $package "$work/demo" || bad "make demo installs $package"
done
for package in npm clang tshark; do
	grep -qx $package "$work/check" || bad "make check does not install $package"
done
for package in python3-mpi4py hpcc lammps; do
	grep -qx $package "$work/check-mpi" || bad "make check-mpi does not install $package"
	! grep -qx $package "$work/check" || bad "make check installs $package"
done
awk '!/^#/ && NF < 4' tools/packages.txt | grep . && bad "a package without group or purpose"
tools/setup --list magic > "$work/said" 2>&1 && bad "a group that does not exist is accepted"
says "$work/said" "unknown group magic" "usage:"

# A failure is reported with its reason. The rest of this test needs a Debian.
mkdir "$work/bin"
fake() { # name, commands
	printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1"
	chmod +x "$work/bin/$1"
}
fake sudo 'exec "$@"'
fake apt-get 'echo "E: planted $*" >&2; exit 100'
fake npm 'case "$*" in *--silent*) ;; *) echo "npm error planted $*" >&2 ;; esac; exit 1'
fake dpkg 'echo amd64'
setup() {
	PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache tools/setup "$@" > "$work/said" 2>&1
}
if grep -qx ID=debian /etc/os-release; then
	fake dpkg-query 'exit 0'
	setup build && bad "setup succeeds although packages are missing"
	says "$work/said" "installing for build: " cmake "E: planted -q update" "apt-get update failed"
	# The user is not root, and there is no sudo.
	mkdir "$work/plain"
	ln -s /usr/bin/* "$work/plain"
	rm -f "$work"/plain/{id,sudo,apt-get,dpkg,dpkg-query}
	printf '#!/bin/sh\necho 1000\n' > "$work/plain/id"
	chmod +x "$work/plain/id"
	cp "$work"/bin/{apt-get,dpkg,dpkg-query} "$work/plain"
	PATH=$work/plain tools/setup build > "$work/said" 2>&1 && bad "setup succeeds without root and sudo"
	says "$work/said" "run tools/setup build as root, or install sudo"
	# Everything is installed except the packages of npm.
	fake dpkg-query "sed 's/^/installed /' '$work/all'"
	tools/setup --list > "$work/all"
	setup rtl && bad "npm fails unnoticed"
	says "$work/said" "npm error planted ci" "npm config get registry" "run tools/setup rtl again"
	[ -z "$(ls -A "$work"/cache/tally/node-*/ 2> /dev/null | grep node_modules)" ] || bad "a failure leaves packages in the cache"
	setup build || bad "setup fails with nothing to do: $(cat "$work/said")"
fi

# Configures with only the libraries of the group build.
mkdir "$work/pc"
for name in libibverbs json-c hwloc libnl-3.0 libnl-route-3.0; do
	cp "$(pkg-config --variable pcfiledir $name)/$name.pc" "$work/pc" || bad "no $name.pc"
done
configure() { # option
	PKG_CONFIG_LIBDIR=$work/pc cmake -G Ninja -S . -B "$work/build$1" "$1" > "$work/said" 2>&1
}
configure -DTALLY_TESTS=OFF || bad "the stack cannot be configured without what tests need: $(cat "$work/said")"
[ ! -e "$work/build-DTALLY_TESTS=OFF/CTestTestfile.cmake" ] || bad "tests are configured in spite of TALLY_TESTS=OFF"
configure -DTALLY_TESTS=ON && bad "tests are configured without cmocka"
tr -s '\n ' ' ' < "$work/said" > "$work/line"
says "$work/line" "cmocka is missing" "Debian's libcmocka-dev: run tools/setup tests" "-DTALLY_TESTS=OFF"
exit $status
