#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the dissector with tshark, on captures with every kind of packet, valid and malformed.
usage: dissector_test.py TALLY_CAPTURES TALLY_LUA FOLDER"""
import os
import random
import struct
import subprocess
import sys
import unittest

CAPTURES, LUA, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
SEED = int(os.environ.get("TALLY_TEST_SEED", "7"))
FUZZED = 2000
RECORD = struct.Struct("=IIII")
FILE_HEADER_BYTES = 24
TCH_BYTES = 64

# The expected info column of kinds.pcap.
CHUNK = "mid 2147483651 sid 257 num 65539 round 1 allreduce sum int32 x 2 seq 62"
LOST = "contributors 0-2, 4, 63 ranks 1"
INFO = [text.replace("JID", "jid 0xa1b2c3d4") + " done 1000002" for text in (
    f"REDUCE JID {CHUNK}",
    f"RESULT JID {CHUNK}",
    "TRIGGER JID port 1023 counter 3 allreduce sum int32 x 2 branch 6 seq 62 after 65539",
    "ACK JID seq 62 seen 4294967295, 59-60, 62",
    "BUSY JID seq 62",
    "OPEN JID epoch 0x00c0ffee node 4095 of 4096 ranks 70001 first 4294967280 segs 16 mtu 4096 exchange+ring of 3 rounds",
    "QUERY JID num 65539",
    "NOTIFY JID",
    "CONFIG JID",
    "GRANT JID",
    f"KILL JID epoch 0x00c0ffee timeout detector 513 mid 70000 sid 80000 {LOST}")]


def path_of(name):
    return os.path.join(FOLDER, name)


def lines_of(name):
    with open(path_of(name), encoding="utf-8") as f:
        return f.read().splitlines()


def tshark(capture, *options, lua=True):
    """Return the output of tshark without the user's settings. Any message on stderr is an error of the script."""
    command = ["tshark", "-r", path_of(capture), *options] + (["-X", f"lua_script:{LUA}"] if lua else [])
    environment = dict(os.environ, WIRESHARK_CONFIG_DIR=path_of("no-settings"), LC_ALL="C.UTF-8")
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    said = [line for line in ran.stderr.splitlines() if not line.startswith("Running as user")]
    if ran.returncode or said:
        raise AssertionError(f"{' '.join(command)}: status {ran.returncode}: {ran.stderr}")
    return ran.stdout


def details(capture, *options, lua=True):
    """Return the whole tree of every frame, and check that it contains no error of the script."""
    text = tshark(capture, "-V", *options, lua=lua)
    errors = {line.strip() for line in text.splitlines() if "Lua Error" in line}
    if errors:
        raise AssertionError(f"{capture}: {sorted(errors)[:5]}")
    return text


def fields(capture, *names, options=()):
    """Return a list of values for each frame."""
    wanted = [word for name in names for word in ("-e", name)]
    return [line.split("\t") for line in tshark(capture, *options, "-T", "fields", *wanted).splitlines()]


def registered():
    """Return the dissector's fields in tshark: lists with the abbreviation at 2, the type at 3, the mask at 6."""
    listed = subprocess.run(["tshark", "-G", "fields", "-X", f"lua_script:{LUA}"], capture_output=True, text=True,
                            check=True).stdout
    rows = [line.split("\t") for line in listed.splitlines()]
    return [row for row in rows if row[0] == "F" and row[2].startswith("tally.")]


def read_pcap(name):
    """Return the header of the file, and the frames as (captured bytes, length)."""
    with open(path_of(name), "rb") as f:
        data = f.read()
    at, frames = FILE_HEADER_BYTES, []
    while at < len(data):
        _, _, captured, length = RECORD.unpack_from(data, at)
        at += RECORD.size
        frames.append((data[at:at + captured], length))
        at += captured
    return data[:FILE_HEADER_BYTES], frames


def write_pcap(name, header, frames):
    with open(path_of(name), "wb") as f:
        f.write(header)
        for data, length in frames:
            f.write(RECORD.pack(0, 0, len(data), length) + data)


class DissectorTest(unittest.TestCase):
    maxDiff = None

    def compare_text(self, name):
        lines = lines_of(f"{name}.txt")
        names = lines[0].split("\t")
        shown = fields(f"{name}.pcap", *names)
        self.assertEqual(len(shown), len(lines) - 1)
        for number, (got, line) in enumerate(zip(shown, lines[1:]), 1):
            for field, value, expected in zip(names, got, line.split("\t")):
                self.assertEqual(value, expected, f"frame {number}: {field}")

    def test_every_field(self):
        """Each kind, type, operation, status and flag is shown as the generator wrote it."""
        self.compare_text("good")

    def test_no_field_left_out(self):
        """Each field of uapi/tally.yaml must have a value in tests/packet.c."""
        names = {row[2] for row in registered() if row[3] not in ("FT_BOOLEAN", "FT_NONE")}
        untested = {name for name in names if name in ("tally.pad", "tally.icrc") or ".rsvd" in name}
        self.assertGreaterEqual(len(untested), 3)
        self.assertEqual(names - untested, {name for name in lines_of("good.txt")[0].split("\t") if name[:1] != "_"})

    def test_info_column(self):
        shown = fields("kinds.pcap", "_ws.col.Protocol", "_ws.col.Info", "infiniband.bth.opcode")
        self.assertEqual(shown, [["Tally", info, "192"] for info in INFO])
        # Without a tree, as in the list of packets.
        for line, info in zip(tshark("kinds.pcap").splitlines(), INFO):
            self.assertTrue(line.endswith(info), f"{line} does not end in {info}")

    def test_info_of_multicast(self):
        """A multicast packet has no number, and is acknowledged by chunk."""
        shown = [row[0] for row in fields("good.pcap", "_ws.col.Info", options=("-Y", "tally.flags.multicast == 1"))]
        self.assertIn("ACK jid 0xa1b2c3d4 num 65539 seen 65476, 65536-65537, 65539 done 1000002 MULTICAST", shown)
        self.assertIn("RESULT jid 0xa1b2c3d4 mid 2147483651 sid 257 num 65539 allreduce sum int32 x 2 done 1000002 "
                      "MULTICAST", shown)

    def test_flags_by_name(self):
        """Each flag is a field with the value of its bit."""
        flags = [(row[2], row[2].rpartition(".")[0], int(row[6], 0)) for row in registered() if row[3] == "FT_BOOLEAN"]
        self.assertGreaterEqual(len(flags), 12)
        names = sorted({name for flag in flags for name in flag[:2]})
        frames = [dict(zip(names, row)) for row in fields("good.pcap", *names)]
        for name, word, mask in flags:
            pairs = {(frame[name] in ("1", "True"), bool(int(frame[word], 0) & mask))
                     for frame in frames if frame[word]}
            self.assertTrue(pairs <= {(False, False), (True, True)}, name)
            self.assertTrue((True, True) in pairs or word.startswith("tally.open."), f"{name} is never set")

    def test_well_formed(self):
        shown = fields("good.pcap", "tally.tag", "_ws.malformed", "_ws.expert", "_ws.lua.error")
        self.assertEqual({tuple(row) for row in shown}, {("0x54414c59", "", "", "")})
        self.assertTrue("1 elements more" in details("good.pcap"))

    def test_malformed(self):
        expected = lines_of("bad.txt")
        shown = fields("bad.pcap", "_ws.expert.message")
        self.assertEqual([row[0] for row in shown], expected)
        details("bad.pcap")

    def test_short(self):
        """A packet that ends early is short, or its payload has a wrong length if the kind has a fixed one."""
        rows = [line.split("\t") for line in lines_of("short.txt")]
        shown = fields("short.pcap", "tally.short", "tally.bad_length")
        self.assertEqual(len(shown), len(rows))
        for (short, bad_length), (kind, length, whole) in zip(shown, rows):
            about = f"{kind} of {length} bytes: {short} {bad_length}"
            free = kind in ("CONFIG", "GRANT")
            self.assertEqual(bool(short), int(length) < TCH_BYTES, about)
            self.assertEqual(bool(bad_length), not short and length != whole and not free, about)
        details("short.pcap")

    def test_cut_by_the_capture(self):
        """Frames that were captured in part are not malformed packets, wherever they end."""
        header, frames = read_pcap("kinds.pcap")
        cut = [(data[:n], length) for data, length in frames for n in range(len(data))]
        write_pcap("cut.pcap", header, cut)
        self.assertTrue("cut by the capture" in details("cut.pcap"))
        shown = fields("cut.pcap", "tally.short", "tally.bad_length", "tally.reserved", "tally.unknown_code")
        self.assertEqual(len(shown), len(cut))
        self.assertEqual({tuple(row) for row in shown}, {("", "", "", "")})

    def test_ordinary_cut(self):
        """Cut frames of others are decoded as without the dissector, and frames of Tally after them are decoded too."""
        header, frames = read_pcap("ordinary.pcap")
        cut = [(data[:n], length) for data, length in frames for n in range(len(data))]
        write_pcap("ordinary-cut.pcap", header, cut + read_pcap("kinds.pcap")[1])
        last = ("-Y", f"frame.number <= {len(cut)}")
        self.assertTrue(details("ordinary-cut.pcap", *last) == details("ordinary-cut.pcap", *last, lua=False))
        rows = fields("ordinary-cut.pcap", "_ws.col.Info", options=("-Y", "tally"))
        self.assertEqual([row[0] for row in rows], INFO)

    def test_hostile(self):
        """Random bytes in BTH, header and payload cause no error; the lengths of IP and UDP are kept."""
        header, frames = read_pcap("good.pcap")
        rng = random.Random(SEED)
        fuzzed = []
        for _ in range(FUZZED):
            data, length = rng.choice(frames)
            data = bytearray(data)
            udp_payload = 14 + (40 if data[12:14] == b"\x86\xdd" else 20) + 8
            for _ in range(rng.randint(1, 6)):
                data[rng.randrange(udp_payload + 1, len(data))] = rng.choice((0, 1, 0x7f, 0xff, rng.randrange(256)))
            fuzzed.append((bytes(data[:rng.choice((length, length, rng.randrange(length)))]), length))
        write_pcap("hostile.pcap", header, fuzzed)
        print(f"seed {SEED}")
        self.assertEqual(details("hostile.pcap", "-O", "tally").count("\nFrame "), FUZZED - 1)

    def test_ordinary_roce(self):
        """Packets that are not Tally's are shown as by the built-in dissector alone."""
        self.assertEqual(details("ordinary.pcap"), details("ordinary.pcap", lua=False))
        self.assertEqual(fields("ordinary.pcap", "frame.number", options=("-Y", "tally")), [])


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run([CAPTURES, FOLDER], check=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
