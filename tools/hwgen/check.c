// SPDX-License-Identifier: BSD-2-Clause
/* Checks the rules of a layout file, and computes the offsets. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* A name that a generated file will have; serves to find two objects that would share it. */
struct symbol {
	char *name;
	int line;
	const char *object;
};

struct symbols {
	struct symbol *list;
	size_t n;
};

/* Keywords of C and C++, which a member cannot have as its name. */
static const char *const c_keywords[] = {
	"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
	"case", "catch", "char", "class", "compl", "concept", "const", "consteval", "constexpr",
	"constinit", "continue", "decltype", "default", "delete", "do", "double", "else", "enum",
	"explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
	"int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
	"operator", "or", "or_eq", "private", "protected", "public", "register", "requires",
	"restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template",
	"this", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union",
	"unsigned", "using", "virtual", "void", "volatile", "while", "xor", "xor_eq",
};

uint32_t type_bytes(const char *type)
{
	static const char *const names[] = { "u8", "u16", "u32", "u64" };

	for (unsigned int i = 0; i < 4; i++)
		if (!strcmp(type, names[i]))
			return 1u << i;
	return 0;
}

/*
 * Checks a name. It begins with a letter, ends in a letter or digit, and has letters, digits and
 * single underscores between them. With `lower` it has no capital letters.
 */
static void check_name(struct model *m, int line, const char *object, const char *name, bool lower)
{
	size_t n = strlen(name);
	bool ok = n && n <= HWGEN_MAX_NAME && isalpha((unsigned char)name[0]);

	for (size_t i = 0; ok && i < n; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == '_')
			ok = i + 1 < n && name[i + 1] != '_';
		else
			ok = c < 0x80 && isalnum(c) && !(lower && isupper(c));
	}
	if (!ok)
		model_error(m, line, object,
			    "bad name '%s': %s, digits, single underscores, at most %d characters",
			    name, lower ? "lower-case letters" : "letters", HWGEN_MAX_NAME);
}

static void check_item(struct model *m, const struct set *s, size_t i, const char *object)
{
	const struct item *it = &s->items[i];

	check_name(m, it->line, object, it->name, false);
	if (s->flags && it->value >= s->bits)
		model_error(m, it->line, object, "bit %llu does not fit %u bits",
			    (unsigned long long)it->value, s->bits);
	if (!s->flags && s->bits < 64 && it->value >> s->bits)
		model_error(m, it->line, object, "value %llu does not fit %u bits",
			    (unsigned long long)it->value, s->bits);
	for (size_t k = 0; k < i; k++)
		if (s->items[k].value == it->value)
			model_error(m, it->line, object, "duplicate %s %llu, first used by %s",
				    s->flags ? "bit" : "value", (unsigned long long)it->value,
				    s->items[k].name);
}

static char *set_object(struct model *m, const struct set *s)
{
	return model_printf(m, "%s %s", s->flags ? "flags" : "enum", s->name);
}

static char *item_object(struct model *m, const struct set *s, const struct item *it)
{
	return model_printf(m, "%s %s, %s %s", s->flags ? "flags" : "enum", s->name,
			    s->flags ? "flag" : "value", it->name);
}

static void check_sets(struct model *m, const struct set *sets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct set *s = &sets[i];
		const char *object = set_object(m, s);

		check_name(m, s->line, object, s->name, true);
		check_name(m, s->line, object, s->prefix, false);
		if (!s->bits || s->bits > (s->flags ? 64 : 32))
			model_error(m, s->line, object, "'bits' must be 1 to %d",
				    s->flags ? 64 : 32);
		if (!s->n_items)
			model_error(m, s->line, object, "has no values");
		for (size_t k = 0; k < s->n_items; k++)
			check_item(m, s, k, item_object(m, s, &s->items[k]));
	}
}

static const struct set *find_set(const struct set *sets, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(sets[i].name, name))
			return &sets[i];
	return NULL;
}

/* Finds the type: an integer, or a structure defined before s. */
static bool resolve_type(struct model *m, const struct strct *s, struct field *f,
			 const char *object)
{
	f->elem_size = type_bytes(f->type);
	f->align = f->elem_size;
	if (f->elem_size)
		return true;
	for (const struct strct *p = m->structs; p < s; p++)
		if (!strcmp(p->name, f->type))
			f->nested = p;
	if (!f->nested) {
		model_error(m, f->line, object,
			    "unknown type '%s': neither u8, u16, u32, u64 nor a structure defined before",
			    f->type);
		return false;
	}
	if (f->nested->endian != s->endian)
		model_error(m, f->line, object, "mixed endianness: struct %s is %s-endian",
			    f->type, f->nested->endian == ENDIAN_BIG ? "big" : "little");
	f->elem_size = (uint32_t)f->nested->size;
	f->align = f->nested->align;
	return f->elem_size && f->elem_size <= HWGEN_MAX_SIZE && f->align;
}

static void resolve_set(struct model *m, struct field *f, const char *object)
{
	const char *name = f->enum_name ? f->enum_name : f->flags_name;

	if (!name)
		return;
	if (f->enum_name && f->flags_name)
		model_error(m, f->line, object, "has both 'enum' and 'flags'");
	if (f->enum_name)
		f->set = find_set(m->enums, m->n_enums, name);
	else
		f->set = find_set(m->flags, m->n_flags, name);
	if (!f->set)
		model_error(m, f->line, object, "unknown %s '%s'", f->enum_name ? "enum" : "flags",
			    name);
	else if (f->nested)
		model_error(m, f->line, object, "a structure cannot be %s %s",
			    f->enum_name ? "an enum" : "flags", name);
	else if (f->set->bits > 8 * f->elem_size)
		model_error(m, f->line, object, "%s has %s %s of %u bits", f->type,
			    f->enum_name ? "no room for enum" : "no room for flags", name,
			    f->set->bits);
}

static void check_field_name(struct model *m, const struct strct *s, const struct field *f,
			     const char *object)
{
	check_name(m, f->line, object, f->name, true);
	for (size_t i = 0; i < sizeof(c_keywords) / sizeof(*c_keywords); i++)
		if (!strcmp(f->name, c_keywords[i]))
			model_error(m, f->line, object, "bad name '%s': a keyword of C or C++",
				    f->name);
	for (const struct field *p = s->fields; p < f; p++)
		if (!strcmp(p->name, f->name))
			model_error(m, f->line, object, "duplicate field, first at line %d",
				    p->line);
}

/* Appends `size` reserved bytes at `offset`. */
static void add_gap(struct model *m, struct strct *s, uint32_t offset, uint32_t size)
{
	struct field *f = &s->layout[s->n_layout++];

	f->line = s->line;
	f->name = model_printf(m, "__rsvd_%x", offset);
	f->type = model_printf(m, "u8");
	f->doc = model_printf(m, "%s", "");
	f->count = size;
	f->array = true;
	f->reserved = true;
	f->elem_size = 1;
	f->align = 1;
	f->offset = offset;
}

/* Places f at or after `cursor`. Returns the offset after it, or cursor if f cannot be placed. */
static uint32_t place(struct model *m, struct strct *s, struct field *f, uint32_t cursor,
		      const char *object)
{
	uint64_t at = f->has_at ? f->at : cursor;
	uint64_t end;

	if (!f->count || f->count > HWGEN_MAX_SIZE / f->elem_size || at > HWGEN_MAX_SIZE) {
		model_error(m, f->line, object, "%s does not fit: a structure has 1 to %u bytes",
			    !f->count || at <= HWGEN_MAX_SIZE ? "'count'" : "'at'", HWGEN_MAX_SIZE);
		return cursor;
	}
	if (at < cursor)
		model_error(m, f->line, object,
			    "overlaps the field before it, which ends at 0x%x", cursor);
	else if (at % f->align)
		model_error(m, f->line, object,
			    "not naturally aligned: offset 0x%llx is no multiple of %u",
			    (unsigned long long)at, f->align);
	end = at + f->count * f->elem_size;
	if (end > s->size)
		model_error(m, f->line, object, "size mismatch: ends at 0x%llx, the structure at 0x%llx",
			    (unsigned long long)end, (unsigned long long)s->size);
	if (at < cursor || at % f->align || end > s->size)
		return end > HWGEN_MAX_SIZE ? HWGEN_MAX_SIZE : (uint32_t)end;
	if (at > cursor)
		add_gap(m, s, cursor, (uint32_t)at - cursor);
	f->offset = (uint32_t)at;
	s->layout[s->n_layout++] = *f;
	return (uint32_t)end;
}

static void check_struct(struct model *m, struct strct *s)
{
	const char *object = model_printf(m, "struct %s", s->name);
	uint32_t cursor = 0;

	check_name(m, s->line, object, s->name, true);
	if (type_bytes(s->name))
		model_error(m, s->line, object, "bad name '%s': an integer type", s->name);
	if (!s->n_fields)
		model_error(m, s->line, object, "has no fields");
	if (!s->size || s->size > HWGEN_MAX_SIZE) {
		model_error(m, s->line, object, "'size' must be 1 to %u bytes", HWGEN_MAX_SIZE);
		return;
	}
	s->align = 1;
	s->layout = model_alloc(m, 2 * s->n_fields + 1, sizeof(*s->layout));
	for (size_t i = 0; i < s->n_fields; i++) {
		struct field *f = &s->fields[i];
		const char *fo = model_printf(m, "struct %s, field %s", s->name, f->name);

		check_field_name(m, s, f, fo);
		if (!resolve_type(m, s, f, fo))
			continue;
		resolve_set(m, f, fo);
		f->reserved = !strncmp(f->name, "rsvd", 4);
		if (f->reserved && (f->nested || f->set))
			model_error(m, f->line, fo, "a reserved field must be a plain integer");
		if (f->align > s->align)
			s->align = f->align;
		cursor = place(m, s, f, cursor, fo);
		if (!f->reserved)
			s->value_bytes += golden_step(f) * (uint32_t)f->count;
	}
	if (s->size % s->align)
		model_error(m, s->line, object,
			    "size mismatch: %llu is no multiple of its alignment, %u",
			    (unsigned long long)s->size, s->align);
	if (cursor < s->size)
		add_gap(m, s, cursor, (uint32_t)s->size - cursor);
}

static void add_symbol(struct symbols *t, int line, const char *object, char *name)
{
	t->list[t->n++] = (struct symbol){ .name = name, .line = line, .object = object };
}

static void add_set_symbols(struct model *m, const struct set *s, struct symbols *c,
			    struct symbols *sv)
{
	const char *object = set_object(m, s);
	char a[HWGEN_MAX_NAME + 1], b[HWGEN_MAX_NAME + 1];

	add_symbol(c, s->line, object, model_printf(m, "%s_%s_LIST", m->upper, s->prefix));
	if (!s->flags) {
		add_symbol(c, s->line, object, model_printf(m, "%s_%s", m->name, s->name));
		add_symbol(sv, s->line, object, model_printf(m, "%s_e", s->name));
	}
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *it = &s->items[i];
		const char *o = item_object(m, s, it);

		add_symbol(c, it->line, o,
			   model_printf(m, "%s_%s_%s", m->upper, s->prefix, it->name));
		text_camel(s->prefix, a);
		text_camel(it->name, b);
		add_symbol(sv, it->line, o, model_printf(m, "%s%s", a, b));
		if (s->flags)
			add_symbol(sv, it->line, o, model_printf(m, "%s%sBit", a, b));
	}
}

static void add_struct_symbols(struct model *m, const struct strct *s, struct symbols *c,
			       struct symbols *sv)
{
	const char *object = model_printf(m, "struct %s", s->name);
	char a[HWGEN_MAX_NAME + 1], b[HWGEN_MAX_NAME + 1];

	text_camel(s->name, a);
	add_symbol(c, s->line, object, model_printf(m, "%s_%s", m->name, s->name));
	add_symbol(sv, s->line, object, model_printf(m, "%s_t", s->name));
	add_symbol(sv, s->line, object, model_printf(m, "%sBytes", a));
	if (sv_packed(s))
		return;
	for (size_t i = 0; i < s->n_fields; i++)
		add_symbol(sv, s->fields[i].line, object,
			   model_printf(m, "%s%sOffset", a, text_camel(s->fields[i].name, b)));
}

static int by_name_then_line(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	return cmp ? cmp : (x->line > y->line) - (x->line < y->line);
}

static void check_symbols(struct model *m, struct symbols *t, const char *language)
{
	qsort(t->list, t->n, sizeof(*t->list), by_name_then_line);
	for (size_t i = 1; i < t->n; i++)
		if (!strcmp(t->list[i].name, t->list[i - 1].name))
			model_error(m, t->list[i].line, t->list[i].object,
				    "duplicate name: %s %s is already generated from line %d", language,
				    t->list[i].name, t->list[i - 1].line);
}

/* Checks that no two objects have the same name in C or in SystemVerilog. */
static void check_unique(struct model *m)
{
	size_t max = m->n_constants;
	struct symbols c = { 0 }, sv = { 0 };
	char a[HWGEN_MAX_NAME + 1];
	unsigned int errors = m->errors;

	for (size_t i = 0; i < m->n_enums; i++)
		max += 2 + m->enums[i].n_items;
	for (size_t i = 0; i < m->n_flags; i++)
		max += 2 + 2 * m->flags[i].n_items;
	for (size_t i = 0; i < m->n_structs; i++)
		max += 2 + m->structs[i].n_fields;
	c.list = model_alloc(m, max, sizeof(*c.list));
	sv.list = model_alloc(m, max, sizeof(*sv.list));

	for (size_t i = 0; i < m->n_constants; i++) {
		const struct constant *k = &m->constants[i];
		const char *object = model_printf(m, "constant %s", k->name);

		add_symbol(&c, k->line, object, model_printf(m, "%s_%s", m->upper, k->name));
		add_symbol(&sv, k->line, object, model_printf(m, "%s", text_camel(k->name, a)));
	}
	for (size_t i = 0; i < m->n_enums; i++)
		add_set_symbols(m, &m->enums[i], &c, &sv);
	for (size_t i = 0; i < m->n_flags; i++)
		add_set_symbols(m, &m->flags[i], &c, &sv);
	for (size_t i = 0; i < m->n_structs; i++)
		add_struct_symbols(m, &m->structs[i], &c, &sv);
	check_symbols(m, &c, "C's");
	if (m->errors == errors)
		check_symbols(m, &sv, "SystemVerilog's");
}

/* Checks the names of flags words, which have no symbol of their own; only their bits have. */
static void check_flag_names(struct model *m)
{
	for (size_t i = 0; i < m->n_flags; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(m->flags[i].name, m->flags[k].name))
				model_error(m, m->flags[i].line, set_object(m, &m->flags[i]),
					    "duplicate name, first at line %d", m->flags[k].line);
}

int model_check(struct model *m)
{
	check_name(m, m->line, "file", m->name, true);
	for (size_t i = 0; i < m->n_constants; i++)
		check_name(m, m->constants[i].line,
			   model_printf(m, "constant %s", m->constants[i].name),
			   m->constants[i].name, false);
	check_sets(m, m->enums, m->n_enums);
	check_sets(m, m->flags, m->n_flags);
	for (size_t i = 0; i < m->n_structs; i++)
		check_struct(m, &m->structs[i]);
	if (m->errors)
		return -1;	/* names are known to be short from here on */
	check_flag_names(m);
	check_unique(m);
	return m->errors ? -1 : 0;
}
