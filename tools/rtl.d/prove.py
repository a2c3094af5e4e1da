# SPDX-License-Identifier: BSD-2-Clause
"""proves the properties of proof/BLOCK_proof.svh

berkeley-abc proves them: its pdr finds the induction by itself, so that a proof holds for runs of any length. If that
takes too long, a PROVE line has BOUND=N, and all runs of N cycles are checked instead. Each cover() of the file must be
reached, which shows that the assumptions leave something to prove.
--short omits lines with LONG=1, and checks runs of SHORT=N cycles instead of BOUND where a line has both. Without it, yosys-smtbmc with z3, which shares no code with berkeley-abc, also checks
all runs of BOUND cycles, of SMT=N cycles if z3 would take too long for BOUND, or of a dozen.
--cached prints the result of a proof that the same programs have found for the same files; comments do not count."""
import hashlib
import os
import re
import shutil
import tempfile

import blocks

SMT_BOUND = 12
COVER_BOUND = 100
SECONDS = 3600      # of a proof
OWN = ("BOUND", "SHORT", "SMT", "LONG")     # entries of a PROVE line that are no parameters of the block

ELABORATE = "proc; flatten -noscopeinfo; chformal -lower; write_rtlil read.il"
# Undefined values (an index out of range, a register without a reset) may be anything: setundef must precede opt, which
# would choose a value.
PREPARE = """read_rtlil read.il; setundef -undriven -anyseq; opt -full -nodffe -nosdff; memory_map; setundef -anyseq; \
async2sync; formalff -clk2ff -ff2anyinit; dffunmap; opt -full -nodffe -nosdff; setundef -anyseq; write_rtlil proof.il"""
READ = "read_rtlil proof.il; "
TO_AIGER = """techmap; opt -fast -nodffe -nosdff; dffunmap; setundef -anyseq; dfflegalize -cell $_DFF_P_ 01; aigmap; \
delete -output; opt_clean; write_aiger -I -B -zinit -no-startoffset {}.aig"""
PROPERTIES = READ + "delete t:$cover; " + TO_AIGER.format("proof")
# A cover is reached if the assertion of its opposite fails.
COVERS = READ + "delete t:$assert; techmap -map cover.v; " + TO_AIGER.format("cover")
# write_smt2 of yosys 0.23 misreads a $reduce_bool whose result is wider than one bit.
TO_SMT = READ + "delete t:$cover; simplemap t:$reduce_bool; write_smt2 -wires proof.smt2"
COVER_MAP = """module \\$cover (input A, input EN);
  \\$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
"""


def options(parser):
    parser.add_argument("--short", action="store_true", help="without LONG lines and yosys-smtbmc")
    parser.add_argument("--cached", action="store_true", help="do not repeat a proof of the same files")


class Proof:
    """One PROVE line of a block, in a folder of its own."""

    def __init__(self, block, line, short, folder):
        self.what = blocks.label(block, line)
        self.folder = folder
        parameters, said = blocks.split(line, OWN)
        self.bound = said.get("SHORT") if short and "SHORT" in said else said.get("BOUND")
        self.smt_bound = said.get("SMT") or self.bound or SMT_BOUND
        self.covers = 0
        blocks.elaborate(block, parameters, folder, ELABORATE, formal=True)
        self.yosys(PREPARE)
        with open(os.path.join(folder, "proof.il"), encoding="utf-8") as file:
            self.covers = len(re.findall(r"^ *cell \$cover ", file.read(), re.MULTILINE))

    def yosys(self, script):
        blocks.output(["yosys", "-q", "-p", script], self.folder, f"{self.what}: yosys cannot convert it")

    def abc(self, script):
        return blocks.output(["berkeley-abc", "-q", script], self.folder, f"{self.what}: berkeley-abc fails")

    def reach_covers(self):
        if not self.covers:
            raise blocks.Error(f"{self.what}: there is no cover()")
        with open(os.path.join(self.folder, "cover.v"), "w", encoding="utf-8") as file:
            file.write(COVER_MAP)
        self.yosys(COVERS)
        said = self.abc(f"read_aiger cover.aig; fold; strash; bmc3 -a -F {COVER_BOUND}; print_status")
        if "0 UNSAT, and 0 UNDEC" not in said and f"All {self.covers} outputs are found to be SAT" not in said:
            raise blocks.Error(f"{self.what}: not every cover() is reached in {COVER_BOUND} cycles\n{said}")

    def prove(self):
        """Prove the properties; return how."""
        self.yosys(PROPERTIES)
        start = "read_aiger proof.aig; fold; strash; "
        if self.bound:
            said = self.abc(f"{start}bmc3 -F {self.bound} -T {SECONDS}; print_status")
            if re.search(rf"No output asserted in {self.bound} frames", said):
                return f"holds for all runs of {self.bound} cycles"
        else:
            said = self.abc(f"{start}pdr -T {SECONDS}; print_status")
            if "Property proved" in said:
                frames = re.search(r"Status = 1 +Frames = (\d+)", said)
                return f"proved, by induction over {frames.group(1)} frames"
        raise blocks.Error(f"{self.what}: not proved\n{said}")

    def check_with_smt(self):
        """Check the properties with yosys-smtbmc; return how."""
        self.yosys(TO_SMT)
        blocks.output(["timeout", str(SECONDS), "yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "--unroll",
                       "-t", str(self.smt_bound), "proof.smt2"],
                      self.folder, f"{self.what}: yosys-smtbmc refutes it, or takes more than {SECONDS} s")
        return f"yosys-smtbmc confirms it for {self.smt_bound} cycles"


class Cache:
    """Results of proofs that succeeded, in files named by all that a proof depends on."""

    FOLDER = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tally/proofs")
    PROGRAMS = ("yosys", "berkeley-abc", "yosys-smtbmc", "z3", "node")
    OURS = ("prove.py", "blocks.py", "elaborate.mjs", "package-lock.json")

    def __init__(self, block, line, short):
        text = hashlib.sha256(repr((block.name, line, short)).encode())
        for path in [*blocks.formal_files(block), *(os.path.join(blocks.HERE, name) for name in self.OURS)]:
            with open(path, encoding="utf-8") as file:
                found = file.read()
            kept = blocks.bare(found) if path.endswith((".sv", ".svh")) else found
            text.update(repr((os.path.basename(path), kept)).encode())
        for program in self.PROGRAMS:
            found = os.path.realpath(shutil.which(program) or "")
            about = os.stat(found)
            text.update(repr((found, about.st_size, about.st_mtime_ns)).encode())
        self.path = os.path.join(self.FOLDER, text.hexdigest())

    def result(self):
        """Return the result, or None."""
        try:
            with open(self.path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def keep(self, result):
        os.makedirs(self.FOLDER, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.FOLDER, delete=False) as file:
            file.write(result)
        os.replace(file.name, self.path)


def _prove(block, line, short):
    with tempfile.TemporaryDirectory(prefix="tally-prove-") as folder:
        proof = Proof(block, line, short, folder)
        proof.reach_covers()
        how = proof.prove()
        if not short:
            how += "; " + proof.check_with_smt()
        return f"{proof.what}: {how}"


def _prove_once(block, line, short):
    cache = Cache(block, line, short)
    known = cache.result()
    if known:
        return f"{known} (found before, for the same files)"
    found = _prove(block, line, short)
    cache.keep(found)
    return found


def run(chosen, arguments):
    work = [(block, line, arguments.short) for block in chosen for line in block.prove
            if not (arguments.short and "LONG" in blocks.parse(line))]
    return blocks.report(blocks.results(_prove_once if arguments.cached else _prove, work, arguments.jobs))
