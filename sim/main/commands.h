/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of tallysim that need no virtual machine. Each takes its options from argv[1] on, says
 * on stderr what is wrong, and returns the program's exit status.
 */
#ifndef TALLY_SIM_MAIN_COMMANDS_H
#define TALLY_SIM_MAIN_COMMANDS_H

int bench_main(int argc, char **argv);
int campaign_main(int argc, char **argv);
int ordered_main(int argc, char **argv);
int stream_main(int argc, char **argv);

#endif
