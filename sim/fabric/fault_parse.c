// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fault.h"
#include "gen/tally_hw.h"

#define BIT(n)		(1u << (n))
#define OF_PACKETS	(BIT(FAULT_DROP) | BIT(FAULT_CORRUPT) | BIT(FAULT_DUPLICATE) |		\
			 BIT(FAULT_REORDER) | BIT(FAULT_DELAY))
#define ALL		(BIT(FAULT_NUM_ACTIONS) - 1)
#define ALL_BUT(name)	(ALL & ~BIT(FAULT_##name))

/* Long enough for other frames to overtake, shorter than a retransmission timeout. */
#define REORDER_MAX_DEFAULT	(10 * VT_US)

struct parser {
	struct fault *fault;
	char *err;
	size_t err_len;
	const char *key, *value;	/* being parsed */
};

static int __attribute__((format(printf, 2, 3))) refuse(struct parser *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->err, p->err_len, format, args);
	va_end(args);
	return -EINVAL;
}

static int refuse_value(struct parser *p, const char *wanted)
{
	return refuse(p, "%s=%s: not %s", p->key, p->value, wanted);
}

/* ---- Values ---- */

/* strtoull() alone accepts signs, blanks and trailing text; "0x" makes the number hexadecimal. */
static bool read_number(const char *text, char **end, uint64_t max, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	errno = 0;
	*out = strtoull(text, end, hex ? 16 : 10);
	return isdigit((unsigned char)*text) && !errno && *out <= max;
}

static int take_number(struct parser *p, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	if (read_number(p->value, &end, max, out) && !*end && *out >= min)
		return 0;
	return refuse(p, "%s=%s: not a whole number from %ju to %ju", p->key, p->value,
		      (uintmax_t)min, (uintmax_t)max);
}

static int take_time(struct parser *p, vtime_t min, vtime_t *out)
{
	static const struct {
		const char *name;
		vtime_t ps;
	} units[] = {
		{ "ps", VT_PS }, { "ns", VT_NS }, { "us", VT_US }, { "ms", VT_MS }, { "s", VT_S },
	};
	uint64_t n;
	char *end;

	if (!read_number(p->value, &end, UINT64_MAX, &n))
		return refuse_value(p, "a time like 10us");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		if (__builtin_mul_overflow(n, units[i].ps, out) || *out < min)
			return refuse_value(p, min ? "from 1ps to 213 days" : "within 213 days");
		return 0;
	}
	return refuse_value(p, "a time with one of the units ps ns us ms s, like 10us");
}

/* Names become patterns of fnmatch() and appear in reports. */
static int take_name(struct parser *p, char out[FAULT_NAME_MAX])
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-*?";
	size_t len = strlen(p->value);

	if (!len || p->value[strspn(p->value, allowed)])
		return refuse_value(p, "a name of letters, digits, '.', '_', '-', '*' and '?'");
	if (len >= FAULT_NAME_MAX)
		return refuse(p, "%s=%s: longer than %d characters", p->key, p->value,
			      FAULT_NAME_MAX - 1);
	strcpy(out, p->value);
	return 0;
}

static int take_mac(struct parser *p, uint8_t mac[6])
{
	const char *s = p->value;

	for (int i = 0; i < 6; i++, s += 3) {
		char digits[3] = { s[0], s[0] ? s[1] : '\0' };

		if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]) ||
		    s[2] != (i < 5 ? ':' : '\0'))
			return refuse_value(p, "an Ethernet address like 02:54:41:00:00:01");
		mac[i] = strtoul(digits, NULL, 16);
	}
	return 0;
}

static int take_dir(struct parser *p)
{
	if (!strcmp(p->value, "tx"))
		p->fault->dir = FAULT_DIR_TX;
	else if (!strcmp(p->value, "rx"))
		p->fault->dir = FAULT_DIR_RX;
	else
		return refuse_value(p, "tx or rx");
	return 0;
}

static int take_rate(struct parser *p)
{
	char *end;

	p->fault->rate = strtod(p->value, &end);
	if (end != p->value && !*end && !p->value[strspn(p->value, "0123456789.e-")] &&
	    p->fault->rate > 0 && p->fault->rate <= 1)
		return 0;
	return refuse_value(p, "a probability above 0 and at most 1");
}

#define KIND(name, number, doc)		{ #name, number },
#define KIND_NAME(name, number, doc)	" " #name

static int take_kind(struct parser *p, const char *name, size_t len)
{
	static const struct {
		const char *name;
		unsigned int number;
	} kinds[] = { TALLY_KIND_LIST(KIND) };
	char known[] = TALLY_KIND_LIST(KIND_NAME);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncasecmp(kinds[i].name, name, len) || kinds[i].name[len])
			continue;
		p->fault->kinds |= BIT(kinds[i].number);
		return 0;
	}
	for (char *c = known; *c; c++)
		*c = tolower((unsigned char)*c);
	return refuse(p, "kind=%.*s: unknown kind; there are:%s", (int)len, name, known);
}

static int take_kinds(struct parser *p)
{
	const char *name = p->value;
	int err;

	for (;;) {
		size_t len = strcspn(name, "+");

		err = take_kind(p, name, len);
		if (err || !name[len])
			return err;
		name += len + 1;
	}
}

static int take_u8(struct parser *p, uint8_t *out)
{
	uint64_t n;
	int err = take_number(p, 0, UINT8_MAX, &n);

	*out = n;
	return err;
}

static int take_u32(struct parser *p, uint32_t *out)
{
	uint64_t n;
	int err = take_number(p, 0, UINT32_MAX, &n);

	*out = n;
	return err;
}

static int take_value(struct parser *p, enum fault_key key)
{
	struct fault *f = p->fault;

	switch (key) {
	case FAULT_KEY_LINK:
		return take_name(p, f->link);
	case FAULT_KEY_NIC:
		return take_name(p, f->nic);
	case FAULT_KEY_SWITCH:
		return take_name(p, f->sw);
	case FAULT_KEY_DIR:
		return take_dir(p);
	case FAULT_KEY_FROM:
		return take_mac(p, f->from);
	case FAULT_KEY_TO:
		return take_mac(p, f->to);
	case FAULT_KEY_OPCODE:
		return take_u8(p, &f->opcode);
	case FAULT_KEY_KIND:
		return take_kinds(p);
	case FAULT_KEY_JID:
		return take_u32(p, &f->jid);
	case FAULT_KEY_RATE:
		return take_rate(p);
	case FAULT_KEY_NTH:
		return take_number(p, 1, UINT64_MAX, &f->nth);
	case FAULT_KEY_EVERY:
		return take_number(p, 1, UINT64_MAX, &f->every);
	case FAULT_KEY_COUNT:
		return take_number(p, 1, UINT64_MAX, &f->count);
	case FAULT_KEY_AT:
		return take_time(p, 0, &f->at);
	case FAULT_KEY_FOR:
		return take_time(p, 1, &f->duration);
	case FAULT_KEY_MIN:
		return take_time(p, 0, &f->min);
	case FAULT_KEY_MAX:
		return take_time(p, 1, &f->max);
	case FAULT_KEY_BY:
		return take_time(p, 1, &f->by);
	case FAULT_NUM_KEYS:
		break;
	}
	return refuse(p, "%s: unknown key", p->key);
}

/* ---- Keys of each action ---- */

#define NAME(name, text)	text,
#define LISTED(name, text)	" " text

static const char *const key_names[] = { FAULT_KEY_LIST(NAME) };
static const char *const action_names[] = { FAULT_ACTION_LIST(NAME) };

static const unsigned int allowed[] = {
	[FAULT_KEY_LINK] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_NIC] = ALL_BUT(SWITCH_DEATH),
	[FAULT_KEY_DIR] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_FROM] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_TO] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_OPCODE] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_KIND] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_JID] = ALL_BUT(DMA_ERROR),
	[FAULT_KEY_RATE] = ALL,
	[FAULT_KEY_NTH] = ALL,
	[FAULT_KEY_EVERY] = ALL,
	[FAULT_KEY_COUNT] = ALL,
	[FAULT_KEY_AT] = ALL,
	[FAULT_KEY_FOR] = ALL_BUT(NIC_RESET),
	[FAULT_KEY_MIN] = BIT(FAULT_REORDER),
	[FAULT_KEY_MAX] = BIT(FAULT_REORDER),
	[FAULT_KEY_BY] = BIT(FAULT_DELAY),
	[FAULT_KEY_SWITCH] = BIT(FAULT_SWITCH_DEATH),
};

_Static_assert(sizeof(allowed) / sizeof(allowed[0]) == FAULT_NUM_KEYS, "each key has its actions");

static int take_pair(struct parser *p, char *pair)
{
	char *value = strchr(pair, '=');
	enum fault_key key;

	if (!value)
		return refuse(p, "\"%s\": not KEY=VALUE", pair);
	*value = '\0';
	p->key = pair;
	p->value = value + 1;
	for (key = 0; key < FAULT_NUM_KEYS && strcmp(pair, key_names[key]); key++)
		;
	if (key == FAULT_NUM_KEYS)
		return refuse(p, "%s: unknown key; there are:" FAULT_KEY_LIST(LISTED), pair);
	if (!(allowed[key] & BIT(p->fault->action)))
		return refuse(p, "%s=%s: %s has no such key", pair, p->value,
			      action_names[p->fault->action]);
	if (fault_has(p->fault, key))
		return refuse(p, "%s=%s: given twice", pair, p->value);
	p->fault->keys |= BIT(key);
	return take_value(p, key);
}

static int take_action(struct parser *p, const char *name)
{
	for (p->fault->action = 0; p->fault->action < FAULT_NUM_ACTIONS; p->fault->action++)
		if (!strcmp(name, action_names[p->fault->action]))
			return 0;
	return refuse(p, "\"%s\": unknown fault; there are:" FAULT_ACTION_LIST(LISTED), name);
}

/* ---- Checks across keys ---- */

#define OF_TRIGGER	(BIT(FAULT_KEY_FROM) | BIT(FAULT_KEY_TO) | BIT(FAULT_KEY_OPCODE) |	\
			 BIT(FAULT_KEY_KIND) | BIT(FAULT_KEY_JID) | BIT(FAULT_KEY_RATE) |	\
			 BIT(FAULT_KEY_NTH) | BIT(FAULT_KEY_EVERY))

bool fault_is_of_packets(const struct fault *fault)
{
	return OF_PACKETS >> fault->action & 1;
}

bool fault_waits_for_packets(const struct fault *fault)
{
	if (fault->action == FAULT_DMA_ERROR)
		return false;
	return fault_is_of_packets(fault) || fault->keys & OF_TRIGGER;
}

/* Refuses keys that only choose packets, if the time alone triggers the fault. */
static int check_timed(struct parser *p)
{
	const struct fault *f = p->fault;
	static const enum fault_key idle[] = { FAULT_KEY_COUNT, FAULT_KEY_LINK, FAULT_KEY_DIR };

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		if (!fault_has(f, idle[i]) ||
		    (f->action == FAULT_DOWN && idle[i] != FAULT_KEY_COUNT))
			continue;
		return refuse(p, "%s: %s happens once, at its time, unless a packet is to trigger "
			      "it (rate nth every from to opcode kind jid)", key_names[idle[i]],
			      action_names[f->action]);
	}
	return 0;
}

static int check_together(struct parser *p)
{
	struct fault *f = p->fault;
	unsigned int often = f->keys & (BIT(FAULT_KEY_RATE) | BIT(FAULT_KEY_NTH) |
					BIT(FAULT_KEY_EVERY));

	if (often & (often - 1))
		return refuse(p, "rate, nth and every: only one of them");
	if (f->action == FAULT_DELAY && !f->by)
		return refuse(p, "by: missing; delay needs it");
	if (f->action == FAULT_NIC_RESET && !fault_has(f, FAULT_KEY_NIC))
		return refuse(p, "nic: missing; nic-reset needs it");
	if (f->min > f->max)
		return refuse(p, "min: more than max");
	if (f->action == FAULT_DMA_ERROR || fault_waits_for_packets(f))
		return 0;
	return check_timed(p);
}

static int take_all(struct parser *p, char *text)
{
	char *rest = strchr(text, ':'), *pair;
	int err;

	if (rest)
		*rest++ = '\0';
	err = take_action(p, text);
	while (!err && (pair = strsep(&rest, ",")))
		err = take_pair(p, pair);
	return err ?: check_together(p);
}

int fault_parse(struct fault *fault, const char *text, char *err, size_t err_len)
{
	struct parser p = { .fault = fault, .err = err, .err_len = err_len };
	char copy[FAULT_TEXT_MAX];

	*fault = (struct fault){ .min = VT_PS, .max = REORDER_MAX_DEFAULT };
	if (strlen(text) >= FAULT_TEXT_MAX)
		return refuse(&p, "%.20s...: longer than %d characters", text, FAULT_TEXT_MAX - 1);
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return refuse(&p, "character %zu is a blank or not ASCII",
				      (size_t)(c - text) + 1);
	strcpy(fault->text, text);
	strcpy(copy, text);
	return take_all(&p, copy);
}
