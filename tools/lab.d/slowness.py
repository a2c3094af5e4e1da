# SPDX-License-Identifier: BSD-2-Clause
"""Factors of time limits. Tests state limits for an idle machine with the stock kernel and the model of the engine."""

# They include a margin for machines that are slower or have other work.
KERNELS = {"stock": 3, "debug": 15}
# A Verilated NIC computes each clock in which it works.
ENGINES = {"model": 1, "rtl": 5}


def factor(kernel, engine):
    """Return the factor of all time limits in a guest with this kernel and these NICs."""
    return KERNELS[kernel] * ENGINES[engine]
