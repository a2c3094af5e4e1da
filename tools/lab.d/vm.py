# SPDX-License-Identifier: BSD-2-Clause
"""One VM of the lab: its QEMU command line, its process and its channels to the guest."""
import os
import re
import socket
import subprocess

import network
from processes import start_process

# ivshmem's BAR0 has 256 bytes: the kernel places each one in a page of its own, so that a process may map it.
PAGE_PER_BAR0 = "pci=resource_alignment=12@pci:1af4:1110"
# A panic ends QEMU (-no-reboot); an oops is a panic. On a busy host the first timer ticks come too late for the
# kernel's timer check. The other options save boot time under TCG.
KERNEL_OPTIONS = ("console=ttyS0", "panic=-1", "oops=panic", "no_timer_check", "cryptomgr.notests", "mitigations=off",
                  PAGE_PER_BAR0)
MSIX_VECTORS = 8


def have_kvm():
    """Return whether KVM works: /dev/kvm may exist and still hang the guest, so the CPU's flags decide."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = re.search(r"^flags\s*:.*$", f.read(), re.MULTILINE)
    return bool(flags and {"vmx", "svm"} & set(flags.group().split())) and os.access("/dev/kvm", os.R_OK | os.W_OK)


def quote(path):
    """Quote a path as the value of a QEMU option, which a comma would end."""
    return path.replace(",", ",,")


class Vm:
    """Index, state and channels of one VM. The channels are stream sockets to which QEMU connects.

    state: booting -> ready -> running -> exited -> (QEMU ends). status: the command's exit status once exited.
    """

    def __init__(self, index, run_dir, log, channels):
        self.index = index
        self.name = f"vm{index}"
        self.run_dir = run_dir
        self.log = log
        self.state = "booting"
        self.status = None
        self.process = None
        self.listeners = {name: self._listen(name) for name in channels}
        self.channels = {}

    def _path(self, suffix):
        return os.path.join(self.run_dir, f"{self.name}{suffix}")

    def _listen(self, channel):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self._path(f".{channel}"))
        listener.listen(1)
        return listener

    def accept(self, channel):
        """Accept QEMU's connection, which replaces the listener."""
        listener = self.listeners.pop(channel)
        self.channels[channel] = listener.accept()[0]
        listener.close()
        return self.channels[channel]

    def start(self, lab, kernel, initrd, shares):
        self.process = start_process(self.command(lab, kernel, initrd, shares),
                                     stdout=subprocess.DEVNULL, stderr=open(self._path(".qemu"), "wb"))

    def qemu_messages(self):
        """Return QEMU's output to its standard error."""
        with open(self._path(".qemu"), encoding="utf-8", errors="replace") as f:
            return f.read().strip()

    def command(self, lab, kernel, initrd, shares):
        """Return QEMU's command line. shares: (9p tag, path, read-only) triples."""
        accel = ["-accel", "kvm", "-cpu", "host"] if have_kvm() else ["-accel", "tcg,thread=multi"]
        append = [*KERNEL_OPTIONS, *kernel.options, *lab.append, f"TALLY_VM={self.index}"]
        if not have_kvm():
            append.append("watchdog_thresh=60") # an emulated CPU may wait half a minute for a busy host
        if lab.cpus > 1:
            append.append("tsc=reliable")   # TCG's counters seem unsynchronized, and all other clocks trap
        return ["qemu-system-x86_64", "-M", "q35,memory-backend=mem", *accel,
                "-m", f"{lab.mem}M", "-smp", f"{lab.cpus},sockets={lab.sockets}", *self._memory(lab),
                "-display", "none", "-nodefaults", "-no-reboot", "-serial", f"file:{quote(self.log)}",
                "-kernel", kernel.image, "-initrd", initrd, "-append", " ".join(append),
                "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
                *self._ports(), *self._shares(shares), *self._nics(lab),
                *(self._network() if lab.net else [])]

    def _memory(self, lab):
        size = f"id=mem,size={lab.mem}M"
        if lab.nics == 0:
            return ["-object", f"memory-backend-ram,{size}"]
        return ["-object", f"memory-backend-file,{size},mem-path={quote(self._path('.mem'))},share=on"]

    def _ports(self):
        arguments = []
        for name in self.listeners:
            device = "virtconsole" if name == "tty" else "virtserialport"
            arguments += ["-chardev", f"socket,id={name},path={quote(self._path('.' + name))}",
                          "-device", f"{device},chardev={name},name={name}"]
        return arguments

    def _shares(self, shares):
        arguments = []
        for tag, path, read_only in shares:
            arguments += ["-virtfs", f"local,path={quote(path)},security_model=none,mount_tag={tag},multidevs=remap"
                          + (",readonly=on" if read_only else "")]
        return arguments

    def _nics(self, lab):
        arguments = []
        for nic in range(lab.nics):
            path = quote(self._path(f"-nic{nic}.sock"))
            arguments += ["-chardev", f"socket,id=nic{nic},path={path}",
                          "-device", f"ivshmem-doorbell,chardev=nic{nic},vectors={MSIX_VECTORS}"]
        return arguments

    def _network(self):
        path = quote(os.path.join(self.run_dir, network.SOCKET))
        return ["-netdev", f"stream,id=lan,server=off,addr.type=unix,addr.path={path}",
                "-device", f"virtio-net-pci,netdev=lan,mac={network.mac(self.index)},romfile="]
