/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of tallysim. Each parses its options from argv[1] on, prints errors to stderr, and
 * returns the program's exit status.
 */
#ifndef TALLY_SIM_CLI_COMMANDS_H
#define TALLY_SIM_CLI_COMMANDS_H

int bench_main(int argc, char **argv);
int campaign_main(int argc, char **argv);
int coll_main(int argc, char **argv);
int ordered_main(int argc, char **argv);
int serve_main(int argc, char **argv);
int stream_main(int argc, char **argv);

#endif
