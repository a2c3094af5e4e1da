# SPDX-License-Identifier: BSD-2-Clause
"""Reads a trace of `tallysim bench`, and walks back from the last completion to the call that it waited for."""
import collections
import json
import re

from run import BenchError

Span = collections.namedtuple("Span", "track name start end bytes")     # picoseconds
PS = {"ps": 1, "ns": 1000, "us": 1000000}


class TraceError(BenchError):
    """The trace does not contain the cause of an event."""


class Costs:
    """The values of a parameter file that the walk needs: times in picoseconds."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            found = re.findall(r"(?m)^([\w.]+) = (\S+) (\S+) --", file.read())
        values = {key: (float(value), unit) for key, value, unit in found}
        metre = values["link.propagation"][0] * 1000
        self.link = round(values["link.cable"][0] * metre)
        self.trunk = round(values["trunk.cable"][0] * metre)
        latency, unit = values["switch.latency"]
        self.switch = round(latency * PS[unit])
        self.clock_mhz = values["nic.clock"][0]


def host_of(process):
    """Return host3, the name in links, for "host 3" and "nic 3"; None for a link."""
    kind, _, name = process.partition(" ")
    return f"host{name}" if kind in ("host", "nic") else None


class Trace:
    """The spans of a trace: those of each host and its NIC by end, those of each direction of a link in order."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            # Times are microseconds with six decimals, so removing the point gives picoseconds.
            events = json.load(file, parse_float=lambda text: int(text.replace(".", "")))["traceEvents"]
        process = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.ended = collections.defaultdict(list)      # by (host, end): spans of the host and its NIC
        self.packets = collections.defaultdict(list)    # by host: packets of its engine, in the order of sending
        self.into = collections.defaultdict(list)       # by end of a link: frames towards it
        self.polls = []
        for event in events:
            if event["ph"] != "X":
                continue
            where = process[event["pid"]]
            span = Span(thread[event["pid"], event["tid"]], event["name"], event["ts"], event["ts"] + event["dur"],
                        event.get("args", {}).get("bytes"))
            host = host_of(where)
            if host is None:
                self.into[span.track.partition(" to ")[2]].append(span)
            else:
                self.ended[host, span.end].append(span)
                if span.track.startswith("engine") and span.name not in ("write", "completion"):
                    self.packets[host].append(span)
                if span.name == "poll":
                    self.polls.append((span.end, host, span))


class Walk:
    """`steps` is the path, the last step first: (kind, what, host or switch, start, end) in picoseconds."""

    def __init__(self, trace, costs):
        self.trace, self.costs, self.steps = trace, costs, []
        _, host, poll = max(trace.polls)
        self.note("host", "poll", host, poll.start, poll.end)
        self.nic(host, self.completion(host, poll.start))

    def note(self, kind, what, where, start, end):
        if end > start:
            self.steps.append((kind, what, where, start, end))

    def completion(self, host, seen):
        """Return the time when the completion was in memory; the host's clock has whole nanoseconds."""
        for end in range(seen + 1000, seen - 1001, -1):
            if any(span.name == "CQE write" for span in self.trace.ended.get((host, end), [])):
                self.note("host", "clock", host, end, seen)
                return end
        raise TraceError(f"{host}: no completion came at {seen} ps")

    KINDS = {"doorbells": "PCIe", "work requests": "PCIe", "DMA reads": "PCIe", "DMA writes": "PCIe",
             "completions": "PCIe", "engine": "engine"}

    def nic(self, host, time):
        """Walk back from something that the NIC began, or had, at `time`, to the call."""
        while True:
            spans = [span for span in self.trace.ended.get((host, time), []) if span.start < time
                     and span.name not in ("wait", "poll")]
            if spans:
                span = max(spans, key=lambda span: (span.start, span.name))
                track = re.sub(r" \d+$", "", span.track)
                self.note(self.KINDS.get(track, "host"), span.name, host, span.start, time)
                time = span.start
                if span.name == "call":
                    return
            else:
                host, time = self.network(host, time)

    def network(self, host, time):
        """Walk back over links and switches. Return the NIC that sent the frame that arrived at `time`, and when."""
        place, cable = host, self.costs.link
        frame = next((f for f in self.trace.into[place] if f.end + cable == time), None)
        if not frame:
            raise TraceError(f"{host}: nothing came before {time} ps")
        self.note("cables", "cable", place, frame.end, time)
        self.note("wire", "frame", place, frame.start, frame.end)
        while True:
            place = frame.track.partition(" to ")[0]
            if place.startswith("host"):
                return place, self.ready(place, frame)
            frame = self.before(place, frame)

    def ready(self, host, frame):
        """Return when the NIC had formed the packet `frame`; it sends in the order in which it started to form them."""
        leaf = frame.track.partition(" to ")[2]
        frames = [other for other in self.trace.into[leaf] if other.track == frame.track]
        packets = self.trace.packets[host]
        if len(frames) != len(packets):
            raise TraceError(f"{host}: {len(packets)} packets, but {len(frames)} frames on its cable")
        packet = packets[frames.index(frame)]
        self.note("transmit queue", "queue", host, packet.end, frame.start)
        self.note("engine", packet.name, host, packet.start, packet.end)
        return packet.start

    def before(self, switch, out):
        """Return the frame that entered a switch and left it as `out`; of several, the one that arrived last."""
        best = None
        for frame in self.trace.into[switch]:
            cable = self.costs.link if frame.track.startswith("host") else self.costs.trunk
            there = frame.start + cable + self.costs.switch
            same = (frame.name, frame.bytes) == (out.name, out.bytes)
            if same and there <= out.start and (best is None or there > best[0]):
                best = (there, cable, frame)
        if not best:
            raise TraceError(f"{switch}: nothing came before {out.start} ps")
        there, cable, frame = best
        self.note("queues", "queue", switch, there, out.start)
        self.note("switches", "switch", switch, there - self.costs.switch, there)
        self.note("cables", "cable", switch, frame.start, frame.start + cable)
        return frame
