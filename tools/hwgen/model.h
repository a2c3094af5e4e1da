/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of a layout file: load.c fills it from YAML, check.c verifies it and computes offsets,
 * the emit_*.c files only read it.
 *
 * The model owns all memory; model_free() frees it.
 */
#ifndef HWGEN_MODEL_H
#define HWGEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HWGEN_MAX_SIZE		(1u << 20)	/* bytes of a structure */
#define HWGEN_MAX_NAME		64		/* characters of a name */

enum endian { ENDIAN_LITTLE, ENDIAN_BIG };

struct constant {
	int line;
	char *name;
	uint64_t value;
	bool hex;		/* written in hexadecimal, in the outputs as well */
	bool public;		/* for programs */
	char *doc;
};

/* A value of an enum, or a bit of a flags word. */
struct item {
	int line;
	char *name;
	uint64_t value;		/* flags: the bit's index */
	bool hex;
	char *doc;
};

/* An enum or a flags word. */
struct set {
	int line;
	bool flags;
	bool public;		/* for programs */
	char *name;
	char *prefix;
	unsigned int bits;
	char *doc;
	struct item *items;
	size_t n_items;
};

struct field {
	int line;
	char *name;
	char *type;
	char *enum_name;	/* NULL if none */
	char *flags_name;	/* NULL if none */
	char *doc;		/* "" if none */
	uint64_t count;		/* elements; 1 for a scalar */
	bool array;
	bool has_at;
	uint64_t at;
	/* Filled by check.c. */
	bool reserved;		/* must be zero */
	const struct strct *nested;	/* NULL for an integer */
	const struct set *set;	/* the enum or flags that it carries, or NULL */
	uint32_t elem_size;	/* bytes */
	uint32_t align;
	uint32_t offset;
};

struct strct {
	int line;
	char *name;
	uint64_t size;
	enum endian endian;
	char *doc;
	struct field *fields;
	size_t n_fields;
	/* Filled by check.c. */
	struct field *layout;	/* fields and generated reserved bytes, without a gap */
	size_t n_layout;
	uint32_t align;
	uint32_t value_bytes;	/* bytes that are not reserved, nested ones included */
};

struct model {
	const char *file;	/* as named on the command line; owned by the caller */
	int line;		/* line of the name */
	char *name;
	char *upper;		/* the name in capitals: prefix of C macros */
	char *title, *about;	/* heading and first paragraph of the tables in Markdown */
	bool offsets;		/* SystemVerilog has offsets besides packed types, too: a register file decodes them */
	struct constant *constants;
	size_t n_constants;
	struct set *enums;
	size_t n_enums;
	struct set *flags;
	size_t n_flags;
	struct strct *structs;
	size_t n_structs;
	unsigned int errors;
	struct chunk *chunks;	/* all memory of the model */
};

/* Returns zeroed memory for n elements, owned by the model. Ends the program if there is none. */
void *model_alloc(struct model *m, size_t n, size_t size);
/* Returns a formatted string, owned by the model. */
char *model_printf(struct model *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void model_free(struct model *m);

/* Prints "FILE:LINE: OBJECT: what" to stderr and counts the error. */
void model_error(struct model *m, int line, const char *object, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Reads m->file. Reports every problem; returns 0, or -1 if there was one. */
int model_load(struct model *m);
/*
 * Verifies the model and lays out its structures. Reports every problem; returns 0, or -1 if there
 * was one.
 */
int model_check(struct model *m);

/* Emitters: each writes one whole output. The caller checks the stream. */
void emit_c(const struct model *m, FILE *out);
void emit_types(const struct model *m, FILE *out);
void emit_sv(const struct model *m, FILE *out);
void emit_md(const struct model *m, FILE *out);
void emit_lua(const struct model *m, FILE *out);
void emit_golden(const struct model *m, FILE *out);
void emit_bench(const struct model *m, FILE *out);

/* text.c: "ABI_VERSION" or "abi_version" -> "AbiVersion", into buf of HWGEN_MAX_NAME + 1 bytes. */
const char *text_camel(const char *name, char *buf);
/* Writes s as a C string literal, with its quotes. */
void text_quote(FILE *out, const char *s);
/*
 * Writes text on a line that is `col` columns wide already, breaking it before column 100; each
 * further line starts with `next`, `next_col` columns wide. Ends without a newline.
 */
void text_wrap(FILE *out, unsigned int col, const char *next, unsigned int next_col,
	       const char *text);
/* Writes the value of a macro or enumerator, in the base that the layout file has. */
void text_number(FILE *out, uint64_t value, bool hex);

/* golden.c: returns the value of `width` bytes at position n of the golden sequence. */
uint64_t golden_value(uint64_t n, unsigned int width);
/* Returns the position where the sequence starts for a structure. */
unsigned int golden_start(const struct model *m, const struct strct *s);
/* Returns the number of bytes of the sequence that one element of a field consumes. */
uint32_t golden_step(const struct field *f);

/* check.c: returns the size of an integer type in bytes; 0 if the type is no integer. */
uint32_t type_bytes(const char *type);

/* emit_sv.c: returns a member's name in SystemVerilog; a keyword gets a trailing underscore. */
const char *sv_member(const char *name, char buf[static HWGEN_MAX_NAME + 2]);
/* emit_sv.c: returns whether a structure is emitted as a packed type. */
bool sv_packed(const struct strct *s);

#endif
