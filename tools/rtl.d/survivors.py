# SPDX-License-Identifier: BSD-2-Clause
"""Runs planted bugs that neither bench nor proof catches in the NIC of tallysim, by campaigns of random collectives.

All of them get into one build, in which every NIC has the bug that is chosen (schemata.py). A campaign catches it if a result
or a status is wrong, the model of a unit disagrees with the hardware, or it takes ten times as long as without a bug."""
import contextlib

import blocks
import together

NIC = "nic"
FAULTS = "--drop 0.05 --dup 0.05 --reorder 0.1 --corrupt 0.01"
CAMPAIGNS = [f"tallysim campaign --engine rtl {rest}" for rest in (
    "--collectives 150 --seed 1 --mode all --ordered",
    f"--collectives 300 --seed 1 --mode mixed --deaths 0.004 --aborts 0.02 {FAULTS}",
    f"--collectives 300 --seed 1 --mode mixed --ordered --combined 0.3 --deaths 0.004 --aborts 0.01 {FAULTS}",
    f"--collectives 300 --seed 2 --mode tree --cells 32 --segments 32 --heavy 0.1 {FAULTS}",
    f"--collectives 300 --seed 3 --mode exchange --groups 16 --unlimited 0.3 {FAULTS}")]


def _usable(workspace, block, text, bugs):
    """Return the source with those of the bugs that one build can have, and their numbers."""
    many = together.Together(workspace, block, text, bugs)
    numbers = many.usable(list(many.source.chosen))
    return many.source.made(numbers)[0], numbers


def run(workspace, pool, bugs):
    """bugs is a list of (block, text of its source, {number: (text with the bug, [text of each change])}). Yield (number, the
    campaign that catches it, or None) for each bug that the build can have. Error if a campaign fails without any."""
    missed = []
    with contextlib.ExitStack() as stack:
        for block, text, of_block in bugs:
            made, numbers = _usable(workspace, block, text, of_block)
            stack.enter_context(workspace.planted(block, made))
            missed += numbers
        if not missed:
            return
        workspace.warns(False)  # they would be about each choice
        stack.callback(workspace.warns, True)
        failed, said = workspace.make("tallysim")
        if failed:
            raise blocks.Error(f"cannot build tallysim with what is planted\n{said[-6000:]}")
        for campaign in CAMPAIGNS:
            failed, seconds = workspace.run(campaign)
            if failed:
                raise blocks.Error(f"without any bug, {campaign} fails")
            workspace.limit(campaign, seconds)
            runs = list(pool.map(lambda number, way=campaign: workspace.run(way, number)[0], missed))
            yield from ((number, campaign) for number, caught in zip(missed, runs) if caught)
            missed = [number for number, caught in zip(missed, runs) if not caught]
    yield from ((number, None) for number in missed)
