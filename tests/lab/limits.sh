#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The time limit ends a run and is reported. The input and the exit status of a shell pass through.

fail() { echo "$*"; echo "$output"; exit 1; }

output=$(tools/lab run --nics 0 --timeout 3 -- true 2>&1)
status=$?
[ $status -eq 124 ] || fail "a time limit that passes: exit status $status, not 124"
[[ $output == *"time limit of 3 s passed (vm0 "* ]] || fail "the time limit is not reported"

output=$(printf 'echo $((40 + 2)) is it\nexit 5\n' | timeout 60 tools/lab shell --nics 0 2>&1)
status=$?
[ $status -eq 5 ] || fail "a shell: exit status $status, not 5"
[[ $output == *"42 is it"* ]] || fail "the shell did not run what was typed"
[[ $output == *"exit or Ctrl-] leaves"* ]] || fail "the lab does not say how to leave the shell"

output=$(printf 'echo $((40 + 2)) is it\n' | timeout 60 tools/lab shell --nics 0 2>&1)
status=$?
[ $status -eq 0 ] || fail "a shell whose input ends: exit status $status, not 0"
[[ $output == *"42 is it"* ]] || fail "the shell whose input ends did not run the typed command"
