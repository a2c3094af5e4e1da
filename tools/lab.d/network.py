# SPDX-License-Identifier: BSD-2-Clause
"""The management network of the VMs: an Ethernet switch on a unix socket, to which each VM's QEMU connects. Its frames
never leave the lab's process, and it has the keys with which the VMs reach each other by ssh."""
import os
import selectors
import socket
import subprocess
import threading

SOCKET = "lan.sock"         # name in the run folder
PREFIX = "10.77.0"          # VM i has host number i + 1
TOOLS = ("dropbear", "dropbearkey", "ssh", "ssh-keygen")
MODULE = "virtio_net"
LENGTH = 4                  # bytes before each frame, which hold its length
MAX_WAITING = 4 << 20       # bytes that may wait for a VM; further frames to it are lost, as in a real switch


def mac(index):
    """Return the address of a VM's network interface."""
    return f"02:54:4c:00:00:{index:02x}"


def write_files(share, vms):
    """Write what guest-run installs in each VM: names, and keys for ssh."""
    with open(os.path.join(share, "hosts"), "w", encoding="ascii") as f:
        f.write("127.0.0.1 localhost\n")
        f.writelines(f"{PREFIX}.{index + 1} vm{index}\n" for index in range(vms))
    folder = os.path.join(share, "ssh")
    os.mkdir(folder)
    key = os.path.join(folder, "id_ed25519")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tally", "-f", key], check=True)
    os.rename(f"{key}.pub", os.path.join(folder, "authorized_keys"))
    shown = subprocess.run(["dropbearkey", "-t", "ed25519", "-f", os.path.join(folder, "host_key")],
                           check=True, capture_output=True, text=True).stdout
    public = next(line for line in shown.splitlines() if line.startswith("ssh-ed25519 "))
    with open(os.path.join(folder, "known_hosts"), "w", encoding="ascii") as f:
        f.write(f"* {public}\n")
    with open(os.path.join(folder, "config"), "w", encoding="ascii") as f:
        # GSSAPI costs seconds under TCG; a question would wait for ever.
        f.write("GSSAPIAuthentication no\nBatchMode yes\nLogLevel ERROR\n")


class Port:
    """A VM's connection: what arrived of an incomplete frame, and what waits to be sent."""

    def __init__(self, stream):
        stream.setblocking(False)
        self.stream = stream
        self.received = bytearray()
        self.waiting = bytearray()

    def frames(self):
        """Read what has arrived; return its complete frames, each with its length, or None at the end."""
        try:
            data = self.stream.recv(1 << 18)
        except BlockingIOError:
            return []
        except ConnectionError:
            return None
        if not data:
            return None
        self.received += data
        frames = []
        while len(self.received) >= LENGTH:
            end = LENGTH + int.from_bytes(self.received[:LENGTH], "big")
            if len(self.received) < end:
                break
            frames.append(bytes(self.received[:end]))
            del self.received[:end]
        return frames

    def send(self, frame):
        if len(self.waiting) + len(frame) <= MAX_WAITING:
            self.waiting += frame
            self.flush()

    def flush(self):
        try:
            while self.waiting:
                del self.waiting[:self.stream.send(self.waiting)]
        except BlockingIOError:
            pass
        except ConnectionError:
            self.waiting.clear()    # its end is read soon


class Switch(threading.Thread):
    """Forwards frames between its ports, in a thread of its own, because the lab may wait for its user's terminal."""

    def __init__(self, run_dir):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.ports = []
        self.places = {}    # address -> port at which it was seen
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(os.path.join(run_dir, SOCKET))
        listener.listen(64)
        self.selector.register(listener, selectors.EVENT_READ)

    def run(self):
        while True:
            for key, events in self.selector.select():
                if key.data is None:
                    self._accept(key.fileobj)
                    continue
                if events & selectors.EVENT_WRITE:
                    key.data.flush()
                if events & selectors.EVENT_READ:
                    self._receive(key.data)
            self._watch()

    def _accept(self, listener):
        port = Port(listener.accept()[0])
        self.ports.append(port)
        self.selector.register(port.stream, selectors.EVENT_READ, port)

    def _receive(self, port):
        frames = port.frames()
        if frames is None:
            self.ports.remove(port)
            self.selector.unregister(port.stream)
            port.stream.close()
            self.places = {address: place for address, place in self.places.items() if place is not port}
            return
        for frame in frames:
            self._forward(port, frame)

    def _forward(self, port, frame):
        destination, source = frame[LENGTH:LENGTH + 6], frame[LENGTH + 6:LENGTH + 12]
        self.places[source] = port
        known = self.places.get(destination)
        for other in [known] if known else self.ports:
            if other is not port:
                other.send(frame)

    def _watch(self):
        """Wait for room only where something waits to be sent."""
        for port in self.ports:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if port.waiting else 0)
            if self.selector.get_key(port.stream).events != events:
                self.selector.modify(port.stream, events, port)
