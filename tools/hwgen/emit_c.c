// SPDX-License-Identifier: BSD-2-Clause
/*
 * Emits the C headers, for C and C++: one of the items marked public, for programs, and one that
 * includes it and has all other items, for the kernel, the provider and the simulator.
 */
#include <inttypes.h>
#include <string.h>

#include "model.h"

static const char *c_type(const struct strct *s, const struct field *f)
{
	switch (f->elem_size) {
	case 1:
		return "__u8";
	case 2:
		return s->endian == ENDIAN_BIG ? "__be16" : "__le16";
	case 4:
		return s->endian == ENDIAN_BIG ? "__be32" : "__le32";
	default:
		return s->endian == ENDIAN_BIG ? "__be64" : "__le64";
	}
}

static void put_number(FILE *out, uint64_t value, bool hex)
{
	text_number(out, value, hex);
	if (value > UINT32_MAX)
		fputs("ULL", out);
	else if (value > INT32_MAX)
		fputs("U", out);
}

/* Writes a comment of one or more lines. */
static void put_comment(FILE *out, const char *doc)
{
	if (strlen(doc) <= 94) {
		fprintf(out, "/* %s */\n", doc);
		return;
	}
	fputs("/*\n * ", out);
	text_wrap(out, 3, " * ", 3, doc);
	fputs("\n */\n", out);
}

/* Writes one member of kernel-doc, " * @name: text", wrapped. */
static void put_member_doc(FILE *out, const char *name, const char *doc)
{
	int col = fprintf(out, " * @%s: ", name);

	text_wrap(out, (unsigned int)col, " *\t", 8, doc);
	fputc('\n', out);
}

static void put_constants(const struct model *m, FILE *out, bool public)
{
	for (size_t i = 0; i < m->n_constants; i++) {
		const struct constant *c = &m->constants[i];

		if (c->public != public)
			continue;
		put_comment(out, c->doc);
		fprintf(out, "#define %s_%s ", m->upper, c->name);
		put_number(out, c->value, c->hex);
		fputc('\n', out);
	}
}

static void put_item_value(FILE *out, const struct set *s, const struct item *it)
{
	if (s->flags)
		fprintf(out, "(1%s << %" PRIu64 ")", s->bits > 32 ? "ULL" : "U", it->value);
	else
		put_number(out, it->value, it->hex);
}

/* Writes the list macro: X(NAME, value or mask, "sentence") for each item. */
static void put_list(const struct model *m, FILE *out, const struct set *s)
{
	fprintf(out, "\n#define %s_%s_LIST(X)", m->upper, s->prefix);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *it = &s->items[i];

		fprintf(out, " \\\n\tX(%s, ", it->name);
		put_item_value(out, s, it);
		fputs(strlen(it->name) + strlen(it->doc) > 70 ? ", \\\n\t  " : ", ", out);
		text_quote(out, it->doc);
		fputc(')', out);
	}
	fputs("\n\n", out);
}

static void put_enum(const struct model *m, FILE *out, const struct set *s)
{
	char name[4 * HWGEN_MAX_NAME];
	int col;

	fputs("/**\n", out);
	col = fprintf(out, " * enum %s_%s - ", m->name, s->name);
	text_wrap(out, (unsigned int)col, " *\t", 8, s->doc);
	fputc('\n', out);
	for (size_t i = 0; i < s->n_items; i++) {
		snprintf(name, sizeof(name), "%s_%s_%s", m->upper, s->prefix, s->items[i].name);
		put_member_doc(out, name, s->items[i].doc);
	}
	fprintf(out, " */\nenum %s_%s {\n", m->name, s->name);
	for (size_t i = 0; i < s->n_items; i++) {
		fprintf(out, "\t%s_%s_%s = ", m->upper, s->prefix, s->items[i].name);
		put_item_value(out, s, &s->items[i]);
		fputs(",\n", out);
	}
	fputs("};\n", out);
}

static void put_flags(const struct model *m, FILE *out, const struct set *s)
{
	put_comment(out, s->doc);
	fputc('\n', out);
	for (size_t i = 0; i < s->n_items; i++) {
		put_comment(out, s->items[i].doc);
		fprintf(out, "#define %s_%s_%s ", m->upper, s->prefix, s->items[i].name);
		put_item_value(out, s, &s->items[i]);
		fputc('\n', out);
	}
}

/*
 * Writes enums or flags words. The header that is not for programs has the list macros of all of
 * them, for tables of names; programs ask the library for a name.
 */
static void put_sets(const struct model *m, FILE *out, const struct set *sets, size_t n,
		     bool public)
{
	for (size_t i = 0; i < n; i++) {
		if (sets[i].public == public && sets[i].flags)
			put_flags(m, out, &sets[i]);
		else if (sets[i].public == public)
			put_enum(m, out, &sets[i]);
		if (!public)
			put_list(m, out, &sets[i]);
		else if (sets[i].public)
			fputc('\n', out);
	}
}

static void put_struct_doc(const struct model *m, FILE *out, const struct strct *s)
{
	int col;

	fputs("/**\n", out);
	col = fprintf(out, " * struct %s_%s - ", m->name, s->name);
	text_wrap(out, (unsigned int)col, " *\t", 8, s->doc);
	fputc('\n', out);
	for (size_t i = 0; i < s->n_layout; i++) {
		const struct field *f = &s->layout[i];

		put_member_doc(out, f->name,
			       *f->doc ? f->doc : f->reserved ? "Reserved, zero." : "-");
		if (f->set && f->set->flags)
			fprintf(out, " *\tFlags %s_%s_LIST.\n", m->upper, f->set->prefix);
		else if (f->set)
			fprintf(out, " *\tOne of enum %s_%s.\n", m->name, f->set->name);
	}
	fputs(" */\n", out);
}

static void put_struct(const struct model *m, FILE *out, const struct strct *s)
{
	put_struct_doc(m, out, s);
	fprintf(out, "struct %s_%s {\n", m->name, s->name);
	for (size_t i = 0; i < s->n_layout; i++) {
		const struct field *f = &s->layout[i];

		if (f->nested)
			fprintf(out, "\tstruct %s_%s %s", m->name, f->nested->name, f->name);
		else
			fprintf(out, "\t%s %s", c_type(s, f), f->name);
		if (f->array)
			fprintf(out, "[%" PRIu64 "]", f->count);
		fputs(";\n", out);
	}
	fputs("};\n\n", out);
	fprintf(out, "%s_ASSERT_SIZE(%s, %" PRIu64 ");\n", m->upper, s->name, s->size);
	for (size_t i = 0; i < s->n_layout; i++)
		fprintf(out, "%s_ASSERT_OFFSET(%s, %s, %u);\n", m->upper, s->name,
			s->layout[i].name, s->layout[i].offset);
	fputc('\n', out);
}

/* Writes assertions, which compare the compiler's layout with the file's in each user. */
static void put_asserts(const struct model *m, FILE *out)
{
	fprintf(out,
		"#ifdef __cplusplus\n"
		"#define %s_ASSERT(cond, text) static_assert(cond, text)\n"
		"#else\n"
		"#define %s_ASSERT(cond, text) _Static_assert(cond, text)\n"
		"#endif\n", m->upper, m->upper);
	fprintf(out,
		"#define %s_ASSERT_SIZE(type, size) \\\n"
		"\t%s_ASSERT(sizeof(struct %s_##type) == (size), \\\n"
		"\t\t\"size of struct %s_\" #type)\n", m->upper, m->upper, m->name, m->name);
	fprintf(out,
		"#define %s_ASSERT_OFFSET(type, member, offset) \\\n"
		"\t%s_ASSERT(__builtin_offsetof(struct %s_##type, member) == (offset), \\\n"
		"\t\t\"offset of struct %s_\" #type \".\" #member)\n\n", m->upper, m->upper,
		m->name, m->name);
}

static void put_head(const struct model *m, FILE *out, const char *guard)
{
	fputs("/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */\n", out);
	fprintf(out, "/* Generated by tools/hwgen from uapi/%s.yaml. Do not edit. */\n", m->name);
	fprintf(out, "#ifndef %s_%s_H\n#define %s_%s_H\n\n", m->upper, guard, m->upper, guard);
}

void emit_types(const struct model *m, FILE *out)
{
	put_head(m, out, "TYPES");
	put_constants(m, out, true);
	fputc('\n', out);
	put_sets(m, out, m->enums, m->n_enums, true);
	put_sets(m, out, m->flags, m->n_flags, true);
	fprintf(out, "#endif /* %s_TYPES_H */\n", m->upper);
}

void emit_c(const struct model *m, FILE *out)
{
	put_head(m, out, "HW");
	fprintf(out, "#include <linux/types.h>\n\n#include \"%s_types.h\"\n\n", m->name);
	put_constants(m, out, false);
	fputc('\n', out);
	put_sets(m, out, m->enums, m->n_enums, false);
	put_sets(m, out, m->flags, m->n_flags, false);
	put_asserts(m, out);
	for (size_t i = 0; i < m->n_structs; i++)
		put_struct(m, out, &m->structs[i]);
	fprintf(out, "#endif /* %s_HW_H */\n", m->upper);
}
