# SPDX-License-Identifier: BSD-2-Clause
"""Measurements in document 001: tables 1 to 5, times in microseconds, double precision."""

NODES = [16, 32, 64, 128, 256]
# By bytes of a message: times without offload, times with offload, each for all numbers of nodes.
TABLES = {
    16: ([26.174, 35.974, 43.860, 58.900, 70.110], [15.286, 18.140, 20.884, 26.424, 31.120]),
    24: ([29.252, 39.922, 48.288, 61.604, 77.608], [15.364, 18.326, 20.366, 26.532, 30.838]),
    32: ([29.336, 39.982, 48.032, 63.270, 81.324], [15.502, 18.226, 20.686, 26.462, 31.492]),
    40: ([29.450, 39.616, 48.138, 63.374, 82.074], [15.324, 18.586, 20.742, 26.076, 30.290]),
    48: ([29.274, 40.210, 48.062, 62.502, 78.934], [15.330, 18.132, 20.568, 26.014, 30.774]),
}
# The types in figure 6, with messages of eight bytes.
TYPES = ["fp64", "fp32", "int64", "uint64"]
