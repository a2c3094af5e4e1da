# SPDX-License-Identifier: BSD-2-Clause
"""Least squares of two parameters against measured times, by the Gauss-Newton method, from a fixed start."""

STEPS = 4       # the times are nearly linear in the parameters


def residuals(times, measured):
    return [time / goal - 1 for time, goal in zip(times, measured)]


def rms(values):
    return (sum(value * value for value in values) / len(values)) ** 0.5


def step(at, evaluate, measured):
    """Return the next pair of parameters, integers of at least 1, and the residuals of the present pair."""
    here = residuals(evaluate(at), measured)
    slopes = []
    for i in range(2):
        change = max(1, at[i] // 20)
        moved = list(at)
        moved[i] += change
        slopes.append([(b - a) / change for a, b in zip(here, residuals(evaluate(tuple(moved)), measured))])
    aa, ab, bb = (sum(x * y for x, y in zip(slopes[i], slopes[j])) for i, j in ((0, 0), (0, 1), (1, 1)))
    ar, br = (sum(x * y for x, y in zip(slope, here)) for slope in slopes)
    det = aa * bb - ab * ab
    if det <= 0:
        raise SystemExit("bench-fit: the times do not depend on both parameters")
    moves = ((ab * br - bb * ar) / det, (ab * ar - aa * br) / det)
    return tuple(max(1, round(value + move)) for value, move in zip(at, moves)), here


def fit(start, evaluate, measured):
    """
    `evaluate` returns the times for a pair of integer parameters; `measured` are the target times. Return the pair with
    the least sum of squared relative errors, and its residuals.
    """
    at, best = start, None
    for _ in range(STEPS):
        following, here = step(at, evaluate, measured)
        if best is None or rms(here) < rms(best[1]):
            best = (at, here)
        if following == at:
            break
        at = following
    last = residuals(evaluate(at), measured)
    return (at, last) if rms(last) < rms(best[1]) else best
