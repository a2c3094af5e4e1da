// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fabric/fault.h"
#include "gen/tally_hw.h"

static struct fault good(const char *text)
{
	struct fault f;
	char err[256] = "";

	if (fault_parse(&f, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
	assert_string_equal(f.text, text);
	return f;
}

static void every_action_is_read(void **state)
{
	static const char *const specs[FAULT_NUM_ACTIONS] = {
		"drop", "corrupt", "duplicate", "reorder", "delay:by=1ns", "down", "switch-death",
		"nic-reset:nic=1", "dma-error",
	};

	(void)state;
	for (unsigned int i = 0; i < FAULT_NUM_ACTIONS; i++)
		assert_int_equal(good(specs[i]).action, i);
}

static void every_key_is_read(void **state)
{
	const uint8_t from[6] = { 2, 0x54, 0x41, 0, 0, 0xab }, to[6] = { 0xff, 1, 2, 3, 4, 5 };
	struct fault f;

	(void)state;
	f = good("reorder:link=vm*-nic?,nic=3,dir=rx,from=02:54:41:00:00:ab,to=FF:01:02:03:04:05,"
		 "opcode=0xc0,kind=result+KILL,jid=0xdeadbeef,every=7,count=2,at=5ms,for=1s,"
		 "min=3ns,max=4us");
	assert_string_equal(f.link, "vm*-nic?");
	assert_string_equal(f.nic, "3");
	assert_int_equal(f.dir, FAULT_DIR_RX);
	assert_memory_equal(f.from, from, 6);
	assert_memory_equal(f.to, to, 6);
	assert_int_equal(f.opcode, 0xc0);
	assert_int_equal(f.kinds, 1 << TALLY_KIND_RESULT | 1 << TALLY_KIND_KILL);
	assert_int_equal(f.jid, 0xdeadbeef);
	assert_int_equal(f.every, 7);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.at, 5 * VT_MS);
	assert_int_equal(f.duration, VT_S);
	assert_int_equal(f.min, 3 * VT_NS);
	assert_int_equal(f.max, 4 * VT_US);
	f = good("drop:rate=0.25,dir=tx");
	assert_true(f.rate == 0.25);
	assert_int_equal(f.dir, FAULT_DIR_TX);
	assert_int_equal(good("drop:nth=18446744073709551615").nth, UINT64_MAX);
	assert_int_equal(good("delay:by=7ps").by, 7);
	assert_string_equal(good("switch-death:switch=leaf0").sw, "leaf0");
	assert_int_equal(good("reorder").max, 10 * VT_US);
	assert_true(good("drop:rate=1e-3").rate == 1e-3);
}

static void every_kind_has_its_name(void **state)
{
#define KIND(name, number, doc)	{ "drop:kind=" #name, number },
	static const struct {
		const char *text;
		unsigned int number;
	} kinds[] = { TALLY_KIND_LIST(KIND) };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_int_equal(good(kinds[i].text).kinds, 1u << kinds[i].number);
}

/* The message names the object at fault. */
static void bad_text_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "", "\"\"" },
		{ "explode", "\"explode\": unknown fault; there are: drop" },
		{ "drop:", "\"\": not KEY=VALUE" },
		{ "drop:rate=0.1,", "\"\": not KEY=VALUE" },
		{ "drop:rate", "\"rate\": not KEY=VALUE" },
		{ "drop:speed=1", "speed: unknown key; there are: link" },
		{ "drop: rate=1", "character 6" },
		{ "drop:link=a\tb", "character 12" },
		{ "drop:rate=0", "rate=0:" },
		{ "drop:rate=1.01", "rate=1.01:" },
		{ "drop:rate=-0.1", "rate=-0.1:" },
		{ "drop:rate=nan", "rate=nan:" },
		{ "drop:rate=0x1p-1", "rate=0x1p-1:" },
		{ "drop:rate=0.1x", "rate=0.1x:" },
		{ "drop:rate=", "rate=:" },
		{ "drop:nth=0", "nth=0:" },
		{ "drop:nth=-1", "nth=-1:" },
		{ "drop:nth=18446744073709551616", "nth=18446744073709551616:" },
		{ "drop:every=x", "every=x:" },
		{ "drop:count=0", "count=0:" },
		{ "drop:kind=bogus", "kind=bogus: unknown kind; there are: reduce result" },
		{ "drop:kind=", "kind=:" },
		{ "drop:kind=result+", "kind=:" },
		{ "drop:kind=resul", "kind=resul:" },
		{ "drop:opcode=256", "opcode=256:" },
		{ "drop:jid=4294967296", "jid=4294967296:" },
		{ "drop:jid=0x", "jid=0x:" },
		{ "drop:from=02:54:41:00:00", "from=02:54:41:00:00:" },
		{ "drop:to=02:54:41:00:00:00:00", "to=02:54:41:00:00:00:00:" },
		{ "drop:to=2:54:41:0:0:0", "to=2:54" },
		{ "drop:to=", "to=:" },
		{ "drop:dir=up", "dir=up:" },
		{ "drop:link=", "link=:" },
		{ "drop:link=a/b", "link=a/b:" },
		{ "drop:at=5", "at=5:" },
		{ "drop:at=ms", "at=ms:" },
		{ "drop:at=5hours", "at=5hours:" },
		{ "drop:at=-5ms", "at=-5ms:" },
		{ "drop:at=99999999999s", "at=99999999999s:" },
		{ "drop:for=0ms", "for=0ms:" },
		{ "drop:nth=1,nth=2", "nth=2: given twice" },
		{ "drop:nth=1,rate=0.1", "only one of them" },
		{ "drop:by=1ms", "by=1ms: drop has no such key" },
		{ "drop:switch=a", "switch=a: drop has no such key" },
		{ "delay", "by: missing" },
		{ "delay:by=0ms", "by=0ms:" },
		{ "reorder:min=2us,max=1us", "min: more than max" },
		{ "nic-reset", "nic: missing" },
		{ "nic-reset:nic=1,for=1ms", "for=1ms: nic-reset has no such key" },
		{ "nic-reset:nic=1,link=a", "link: nic-reset happens once" },
		{ "nic-reset:nic=1,count=2", "count: nic-reset happens once" },
		{ "down:count=2", "count: down happens once" },
		{ "switch-death:dir=tx", "dir: switch-death happens once" },
		{ "switch-death:nic=1", "nic=1: switch-death has no such key" },
		{ "dma-error:kind=result", "kind=result: dma-error has no such key" },
	};
	struct fault f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char err[256] = "";

		assert_int_equal(fault_parse(&f, cases[i].text, err, sizeof(err)), -EINVAL);
		if (!strstr(err, cases[i].named))
			fail_msg("%s: '%s' is not in: %s", cases[i].text, cases[i].named, err);
	}
}

static void lengths_have_their_limits(void **state)
{
	char text[FAULT_TEXT_MAX + 1], err[256];
	struct fault f;

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "drop:link=", 10);
	text[10 + FAULT_NAME_MAX - 1] = '\0';
	assert_int_equal(fault_parse(&f, text, err, sizeof(err)), 0);
	assert_int_equal(strlen(f.link), FAULT_NAME_MAX - 1);
	text[10 + FAULT_NAME_MAX - 1] = 'a';
	text[10 + FAULT_NAME_MAX] = '\0';
	assert_int_equal(fault_parse(&f, text, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "longer than 63"));
	text[10 + FAULT_NAME_MAX] = 'a';
	text[FAULT_TEXT_MAX] = '\0';
	assert_int_equal(fault_parse(&f, text, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "longer than 255"));
}

static void what_packets_bring_about_is_told_from_what_time_does(void **state)
{
	static const char *const by_packet[] = {
		"drop", "delay:by=1ns,at=1ms", "down:kind=kill", "nic-reset:nic=0,nth=3",
		"switch-death:rate=0.1", "down:from=02:00:00:00:00:01", "down:every=2,link=a",
	};
	static const char *const by_time[] = {
		"down", "down:link=a,dir=tx,for=1ms", "nic-reset:nic=0,at=1ms", "switch-death",
		"dma-error:nth=3",
	};
	struct fault f;

	(void)state;
	for (size_t i = 0; i < sizeof(by_packet) / sizeof(by_packet[0]); i++) {
		f = good(by_packet[i]);
		assert_true(fault_waits_for_packets(&f));
	}
	for (size_t i = 0; i < sizeof(by_time) / sizeof(by_time[0]); i++) {
		f = good(by_time[i]);
		assert_false(fault_waits_for_packets(&f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_is_read),
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(every_kind_has_its_name),
		cmocka_unit_test(bad_text_is_refused_by_name),
		cmocka_unit_test(lengths_have_their_limits),
		cmocka_unit_test(what_packets_bring_about_is_told_from_what_time_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
