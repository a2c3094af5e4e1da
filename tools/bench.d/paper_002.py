# SPDX-License-Identifier: BSD-2-Clause
"""Equations and the simulated model of document 002: the wait of a broadcast's root for processes that arrive unevenly."""
import random

NODES, PROCESSES = 128, 8                   # of figures 3 and 4
STEPS_PROCESSES, STEPS_NODES = 10, 7        # binary logarithms of 1,024 processes and of 128 nodes
ALPHA, BETA, WIDTH = 4.0, 0.01, 500.0       # us, us/byte, us


def message_time(size):
    """Return t(m), in us."""
    return ALPHA + BETA * size


def impact(degree, steps, processes):
    """
    Return the unbalance impact coefficient, equation 3, by equations 6 and 7: the mean wait of the root in all steps, in
    times of a message. With one process per node it is that of the binomial tree.
    """
    n, waited = processes, 0.0
    for step in range(steps):
        left = max(0.0, degree - waited - step)
        waited += left ** (n + 2) / ((n + 1) * (n + 2) * degree ** (n + 1))
    return waited


def simulated_impact(degree, steps, processes, runs=20000):
    """
    Simulate what the equations approximate: the root meets in turn the first process of each of `steps` nodes, and both
    take the time of a message from when both are there.
    """
    rng = random.Random(1)
    waited = 0.0
    for _ in range(runs):
        now = rng.random() * degree
        for _ in range(steps):
            other = degree * (1 - (1 - rng.random()) ** (1 / processes))    # the least of that many uniform numbers
            wait = max(0.0, other - now)
            waited += wait
            now += wait + 1
    return waited / runs


def root_time(size, width, steps, processes, shared=0):
    """Return equation 4, in us, with `shared` broadcasts within the node, r(m) = t(m)."""
    t = message_time(size)
    return (impact(width / t, steps, processes) + steps + shared) * t if width else (steps + shared) * t
