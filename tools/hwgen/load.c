// SPDX-License-Identifier: BSD-2-Clause
/* Loads the model from YAML. Each mapping has a list of its keys, and any other key is refused. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "model.h"

struct loader {
	struct model *m;
	yaml_document_t doc;
};

/* A key that a mapping may have, and the node found for it. */
struct key {
	const char *name;
	bool required;
	yaml_node_t *node;
};

static int line_of(const yaml_node_t *node)
{
	return (int)node->start_mark.line + 1;
}

static struct key *find_key(struct key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

/* Returns the text of a scalar; NULL if the node is no scalar or its text has a NUL inside. */
static const char *scalar(const yaml_node_t *node)
{
	const char *s = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE || strlen(s) != node->data.scalar.length)
		return NULL;
	return s;
}

static void read_pair(struct loader *l, const yaml_node_pair_t *p, struct key *keys, size_t n,
		      const char *object)
{
	yaml_node_t *k = yaml_document_get_node(&l->doc, p->key);
	const char *name = scalar(k);
	struct key *key = name ? find_key(keys, n, name) : NULL;

	if (!key)
		model_error(l->m, line_of(k), object, "unknown key '%s'", name ? name : "?");
	else if (key->node)
		model_error(l->m, line_of(k), object, "duplicate key '%s'", name);
	else
		key->node = yaml_document_get_node(&l->doc, p->value);
}

/* Sorts a mapping into keys[]. Returns false if it is no mapping or a required key is missing. */
static bool read_map(struct loader *l, yaml_node_t *node, struct key *keys, size_t n,
		     const char *object)
{
	bool complete = true;

	if (node->type != YAML_MAPPING_NODE) {
		model_error(l->m, line_of(node), object, "must be a mapping {key: value, ...}");
		return false;
	}
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top; p++)
		read_pair(l, p, keys, n, object);
	for (size_t i = 0; i < n; i++) {
		if (!keys[i].required || keys[i].node)
			continue;
		model_error(l->m, line_of(node), object, "missing key '%s'", keys[i].name);
		complete = false;
	}
	return complete;
}

/* Returns the number of elements of a list. Reports an error and returns 0 if it is no list. */
static size_t list_len(struct loader *l, yaml_node_t *node, const char *object)
{
	if (node->type != YAML_SEQUENCE_NODE) {
		model_error(l->m, line_of(node), object, "must be a list");
		return 0;
	}
	return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

static yaml_node_t *list_at(struct loader *l, yaml_node_t *node, size_t i)
{
	return yaml_document_get_node(&l->doc, node->data.sequence.items.start[i]);
}

/* Returns the name of element i for messages; the element itself need not have been read. */
static char *element_object(struct loader *l, yaml_node_t *node, const char *parent,
			    const char *kind, size_t i)
{
	const char *name = NULL;

	if (node->type == YAML_MAPPING_NODE) {
		for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
		     p < node->data.mapping.pairs.top; p++) {
			const char *k = scalar(yaml_document_get_node(&l->doc, p->key));

			if (k && !strcmp(k, "name"))
				name = scalar(yaml_document_get_node(&l->doc, p->value));
		}
	}
	if (name)
		return model_printf(l->m, "%s%s%s %s", parent, *parent ? ", " : "", kind, name);
	return model_printf(l->m, "%s%s%s #%zu", parent, *parent ? ", " : "", kind, i + 1);
}

/* Reads a text and puts it on one line. Comment marks would end a generated comment: refused. */
static char *read_text(struct loader *l, const yaml_node_t *node, const char *key,
		       const char *object)
{
	const char *s = scalar(node);
	char *text, *p;

	if (!s) {
		model_error(l->m, line_of(node), object, "'%s' must be text", key);
		return model_printf(l->m, "%s", "");
	}
	if (strstr(s, "/*") || strstr(s, "*/"))
		model_error(l->m, line_of(node), object, "'%s' contains a comment mark", key);
	text = model_printf(l->m, "%s", s);
	p = text;
	for (; *s; s++) {
		if (!isspace((unsigned char)*s)) {
			if (iscntrl((unsigned char)*s))
				model_error(l->m, line_of(node), object,
					    "'%s' contains a control character", key);
			*p++ = *s;
		} else if (p > text && p[-1] != ' ') {
			*p++ = ' ';
		}
	}
	if (p > text && p[-1] == ' ')
		p--;
	*p = '\0';
	return text;
}

/* Reads a decimal or 0x hexadecimal number. Refuses anything else, also 010, which looks octal. */
static uint64_t read_number(struct loader *l, const yaml_node_t *node, const char *key,
			    const char *object, bool *hex)
{
	const char *s = scalar(node);
	bool is_hex = s && s[0] == '0' && s[1] == 'x';
	const char *digits = is_hex ? s + 2 : s;
	uint64_t value;
	char *end;

	if (hex)
		*hex = is_hex;
	if (!s || !isxdigit((unsigned char)*digits) || (!is_hex && s[0] == '0' && s[1]))
		goto bad;
	errno = 0;
	value = strtoull(digits, &end, is_hex ? 16 : 10);
	if (*end)
		goto bad;
	if (errno) {
		model_error(l->m, line_of(node), object, "'%s' %s does not fit 64 bits", key, s);
		return 0;
	}
	return value;
bad:
	model_error(l->m, line_of(node), object,
		    "'%s' must be a number, decimal or 0x hexadecimal, not '%s'", key, s ? s : "?");
	return 0;
}

/* Reads a key that has the value true or is left out. */
static bool read_mark(struct loader *l, const yaml_node_t *node, const char *key,
		      const char *object)
{
	const char *s = node ? scalar(node) : NULL;

	if (!node)
		return false;
	if (!s || strcmp(s, "true"))
		model_error(l->m, line_of(node), object, "'%s' must be true or left out", key);
	return true;
}

static void load_constant(struct loader *l, yaml_node_t *node, struct constant *c,
			  const char *object)
{
	struct key k[] = { {"name", true, 0}, {"value", true, 0}, {"doc", true, 0},
			   {"public", false, 0} };

	c->line = line_of(node);
	if (!read_map(l, node, k, 4, object))
		return;
	c->name = read_text(l, k[0].node, "name", object);
	c->value = read_number(l, k[1].node, "value", object, &c->hex);
	c->doc = read_text(l, k[2].node, "doc", object);
	c->public = read_mark(l, k[3].node, "public", object);
}

static void load_item(struct loader *l, yaml_node_t *node, struct item *it, bool flags,
		      const char *object)
{
	const char *value = flags ? "bit" : "value";
	struct key k[] = { {"name", true, 0}, {value, true, 0}, {"doc", true, 0} };

	it->line = line_of(node);
	if (!read_map(l, node, k, 3, object))
		return;
	it->name = read_text(l, k[0].node, "name", object);
	it->value = read_number(l, k[1].node, value, object, &it->hex);
	it->doc = read_text(l, k[2].node, "doc", object);
}

static void load_set(struct loader *l, yaml_node_t *node, struct set *s, const char *object)
{
	struct key k[] = { {"name", true, 0}, {"prefix", true, 0}, {"bits", true, 0},
			   {"doc", true, 0}, {"values", true, 0}, {"public", false, 0} };
	uint64_t bits;
	size_t n;

	s->line = line_of(node);
	if (!read_map(l, node, k, 6, object))
		return;
	s->name = read_text(l, k[0].node, "name", object);
	s->prefix = read_text(l, k[1].node, "prefix", object);
	bits = read_number(l, k[2].node, "bits", object, NULL);
	s->bits = bits > 64 ? 65 : (unsigned int)bits;
	s->doc = read_text(l, k[3].node, "doc", object);
	s->public = read_mark(l, k[5].node, "public", object);
	n = list_len(l, k[4].node, object);
	s->items = model_alloc(l->m, n, sizeof(*s->items));
	for (s->n_items = 0; s->n_items < n; s->n_items++) {
		yaml_node_t *v = list_at(l, k[4].node, s->n_items);
		const char *o = element_object(l, v, object, s->flags ? "flag" : "value",
					       s->n_items);

		load_item(l, v, &s->items[s->n_items], s->flags, o);
	}
}

static void load_field(struct loader *l, yaml_node_t *node, struct field *f, const char *object)
{
	struct key k[] = { {"name", true, 0}, {"type", true, 0}, {"enum", false, 0},
			   {"flags", false, 0}, {"count", false, 0}, {"at", false, 0},
			   {"doc", false, 0} };

	f->line = line_of(node);
	f->count = 1;
	if (!read_map(l, node, k, 7, object))
		return;
	f->name = read_text(l, k[0].node, "name", object);
	f->type = read_text(l, k[1].node, "type", object);
	if (k[2].node)
		f->enum_name = read_text(l, k[2].node, "enum", object);
	if (k[3].node)
		f->flags_name = read_text(l, k[3].node, "flags", object);
	f->array = k[4].node;
	if (k[4].node)
		f->count = read_number(l, k[4].node, "count", object, NULL);
	f->has_at = k[5].node;
	if (k[5].node)
		f->at = read_number(l, k[5].node, "at", object, NULL);
	f->doc = k[6].node ? read_text(l, k[6].node, "doc", object) : model_printf(l->m, "%s", "");
}

static void load_struct(struct loader *l, yaml_node_t *node, struct strct *s, const char *object)
{
	struct key k[] = { {"name", true, 0}, {"size", true, 0}, {"endian", true, 0},
			   {"doc", true, 0}, {"fields", true, 0} };
	const char *endian;
	size_t n;

	s->line = line_of(node);
	if (!read_map(l, node, k, 5, object))
		return;
	s->name = read_text(l, k[0].node, "name", object);
	s->size = read_number(l, k[1].node, "size", object, NULL);
	endian = read_text(l, k[2].node, "endian", object);
	s->endian = strcmp(endian, "big") ? ENDIAN_LITTLE : ENDIAN_BIG;
	if (s->endian == ENDIAN_LITTLE && strcmp(endian, "little"))
		model_error(l->m, line_of(k[2].node), object,
			    "'endian' must be little or big, not '%s'", endian);
	s->doc = read_text(l, k[3].node, "doc", object);
	n = list_len(l, k[4].node, object);
	s->fields = model_alloc(l->m, n, sizeof(*s->fields));
	for (s->n_fields = 0; s->n_fields < n; s->n_fields++) {
		yaml_node_t *v = list_at(l, k[4].node, s->n_fields);

		load_field(l, v, &s->fields[s->n_fields],
			   element_object(l, v, object, "field", s->n_fields));
	}
}

static void load_constants(struct loader *l, yaml_node_t *list)
{
	struct model *m = l->m;
	size_t n = list_len(l, list, "constants");

	m->constants = model_alloc(m, n, sizeof(*m->constants));
	for (; m->n_constants < n; m->n_constants++) {
		yaml_node_t *v = list_at(l, list, m->n_constants);

		load_constant(l, v, &m->constants[m->n_constants],
			      element_object(l, v, "", "constant", m->n_constants));
	}
}

static struct set *load_sets(struct loader *l, yaml_node_t *list, bool flags, size_t *count)
{
	size_t n = list_len(l, list, flags ? "flags" : "enums");
	struct set *sets = model_alloc(l->m, n, sizeof(*sets));

	for (size_t i = 0; i < n; i++) {
		yaml_node_t *v = list_at(l, list, i);

		sets[i].flags = flags;
		load_set(l, v, &sets[i], element_object(l, v, "", flags ? "flags" : "enum", i));
	}
	*count = n;
	return sets;
}

static void load_structs(struct loader *l, yaml_node_t *list)
{
	struct model *m = l->m;
	size_t n = list_len(l, list, "structs");

	m->structs = model_alloc(m, n, sizeof(*m->structs));
	for (; m->n_structs < n; m->n_structs++) {
		yaml_node_t *v = list_at(l, list, m->n_structs);

		load_struct(l, v, &m->structs[m->n_structs],
			    element_object(l, v, "", "struct", m->n_structs));
	}
}

static void load_root(struct loader *l, yaml_node_t *root)
{
	struct key k[] = { {"name", true, 0}, {"constants", false, 0}, {"enums", false, 0},
			   {"flags", false, 0}, {"structs", false, 0}, {"title", false, 0},
			   {"about", false, 0}, {"offsets", false, 0} };
	struct model *m = l->m;

	if (!read_map(l, root, k, 8, "file"))
		return;
	m->line = line_of(k[0].node);
	m->name = read_text(l, k[0].node, "name", "file");
	m->title = k[5].node ? read_text(l, k[5].node, "title", "file") :
			       model_printf(m, "Layouts");
	m->about = k[6].node ? read_text(l, k[6].node, "about", "file") : model_printf(m, "%s", "");
	m->offsets = k[7].node && !strcmp(read_text(l, k[7].node, "offsets", "file"), "true");
	m->upper = model_printf(m, "%s", m->name);
	for (char *p = m->upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	if (k[1].node)
		load_constants(l, k[1].node);
	if (k[2].node)
		m->enums = load_sets(l, k[2].node, false, &m->n_enums);
	if (k[3].node)
		m->flags = load_sets(l, k[3].node, true, &m->n_flags);
	if (k[4].node)
		load_structs(l, k[4].node);
}

/* Reads the next document. Returns its root, or NULL at the end and after an error. */
static yaml_node_t *next_document(struct loader *l, yaml_parser_t *parser)
{
	if (!yaml_parser_load(parser, &l->doc)) {
		model_error(l->m, (int)parser->problem_mark.line + 1, "YAML", "%s",
			    parser->problem ? parser->problem : "cannot be read");
		return NULL;
	}
	return yaml_document_get_root_node(&l->doc);
}

static void load_stream(struct loader *l, yaml_parser_t *parser)
{
	yaml_node_t *root = next_document(l, parser);

	if (root)
		load_root(l, root);
	else if (!l->m->errors)
		model_error(l->m, 1, "file", "is empty");
	yaml_document_delete(&l->doc);
	if (!root)
		return;
	root = next_document(l, parser);
	if (root)
		model_error(l->m, line_of(root), "file", "holds a second document");
	yaml_document_delete(&l->doc);
}

int model_load(struct model *m)
{
	struct loader l = { .m = m };
	yaml_parser_t parser;
	FILE *in = fopen(m->file, "rb");

	if (!in) {
		fprintf(stderr, "hwgen: %s: %s\n", m->file, strerror(errno));
		return -1;
	}
	if (!yaml_parser_initialize(&parser)) {
		fprintf(stderr, "hwgen: out of memory\n");
		fclose(in);
		return -1;
	}
	yaml_parser_set_input_file(&parser, in);
	load_stream(&l, &parser);
	yaml_parser_delete(&parser);
	fclose(in);
	return m->errors ? -1 : 0;
}
