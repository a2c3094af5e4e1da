#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/bare-root runs a command in a root of its own and leaves nothing behind, however the command ends. Nothing is
# downloaded: the mmdebstrap of this test creates a root of busybox and two packages.

[ "$(id -u)" -eq 0 ] || { echo "only root can make a root"; exit 77; }
unshare --mount --pid --fork true 2> /dev/null || { echo "no namespaces here"; exit 77; }
[ -n "$(command -v git)" ] || { echo "no git here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; cat "$work/said"; status=1; }

mkdir -p "$work/bin" "$work/tmp" "$work/tree/tools/lab.d"
cat > "$work/bin/mmdebstrap" <<'END'
#!/bin/bash
for root; do [[ $root != */root ]] || break; done
mkdir -p "$root"/{bin,etc,dev,proc,sys,root,tmp,var/lib/dpkg/info}
cp /bin/busybox "$root/bin"
for applet in sh cat ls sleep touch; do ln -s busybox "$root/bin/$applet"; done
printf 'Package: %s\nStatus: install ok installed\nVersion: 1\nArchitecture: all\nMaintainer: me\nDescription: it\n\n' one two > "$root/var/lib/dpkg/status"
END
chmod +x "$work/bin/mmdebstrap"
cp tools/bare-root "$work/tree/tools"
cp tools/lab.d/archives.sh "$work/tree/tools/lab.d"
git -C "$work/tree" init -q
git -C "$work/tree" add tools
git -C "$work/tree" -c user.name=tally -c user.email=tally@localhost commit -q -m "a tree"

bare_root() {
	PATH=$work/bin:$PATH TMPDIR=$work/tmp "$work/tree/tools/bare-root" "$@" > "$work/out" 2> "$work/said"
}

nothing_left() { # event
	[ -z "$(ls "$work/tmp")" ] || bad "after $1 there is $(ls "$work/tmp")"
	! grep -F "$work" /proc/mounts || bad "after $1 something is mounted"
	! readlink /proc/[0-9]*/root | grep -F "$work" || bad "after $1 a process runs there"
}

# Arguments, exit status and folder pass through. The root has no variable of ours, and its own processes and devices.
PLANTED=1 bare_root sh -c 'pwd; ls; echo "$1|$PLANTED|$$"; cat /dev/null /proc/1/comm; ls /dev; exit 7' sh 'two  words'
[ $? -eq 7 ] || bad "the exit status is not 7"
for line in /root/tally tools 'two  words||1' sh pts null shm; do
	grep -qx -e "$line" "$work/out" || bad "no line '$line' in: $(cat "$work/out")"
done
grep -q 'exit status 7 after 0 min . s; 0 packages installed besides the 2 of' "$work/said" || bad "no summary"
nothing_left "a command that fails"

if [ -e /dev/kvm ]; then
	bare_root ls /dev/kvm || bad "no /dev/kvm"
fi
bare_root --no-kvm ls /dev/kvm && bad "/dev/kvm is not hidden"

# A signal ends the command in the root.
PATH=$work/bin:$PATH TMPDIR=$work/tmp "$work/tree/tools/bare-root" sh -c 'touch /root/tally/began; sleep 1000' 2> "$work/said" & runner=$!
until [ -e "$(echo "$work"/tmp/*/root/root/tally/began)" ]; do
	[ -d "/proc/$runner" ] || { bad "tools/bare-root ended early"; break; }
	sleep 0.05
done
kill -TERM "$runner"
wait "$runner"
[ $? -eq 143 ] || bad "the exit status is not 143"
nothing_left "a signal"
exit $status
