# SPDX-License-Identifier: BSD-2-Clause
# For scripts that make a Debian in a folder, from the archives that this machine's apt is configured for, so that it is of
# the same release; sourced by them. They have say and die.

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")

# What tells this machine's apt how to reach its archives, as a file for the other's.
apt_settings() {
	apt-config dump | grep -E '^Acquire::.*(Proxy|Check-Valid-Until|Check-Date|Retries|Timeout)' || true
}

apt_sources() {
	find /etc/apt/sources.list /etc/apt/sources.list.d \( -name '*.list' -o -name '*.sources' \) -size +0 2> /dev/null || true
}

# Fill a new folder with what mmdebstrap calls minbase. Its options may follow; apt's settings lie beside the folder meanwhile.
bootstrap() { # folder, options
	local folder=$1 sources status=0
	shift
	mapfile -t sources < <(apt_sources)
	[ ${#sources[@]} -gt 0 ] || die "there is neither /etc/apt/sources.list nor a file of /etc/apt/sources.list.d"
	apt_settings > "$folder.apt.conf"
	mmdebstrap --quiet --variant=minbase --aptopt="$folder.apt.conf" "$@" "$suite" "$folder" "${sources[@]}" >&2 || status=$?
	rm "$folder.apt.conf"
	[ "$status" -eq 0 ] || die "mmdebstrap failed, as it says above"
}
