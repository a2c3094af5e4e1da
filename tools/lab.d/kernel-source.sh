# SPDX-License-Identifier: BSD-2-Clause
# Sourced by scripts that build a kernel from Debian's source package into the cache. Their name is in `program`, the
# folder of an incomplete kernel, which clean_up removes, in `temp`.

PATH=$PATH:/usr/sbin:/sbin	# for depmod; a plain user's PATH lacks it
kernels=${XDG_CACHE_HOME:-$HOME/.cache}/tally/kernel

say() { echo "$program: $*" >&2; }
die() { say "$*"; exit 1; }

# Find the newest source package's tarball, for example /usr/src/linux-source-6.1.tar.xz.
find_source() {
	tarball=$(printf '%s\n' /usr/src/linux-source-*.tar.xz | sort -V | tail -n 1)
	[ -e "$tarball" ] || die "no /usr/src/linux-source-*.tar.xz: run tools/setup kernel"
	source_name=$(basename "$tarball" .tar.xz)
	source_version=$(dpkg-query -W -f '${Version}' "$source_name") || die "$tarball belongs to no package $source_name"
}

# Run a command such that a signal to this script ends it too. Without wait, bash would delay the signal.
run() {
	"$@" < /dev/null & child=$!
	wait "$child" || return
	child=
}

# Run a make. It is silent, but on a terminal the number of files that it has compiled is shown.
run_make() {
	local shown='/^ +(CC|AS) / { printf "\r%s: %d files compiled", program, ++n; fflush() } END { if (n) printf "\r\033[K" }'
	if [ -t 2 ]; then
		run "$@" > >(awk -v program="$program" "$shown" >&2)
	else
		run "$@" -s
	fi
}

clean_up() {
	[ -z "${child:-}" ] || { kill "$child" && wait "$child"; } 2> /dev/null || true
	[ -z "${temp:-}" ] || rm -rf "$temp"
}

# On a signal, end the running command and remove incomplete files.
clean_up_at_exit() {
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}
