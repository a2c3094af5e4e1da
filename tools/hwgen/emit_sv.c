// SPDX-License-Identifier: BSD-2-Clause
/* Emits the SystemVerilog package. */
#include <inttypes.h>
#include <string.h>

#include "model.h"

/* Structures of up to this many bytes are packed types; larger ones are pages, with offsets. */
#define MAX_PACKED 512

/* Keywords of SystemVerilog, which a member may have as its name. */
static const char *const keywords[] = {
	"accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert",
	"assign", "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break",
	"buf", "bufif0", "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker",
	"class", "clocking", "cmos", "config", "const", "constraint", "context", "continue", "cover",
	"covergroup", "coverpoint", "cross", "deassign", "default", "defparam", "design", "disable",
	"dist", "do", "edge", "else", "end", "endcase", "endchecker", "endclass", "endclocking",
	"endconfig", "endfunction", "endgenerate", "endgroup", "endinterface", "endmodule",
	"endpackage", "endprimitive", "endprogram", "endproperty", "endsequence", "endspecify",
	"endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends",
	"extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin",
	"function", "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone",
	"ignore_bins", "illegal_bins", "implements", "implies", "import", "incdir", "include",
	"initial", "inout", "input", "inside", "instance", "int", "integer", "interconnect",
	"interface", "intersect", "join", "join_any", "join_none", "large", "let", "liblist",
	"library", "local", "localparam", "logic", "longint", "macromodule", "matches", "medium",
	"modport", "module", "nand", "negedge", "nettype", "new", "nexttime", "nmos", "nor",
	"noshowcancelled", "not", "notif0", "notif1", "null", "or", "output", "package", "packed",
	"parameter", "pmos", "posedge", "primitive", "priority", "program", "property", "protected",
	"pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent", "pure",
	"rand", "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg",
	"reject_on", "release", "repeat", "restrict", "return", "rnmos", "rpmos", "rtran",
	"rtranif0", "rtranif1", "s_always", "s_eventually", "s_nexttime", "s_until",
	"s_until_with", "scalared", "sequence", "shortint", "shortreal", "showcancelled", "signed",
	"small", "soft", "solve", "specify", "specparam", "static", "string", "strong", "strong0",
	"strong1", "struct", "super", "supply0", "supply1", "sync_accept_on", "sync_reject_on",
	"table", "tagged", "task", "this", "throughout", "time", "timeprecision", "timeunit", "tran",
	"tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "type", "typedef",
	"union", "unique", "unique0", "unsigned", "until", "until_with", "untyped", "use", "uwire",
	"var", "vectored", "virtual", "void", "wait", "wait_order", "wand", "weak", "weak0", "weak1",
	"while", "wildcard", "wire", "with", "within", "wor", "xnor", "xor",
};

const char *sv_member(const char *name, char buf[static HWGEN_MAX_NAME + 2])
{
	bool keyword = false;

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		keyword |= !strcmp(name, keywords[i]);
	snprintf(buf, HWGEN_MAX_NAME + 2, "%s%s", name, keyword ? "_" : "");
	return buf;
}

bool sv_packed(const struct strct *s)
{
	return s->size <= MAX_PACKED;
}

static void put_doc(FILE *out, const char *indent, const char *doc)
{
	char next[16];
	int col = fprintf(out, "%s// ", indent);

	snprintf(next, sizeof(next), "%s// ", indent);
	text_wrap(out, (unsigned int)col, next, (unsigned int)col, doc);
	fputc('\n', out);
}

/* Writes a sized literal. */
static void put_literal(FILE *out, unsigned int bits, uint64_t value, bool hex)
{
	if (hex)
		fprintf(out, "%u'h%" PRIx64, bits, value);
	else
		fprintf(out, "%u'd%" PRIu64, bits, value);
}

static void put_constants(const struct model *m, FILE *out)
{
	char name[HWGEN_MAX_NAME + 1];

	for (size_t i = 0; i < m->n_constants; i++) {
		const struct constant *c = &m->constants[i];
		bool wide = c->value > UINT32_MAX;

		put_doc(out, "  ", c->doc);
		fprintf(out, "  localparam %s %s = ", wide ? "logic [63:0]" : "int unsigned",
			text_camel(c->name, name));
		put_literal(out, wide ? 64 : 32, c->value, c->hex);
		fputs(";\n", out);
	}
}

static void put_enum(FILE *out, const struct set *s)
{
	char prefix[HWGEN_MAX_NAME + 1], name[HWGEN_MAX_NAME + 1];

	fputc('\n', out);
	put_doc(out, "  ", s->doc);
	fprintf(out, "  typedef enum logic [%u:0] {\n", s->bits - 1);
	text_camel(s->prefix, prefix);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *it = &s->items[i];

		put_doc(out, "    ", it->doc);
		fprintf(out, "    %s%s = ", prefix, text_camel(it->name, name));
		put_literal(out, s->bits, it->value, it->hex);
		fputs(i + 1 < s->n_items ? ",\n" : "\n", out);
	}
	fprintf(out, "  } %s_e;\n", s->name);
}

static void put_flags(FILE *out, const struct set *s)
{
	char prefix[HWGEN_MAX_NAME + 1], name[HWGEN_MAX_NAME + 1];

	fputc('\n', out);
	put_doc(out, "  ", s->doc);
	fputc('\n', out);
	text_camel(s->prefix, prefix);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *it = &s->items[i];

		text_camel(it->name, name);
		put_doc(out, "  ", it->doc);
		fprintf(out, "  localparam int unsigned %s%sBit = %" PRIu64 ";\n", prefix, name,
			it->value);
		fprintf(out, "  localparam logic [%u:0] %s%s = ", s->bits - 1, prefix, name);
		put_literal(out, s->bits, UINT64_C(1) << it->value, true);
		fputs(";\n", out);
	}
}

/* Element 0 of an array is in the lowest bits if little-endian, in the highest if big-endian. */
static void put_member(FILE *out, const struct strct *s, const struct field *f)
{
	char name[HWGEN_MAX_NAME + 2];
	char doc[32];
	int col = snprintf(doc, sizeof(doc), "    // 0x%02x: ", f->offset);

	fputs(doc, out);
	text_wrap(out, (unsigned int)col, "    // ", 7,
		  *f->doc ? f->doc : f->reserved ? "Reserved, zero." : f->name);
	fputs("\n    ", out);
	if (f->nested)
		fprintf(out, "%s_t", f->nested->name);
	else
		fputs("logic", out);
	if (f->array && f->reserved)
		fprintf(out, " [%" PRIu64 ":0]", f->count * f->elem_size * 8 - 1);
	else if (f->array && s->endian == ENDIAN_LITTLE)
		fprintf(out, " [%" PRIu64 ":0]", f->count - 1);
	else if (f->array)
		fprintf(out, " [0:%" PRIu64 "]", f->count - 1);
	if (!f->nested && !(f->array && f->reserved))
		fprintf(out, "%s[%u:0]", f->array ? "" : " ", f->elem_size * 8 - 1);
	fprintf(out, " %s;\n", sv_member(f->name, name));
}

static void put_packed(FILE *out, const struct strct *s)
{
	fputs("  typedef struct packed {\n", out);
	for (size_t i = 0; i < s->n_layout; i++)
		put_member(out, s, &s->layout[s->endian == ENDIAN_BIG ? i : s->n_layout - 1 - i]);
	fprintf(out, "  } %s_t;\n", s->name);
}

static void put_offsets(FILE *out, const struct strct *s)
{
	char prefix[HWGEN_MAX_NAME + 1], name[HWGEN_MAX_NAME + 1];

	text_camel(s->name, prefix);
	for (size_t i = 0; i < s->n_layout; i++) {
		const struct field *f = &s->layout[i];

		if (!f->reserved)
			fprintf(out, "  localparam int unsigned %s%sOffset = 32'h%x;\n", prefix,
				text_camel(f->name, name), f->offset);
	}
}

static void put_struct(const struct model *m, FILE *out, const struct strct *s)
{
	char name[HWGEN_MAX_NAME + 1];

	fputc('\n', out);
	put_doc(out, "  ", s->doc);
	if (!sv_packed(s))
		put_doc(out, "  ", "A page, which is too large for a packed type: byte offsets only.");
	fprintf(out, "  localparam int unsigned %sBytes = %" PRIu64 ";\n", text_camel(s->name, name),
		s->size);
	if (sv_packed(s))
		put_packed(out, s);
	if (!sv_packed(s) || m->offsets)
		put_offsets(out, s);
}

void emit_sv(const struct model *m, FILE *out)
{
	fputs("// SPDX-License-Identifier: BSD-2-Clause\n", out);
	fprintf(out, "// Generated by tools/hwgen from uapi/%s.yaml. Do not edit.\n", m->name);
	fprintf(out,
		"//\n"
		"// Little-endian structures (host memory, BAR2): byte k is bits [8k+7:8k], so members are in\n"
		"// reverse order. Big-endian structures (the wire): members in order, the first byte in the most\n"
		"// significant bits. Either way element k of an array has index k. Members are plain logic even\n"
		"// where they carry an enum, because memory and wire may hold any value. A member whose name is a\n"
		"// keyword ends in an underscore. Structures of more than %d bytes have byte offsets only.\n"
		"package %s_pkg;\n"
		"  // A user needs only some of these, and a package cannot know which.\n"
		"  // verilator lint_off UNUSEDPARAM\n"
		"  // Members have the same names as in C, also those that the library of C++ uses (vector).\n"
		"  // verilator lint_off SYMRSVDWORD\n"
		"  // Index 0 of a big-endian array is its first byte on the wire, hence the ascending ranges.\n"
		"  // verilator lint_off LITENDIAN\n\n", MAX_PACKED, m->name);
	put_constants(m, out);
	for (size_t i = 0; i < m->n_enums; i++)
		put_enum(out, &m->enums[i]);
	for (size_t i = 0; i < m->n_flags; i++)
		put_flags(out, &m->flags[i]);
	for (size_t i = 0; i < m->n_structs; i++)
		put_struct(m, out, &m->structs[i]);
	fprintf(out,
		"\n  // verilator lint_on LITENDIAN\n"
		"  // verilator lint_on SYMRSVDWORD\n"
		"  // verilator lint_on UNUSEDPARAM\n"
		"endpackage : %s_pkg\n", m->name);
}
