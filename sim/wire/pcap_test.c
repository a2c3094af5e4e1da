// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "wire/gid.h"
#include "wire/pcap.h"
#include "wire/roce.h"

/* Create an empty file with a name of its own. */
static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *path;
	int fd;

	assert_true(asprintf(&path, "%s/tally-pcap-XXXXXX", tmp ? tmp : "/tmp") > 0);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	*state = path;
	return 0;
}

static int teardown(void **state)
{
	unlink(*state);
	free(*state);
	return 0;
}

static size_t read_all(const char *path, uint8_t *to, size_t room)
{
	FILE *file = fopen(path, "re");
	size_t n;

	assert_non_null(file);
	n = fread(to, 1, room, file);
	fclose(file);
	return n;
}

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void bytes_of_a_file(void **state)
{
	struct frame *f = frame_alloc(61);
	struct pcap_writer *w;
	uint8_t got[200];

	memset(f->data, 0x77, f->len);
	assert_int_equal(pcap_open(&w, *state), 0);
	assert_int_equal(read_all(*state, got, sizeof(got)), 24);
	assert_int_equal(pcap_write(w, 3 * VT_S + 123456789 * VT_NS + 999, f), 0);
	assert_int_equal(pcap_flush(w), 0);
	assert_int_equal(read_all(*state, got, sizeof(got)), 24 + 16 + 61);
	assert_int_equal(pcap_close(w), 0);

	assert_int_equal(word(got), 0xa1b23c4d);
	assert_int_equal(word(got + 20), 1);
	assert_int_equal(word(got + 24), 3);
	assert_int_equal(word(got + 28), 123456789);
	assert_int_equal(word(got + 32), 61);
	assert_int_equal(word(got + 36), 61);
	assert_memory_equal(got + 40, f->data, 61);
	frame_unref(f);
}

static void errors_are_returned(void **state)
{
	struct pcap_writer *w = NULL;

	(void)state;
	assert_int_equal(pcap_open(&w, "/nowhere/at/all.pcap"), -ENOENT);
	assert_null(w);
	assert_int_equal(pcap_close(NULL), 0);

	/* A full disk fails the open, which writes the header. */
	assert_int_equal(pcap_open(&w, "/dev/full"), -ENOSPC);
	assert_null(w);
}

/*
 * If the disk fills up later, the first error is kept, and the earlier part of the file is
 * readable.
 */
static void a_late_error_stays(void **state)
{
	const struct rlimit small = { 8192, RLIM_INFINITY };
	struct frame *f = frame_alloc(FRAME_MAX);
	struct pcap_writer *w;
	int err = 0, err_again, err_flush, err_close;
	struct stat st;

	assert_int_equal(pcap_open(&w, *state), 0);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 10 && !err; i++)
		err = pcap_write(w, i, f);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
	err_again = pcap_write(w, 10, f);
	err_flush = pcap_flush(w);
	err_close = pcap_close(w);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(err_again, -EFBIG);
	assert_int_equal(err_flush, -EFBIG);
	assert_int_equal(err_close, -EFBIG);
	assert_int_equal(stat(*state, &st), 0);
	assert_int_equal(st.st_size, 8192);
	frame_unref(f);
}

static void write_packet(struct pcap_writer *w, vtime_t at, bool v4)
{
	struct roce_hdr h = {
		.sgid = { 0xfe, 0x80, [15] = 2 }, .dgid = { 0xfe, 0x80, [15] = 1 },
		.hop_limit = 64, .udp_sport = 50000, .opcode = 0xc0, .pkey = 0xffff,
		.dest_qp = 17, .psn = 4711,
	};
	struct frame *f;

	if (v4) {
		gid_from_ipv4(h.sgid, (const uint8_t[]){ 10, 0, 0, 2 });
		gid_from_ipv4(h.dgid, (const uint8_t[]){ 10, 0, 0, 1 });
	}
	f = roce_build(&h, NULL, 0, "hello", 5);
	assert_non_null(f);
	assert_int_equal(pcap_write(w, at, f), 0);
	frame_unref(f);
}

/* tshark reads time, addresses, checksum states (1 = good), opcode, QP and PSN. */
static void tshark_reads_it(void **state)
{
	static const char *const want[] = {
		"1.000000002\tfe80::2\t\t\t1\t192\t0x000011\t4711\n",
		"1.000000003\t\t10.0.0.2\t1\t1\t192\t0x000011\t4711\n",
	};
	struct pcap_writer *w;
	char *command, line[200];
	FILE *out;

	/* A skipped test would count as passed, so this one fails; tools/setup installs tshark. */
	if (system("command -v tshark >/dev/null"))
		fail_msg("tshark is not installed: run tools/setup tests");
	assert_int_equal(pcap_open(&w, *state), 0);
	write_packet(w, VT_S + 2 * VT_NS, false);
	write_packet(w, VT_S + 3 * VT_NS, true);
	assert_int_equal(pcap_close(w), 0);

	assert_true(asprintf(&command, "tshark -r %s -o udp.check_checksum:TRUE"
			     " -o ip.check_checksum:TRUE -T fields -e frame.time_epoch -e ipv6.src"
			     " -e ip.src -e ip.checksum.status -e udp.checksum.status"
			     " -e infiniband.bth.opcode -e infiniband.bth.destqp"
			     " -e infiniband.bth.psn 2>&1", (char *)*state) > 0);
	out = popen(command, "r");
	assert_non_null(out);
	for (int i = 0; i < 2; ) {
		assert_non_null(fgets(line, sizeof(line), out));
		if (strstr(line, "as user \"root\""))
			continue;
		assert_string_equal(line, want[i++]);
	}
	assert_null(fgets(line, sizeof(line), out));
	assert_int_equal(pclose(out), 0);
	free(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bytes_of_a_file, setup, teardown),
		cmocka_unit_test(errors_are_returned),
		cmocka_unit_test_setup_teardown(a_late_error_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(tshark_reads_it, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
