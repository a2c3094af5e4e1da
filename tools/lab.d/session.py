# SPDX-License-Identifier: BSD-2-Clause
"""One run of the lab: simulator and VMs from start to clean-up, and the execution of the command."""
import contextlib
import glob
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import initramfs
import kernel_log
import mpi
import network
import slowness
from processes import STATUS_LAB, LabError, say, start_process
from vm import Vm

DRIVERS = ("tally", "tally_ib")     # in loading order
STATUS_COMPLAINT = 1                # the command succeeded, but the guest's kernel complained
STATUS_USAGE = 2                    # as of argparse and of tallysim
STATUS_TIMEOUT = 124                # as in timeout(1)
POWER_OFF_SECONDS = 20
TERMINATE_SECONDS = 20              # NICs of hardware write and free much on a busy machine
# Variables that the lab sets itself and does not pass on.
OWN_VARIABLES = ("TALLY_VM", "TALLY_VMS", "TALLY_NICS", "TALLY_SHARE", "TALLY_CONTROL", "TALLY_SLOWNESS")
PASSED_ON = ("TALLY_", "OMPI_MCA_", "MPIR_CVAR_", "UCX_")     # beginnings of names of variables
CONTROL_SOCKET = "control.sock"     # name in the folder of tallysim serve
QUIT_SHELL = b"\x1d"                # Ctrl-]
END_OF_INPUT = b"\x04"              # Ctrl-D
END_OF_INPUT_SECONDS = 0.5


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Output:
    """Copies a guest's output to a file descriptor, with an optional prefix before each line."""

    def __init__(self, fd, prefix=b""):
        self.fd = fd
        self.prefix = prefix
        self.rest = b""

    def add(self, data):
        if not self.prefix:
            write_all(self.fd, data)
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            write_all(self.fd, self.prefix + line + b"\n")

    def finish(self):
        if self.rest:
            write_all(self.fd, self.prefix + self.rest + b"\n")
            self.rest = b""


class Session:
    """Owns the content of the run folder, the simulator and the VMs. run() returns the lab's exit status."""

    def __init__(self, lab, checkout, kernel, run_dir):
        self.lab = lab
        self.checkout = checkout
        self.kernel = kernel
        self.slowness = slowness.factor(kernel.name, lab.engine)
        self.run_dir = run_dir
        self.share = os.path.join(run_dir, "share")
        self.selector = selectors.DefaultSelector()
        self.deadline = time.monotonic() + lab.timeout if lab.timeout else None
        self.simulator = None
        self.control = os.path.join(run_dir, CONTROL_SOCKET)
        self.host = None        # the process of --host
        self.vms = []
        self.outputs = []
        self.stopping = False

    def run(self):
        try:
            self._prepare()
            if self.lab.nics:
                self._start_simulator()
            self._boot()
            self._start_host_command()
            status = self._command()
            self._power_off()
        except LabError as error:
            self._drain()
            say(error)
            status = error.status
        return self._judge(status)

    # Before the boot

    def _prepare(self):
        os.mkdir(self.share)
        with open(os.path.join(self.share, "guest.conf"), "w", encoding="utf-8") as f:
            f.writelines(f"{name}={shlex.quote(str(value))}\n" for name, value in self._guest_conf().items())
        command = os.path.join(self.share, "command")
        with open(command, "w", encoding="utf-8") as f:
            f.write(self._command_script())
        os.chmod(command, 0o755)
        for program in (os.path.join(self.checkout, "tools/lab.d/guest-run"), "/bin/busybox"):
            shutil.copy(program, self.share)    # a root given by --root has neither
        if self.lab.net:
            network.write_files(self.share, self.lab.vms)
        if self.lab.net or self.lab.action == "mpirun":
            mpi.build_library(os.path.join(self.checkout, "tools/lab.d"), self.share)
        initramfs.build(self.kernel, self._driver_files(), [network.MODULE] if self.lab.net else [],
                        os.path.join(self.checkout, "tools/lab.d/guest-init"), os.path.join(self.run_dir, "stage"),
                        os.path.join(self.run_dir, "initrd"))

    def _driver_files(self):
        if self.lab.nics == 0 or self.lab.root:
            return []
        folder = self.kernel.module_folder(self.checkout)
        return [os.path.join(folder, f"{name}.ko") for name in DRIVERS]

    def _guest_conf(self):
        size = shutil.get_terminal_size()
        return {"WORK": "" if self.lab.root else self.checkout, "CWD": self._guest_folder(), "KERNEL": self.lab.kernel,
                "ENGINE": self.lab.engine,
                "MODULES": " ".join(DRIVERS) if self.lab.nics else "",
                "NETWORK": network.PREFIX if self.lab.net else "",
                "TALLY_VMS": self.lab.vms, "TALLY_NICS": self.lab.nics,
                "TALLY_CONTROL": self.control, "TALLY_SLOWNESS": self.slowness,
                "TERM": os.environ.get("TERM", "linux"), "ROWS": size.lines, "COLS": size.columns}

    def _guest_folder(self):
        """Return the user's folder if it is in the checkout, the only folder that guest and host always share."""
        if self.lab.root:
            return "/"
        here = os.getcwd()
        return here if os.path.commonpath([here, self.checkout]) == self.checkout else self.checkout

    def _command_script(self):
        settings = [f"export {name}={shlex.quote(value)}\n" for name, value in sorted(os.environ.items())
                    if name.startswith(PASSED_ON) and name.isidentifier() and name not in OWN_VARIABLES]
        command = self.lab.command
        if self.lab.action == "mpirun":
            command = mpi.command(self.lab, self._guest_folder(), self.checkout)
        return "".join(["#!/bin/sh\n", *settings, f"cd {shlex.quote(self._guest_folder())} || exit 125\n",
                        f"exec {shlex.join(command)}\n" if command else ""])

    def _start_simulator(self):
        lab = self.lab
        command = [os.path.join(self.checkout, "build/bin/tallysim"), "serve", "--dir", self.run_dir,
                   "--vms", str(lab.vms), "--nics", str(lab.nics), "--mem-mb", str(lab.mem), "--engine", lab.engine]
        if lab.pcap:
            try:
                os.makedirs(lab.pcap, exist_ok=True)
            except OSError as error:
                raise LabError(f"--pcap {lab.pcap}: {error.strerror}") from error
            command += ["--pcap", os.path.abspath(lab.pcap)]
        for fault in lab.fault:
            command += ["--fault", fault]
        with open(os.path.join(self.run_dir, "tallysim.log"), "wb") as log:
            self.simulator = start_process(command, stdout=log, stderr=log)
        ready = os.path.join(self.run_dir, "ready")
        while not os.path.exists(ready):
            if self.simulator.poll() is not None:
                self._simulator_ended()
            self._check_deadline()
            time.sleep(0.01)
        self._watch_process(self.simulator, self._simulator_ended)

    # Events

    def _watch_process(self, process, ended):
        fd = os.pidfd_open(process.pid)

        def reap():
            self.selector.unregister(fd)
            os.close(fd)
            process.wait()
            ended()
        self.selector.register(fd, selectors.EVENT_READ, reap)

    def _check_deadline(self):
        if self.deadline and time.monotonic() >= self.deadline:
            states = ", ".join(f"{vm.name} {vm.state}" for vm in self.vms) or "no VM started"
            self._show_logs(self.vms)
            raise LabError(f"time limit of {self.lab.timeout} s passed ({states})", STATUS_TIMEOUT)

    def _wait(self, done, seconds=None):
        """Handle events until done() is true; return False if that takes longer than the given seconds."""
        end = time.monotonic() + seconds if seconds else None
        while not done():
            self._check_deadline()
            limits = [limit - time.monotonic() for limit in (end, self.deadline) if limit]
            if end and time.monotonic() >= end:
                return False
            for key, _ in self.selector.select(max(0, min(limits)) if limits else None):
                key.data()
        return True

    def _simulator_ended(self):
        usage = self.simulator.returncode == STATUS_USAGE     # it refuses a value of --fault, say
        raise LabError(f"tallysim ended with status {self.simulator.returncode}:\n{self._simulator_messages()}",
                       *([STATUS_USAGE] if usage else []))

    def _simulator_messages(self):
        return "\n".join(kernel_log.read(os.path.join(self.run_dir, "tallysim.log"))[-40:])

    def _vm_ended(self, vm):
        vm.state = "ended"
        if not self.stopping:
            self._show_logs([vm])
            raise LabError(f"{vm.name} ended before its work was done (QEMU status {vm.process.returncode})")

    def _show_logs(self, vms):
        for vm in vms:
            for line in kernel_log.read(vm.log)[-40:]:
                say(f"{vm.name}: {line}")
            if vm.process and vm.qemu_messages():
                say(f"{vm.name}: QEMU: {vm.qemu_messages()}")

    # From boot to power-off

    def _boot(self):
        start = time.monotonic()
        channels = ["ctl", "out", "err"] + (["tty"] if self.lab.shell else [])
        shares = [("run", self.share, False), ("root", self.lab.root or "/", True)]
        if not self.lab.root:
            shares += [("modules", self.kernel.directory, True), ("work", self.checkout, False)]
        if self.lab.net:
            network.Switch(self.run_dir).start()
        say(f"booting {self.lab.vms} VM{'s' * (self.lab.vms > 1)} with {self.lab.nics} NIC{'s' * (self.lab.nics != 1)} each")
        for index in range(self.lab.vms):
            vm = Vm(index, self.run_dir, self._log_file(index), channels)
            self.vms.append(vm)
            for channel in channels:
                self._expect(vm, channel)
            vm.start(self.lab, self.kernel, os.path.join(self.run_dir, "initrd"), shares)
            self._watch_process(vm.process, lambda vm=vm: self._vm_ended(vm))
        self._wait(lambda: all(vm.state == "ready" for vm in self.vms))
        say(f"ready after {time.monotonic() - start:.1f} s" + "; exit or Ctrl-] leaves the shell" * self.lab.shell)

    def _log_file(self, index):
        if not self.lab.log:
            return os.path.join(self.run_dir, f"vm{index}.log")
        return os.path.abspath(self.lab.log + (f".vm{index}" if index else ""))

    def _expect(self, vm, channel):
        listener = vm.listeners[channel]

        def accept():
            self.selector.unregister(listener)
            stream = vm.accept(channel)
            handler = self._handler(vm, channel)
            self.selector.register(stream, selectors.EVENT_READ, lambda: self._read(stream, handler))
        self.selector.register(listener, selectors.EVENT_READ, accept)

    def _handler(self, vm, channel):
        if channel == "ctl":
            return self._orders(vm)
        prefix = f"{vm.name}: ".encode() if self.lab.all and self.lab.vms > 1 else b""
        output = Output(sys.stderr.fileno() if channel == "err" else sys.stdout.fileno(), prefix)
        self.outputs.append(output)
        return output.add

    def _read(self, stream, handler):
        data = stream.recv(65536)
        if data:
            handler(data)
        else:
            self.selector.unregister(stream)
            stream.close()

    def _orders(self, vm):
        rest = b""

        def add(data):
            nonlocal rest
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._report(vm, line.decode(errors="replace").split())
        return add

    def _report(self, vm, words):
        """Handle a report of the guest; guest-run describes the protocol."""
        if words == ["ready"] and vm.state == "booting":
            vm.state = "ready"
        elif words == ["prompt"] and vm.state == "running" and self.lab.shell:
            self._relay_input(vm)
        elif len(words) == 2 and words[0] == "exit" and words[1].isdecimal() and vm.state == "running":
            vm.state = "exited"
            vm.status = int(words[1])
        else:
            raise LabError(f"{vm.name} reported {words} while {vm.state}")

    def _command(self):
        """Run the command in the selected VMs; return the first failure in the order of the VMs."""
        chosen = self.vms if self.lab.all else self.vms[:1]
        for vm in chosen:
            vm.state = "running"
            vm.channels["ctl"].sendall(b"shell\n" if self.lab.shell else b"run\n")
        self._wait(lambda: all(vm.state == "exited" for vm in chosen))
        return next((vm.status for vm in chosen if vm.status), 0)

    def _start_host_command(self):
        if not self.lab.host:
            return
        environment = {**os.environ, "TALLY_CONTROL": self.control, "TALLY_SHARE": self.share}
        self.host = start_process(["sh", "-c", self.lab.host], env=environment)
        self._watch_process(self.host, self._host_ended)

    def _host_ended(self):
        if self.host.returncode and not self.stopping:
            raise LabError(f"the command on the host ended with status {self.host.returncode}: {self.lab.host}")

    def _relay_input(self, vm):
        fd = sys.stdin.fileno()

        def end_input():
            """Repeat the key: one that arrives before the shell has its prompt ends nothing."""
            with contextlib.suppress(OSError):  # the VM may end meanwhile
                while vm.state == "running":
                    vm.channels["tty"].sendall(END_OF_INPUT)
                    time.sleep(END_OF_INPUT_SECONDS)

        def relay():
            data = os.read(fd, 4096)
            if not data:
                self.selector.unregister(fd)
                threading.Thread(target=end_input, daemon=True).start()
                return
            if QUIT_SHELL in data:
                raise LabError("left by Ctrl-]", 0)
            vm.channels["tty"].sendall(data)
        self.selector.register(fd, selectors.EVENT_READ, relay)

    def _power_off(self):
        self.stopping = True
        for vm in self.vms:
            vm.channels["ctl"].sendall(b"stop\n")
        limit = POWER_OFF_SECONDS * self.slowness
        if not self._wait(lambda: all(vm.state == "ended" for vm in self.vms), limit):
            late = ", ".join(vm.name for vm in self.vms if vm.state != "ended")
            raise LabError(f"{late} did not power off within {limit} s")
        self._drain()

    def _drain(self):
        """Pass on the remaining data of the channels; a guest that ended has closed them."""
        for key in list(self.selector.get_map().values()):
            if key.fileobj in [vm.channels.get(name) for vm in self.vms for name in ("out", "err", "tty")]:
                key.fileobj.setblocking(False)
                try:
                    while key.fileobj.fileno() >= 0:
                        key.data()
                except BlockingIOError:
                    pass
        for output in self.outputs:
            output.finish()

    # After the run

    def _judge(self, status):
        for vm in self.vms:
            shown = kernel_log.complaints(kernel_log.read(vm.log))
            if shown:
                say(f"{vm.name}: the kernel complained:")
                for line in shown:
                    say(f"{vm.name}: {line}")
                status = status or STATUS_COMPLAINT
        return status or self._stop_simulator()

    def _stop_simulator(self):
        """End the simulator normally, so that a sanitized one reports errors; return 0 if there are none."""
        if not self.simulator:
            return 0
        self._terminate([self.simulator])
        if self.simulator.returncode in (0, -signal.SIGTERM):
            return 0
        say(f"tallysim ended with status {self.simulator.returncode}:\n{self._simulator_messages()}")
        return STATUS_LAB

    @staticmethod
    def _terminate(processes):
        """Terminate processes; kill those that do not end in time."""
        for process in processes:
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + TERMINATE_SECONDS
        for process in processes:
            try:
                process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def clean_up(self):
        """Remove all processes and files, whatever happened before."""
        if self.host:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.host.pid, signal.SIGTERM)    # a shell does not pass it on
        self._terminate([process for process in (self.host, *(vm.process for vm in self.vms)) if process])
        if self.simulator:
            self._terminate([self.simulator])
        for link in glob.glob(os.path.join(glob.escape(self.run_dir), "vm*.mem")):
            memory = os.path.realpath(link)     # left by a killed simulator
            if memory.startswith("/dev/shm/") and os.path.exists(memory):
                os.unlink(memory)
        shutil.rmtree(self.run_dir, ignore_errors=True)
