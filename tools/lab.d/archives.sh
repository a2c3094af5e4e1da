# SPDX-License-Identifier: BSD-2-Clause
# Sourced by scripts that make a Debian in a folder, of the same release as this machine, from the archives of its apt
# configuration. These scripts define say and die.

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")

# Print the settings with which this machine's apt reaches its archives, as a configuration file.
apt_settings() {
	apt-config dump | grep -E '^Acquire::.*(Proxy|Check-Valid-Until|Check-Date|Retries|Timeout)' || true
}

apt_sources() {
	find /etc/apt/sources.list /etc/apt/sources.list.d \( -name '*.list' -o -name '*.sources' \) -size +0 2> /dev/null || true
}

# Install mmdebstrap's minbase in a new folder. Options for it may follow. The settings for apt are in a file beside the
# folder.
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
