#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that hwgen refuses every kind of bad input, with the file, the line and the name of the object at fault.
# usage: bad_input.sh HWGEN
set -u
hwgen=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Counted in files, because most cases run in the subshell of a pipe.
: >"$dir/cases"
: >"$dir/failures"

fail() {
	echo "FAILED: $*" | tee -a "$dir/failures" >&2
}

# expect STATUS TEXT ARGS...: hwgen with ARGS exits with STATUS and prints a line with TEXT to stderr.
expect() {
	status=$1 text=$2
	shift 2
	echo "$text" >>"$dir/cases"
	"$hwgen" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" -eq "$status" ] || fail "$text: exit $got, not $status"
	grep -qF -- "$text" "$dir/err" || { fail "$text: not in:"; cat "$dir/err" >&2; }
}

# refuse MESSAGE: the layout file on stdin is refused with "FILE:MESSAGE", and no output appears.
refuse() {
	cat >"$dir/in.yaml"
	expect 1 "in.yaml:$1" "$dir/in.yaml" --c "$dir/hw.h"
	[ ! -e "$dir/hw.h" ] || { fail "$1: wrote an output"; rm "$dir/hw.h"; }
}

# refuse_struct MESSAGE FIELD...: the same for fields of a structure `s` of 16 bytes; the first is on line 7.
refuse_struct() {
	message=$1
	shift
	{
		printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 16, doc: d, values: [{name: A, value: 0, doc: d}]}\n'
		printf 'structs:\n'
		printf '  - {name: big, size: 4, endian: big, doc: d, fields: [{name: a, type: u32}]}\n'
		printf '  - {name: s, size: 16, endian: little, doc: d, fields: [\n'
		for field in "$@"; do
			printf '      %s,\n' "$field"
		done
		printf '    ]}\n'
	} | refuse "$message"
}

# The file as a whole.
expect 2 "usage: hwgen"
expect 2 "usage: hwgen" --nonsense x
expect 2 "--c is given twice" a.yaml --c x --c y
expect 2 "name exactly one layout file" a.yaml b.yaml
expect 1 "$dir/missing.yaml: No such file" "$dir/missing.yaml"
printf 'name: t\n' >"$dir/ok.yaml"
expect 1 "$dir/no/dir.h: No such file" "$dir/ok.yaml" --c "$dir/no/dir.h"
printf '' | refuse "1: file: is empty"
printf 'name: [t\n' | refuse "2: YAML: did not find expected"
printf -- '- t\n' | refuse "1: file: must be a mapping"
printf 'name: t\n---\nname: u\n' | refuse "3: file: holds a second document"
printf '# c\nname: Big\n' | refuse "2: file: bad name 'Big'"
printf 'name: t\nconstants: 5\n' | refuse "2: constants: must be a list"

# Keys.
printf 'name: t\nconstant: []\n' | refuse "2: file: unknown key 'constant'"
printf 'constants: []\n' | refuse "1: file: missing key 'name'"
printf 'name: t\nname: t\n' | refuse "2: file: duplicate key 'name'"
printf 'name: t\nconstants:\n  - {name: A, value: 1}\n' | refuse "3: constant A: missing key 'doc'"
printf 'name: t\nconstants:\n  - {value: 1, doc: d}\n' | refuse "3: constant #1: missing key 'name'"
printf 'name: t\nenums:\n  - {name: e, prefix: E, doc: d, values: []}\n' |
	refuse "3: enum e: missing key 'bits'"
printf 'name: t\nflags:\n  - {name: f, prefix: F, bits: 8, doc: d, values: [\n    {name: A, value: 1, doc: d}]}\n' |
	refuse "4: flags f, flag A: unknown key 'value'"
refuse_struct "7: struct s, field a: unknown key 'typ'" '{name: a, typ: u32}'
refuse_struct "7: struct s, field a: missing key 'type'" '{name: a}'

# Numbers and texts.
for bad in -1 1.5 010 0x ten 0X10 '" 1"' '[]'; do
	printf 'name: t\nconstants:\n  - {name: A, value: %s, doc: d}\n' "$bad" |
		refuse "3: constant A: 'value' must be a number"
done
printf 'name: t\nconstants:\n  - {name: A, value: 0x10000000000000000, doc: d}\n' |
	refuse "3: constant A: 'value' 0x10000000000000000 does not fit 64 bits"
printf 'name: t\nconstants:\n  - {name: A, value: 1, doc: "a */ b"}\n' |
	refuse "3: constant A: 'doc' contains a comment mark"
printf 'name: t\nconstants:\n  - {name: A, value: 1, doc: "a \\x07 b"}\n' |
	refuse "3: constant A: 'doc' contains a control character"
printf 'name: t\nconstants:\n  - {name: A, value: 1, doc: [d]}\n' |
	refuse "3: constant A: 'doc' must be text"
for bad in 1A A__B A_ A-B; do
	printf 'name: t\nconstants:\n  - {name: %s, value: 1, doc: d}\n' "$bad" |
		refuse "3: constant $bad: bad name '$bad'"
done

printf 'name: t\nconstants:\n  - {name: A, value: 1, doc: d, public: yes}\n' |
	refuse "3: constant A: 'public' must be true or left out"
printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 8, doc: d, public: [], values: [{name: A, value: 0, doc: d}]}\n' |
	refuse "3: enum e: 'public' must be true or left out"

# Duplicates.
printf 'name: t\nconstants:\n  - {name: A, value: 1, doc: d}\n  - {name: A, value: 2, doc: d}\n' |
	refuse "4: constant A: duplicate name: C's T_A is already generated from line 3"
printf 'name: t\nconstants:\n  - {name: A_B1, value: 1, doc: d}\n  - {name: A_B_1, value: 2, doc: d}\n' |
	refuse "4: constant A_B_1: duplicate name: SystemVerilog's AB1 is already generated from line 3"
printf 'name: t\nconstants:\n  - {name: E_A, value: 1, doc: d}\nenums:\n  - {name: e, prefix: E, bits: 8, doc: d, values: [\n    {name: A, value: 1, doc: d}]}\n' |
	refuse "6: enum e, value A: duplicate name: C's T_E_A is already generated from line 3"
printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 8, doc: d, values: [\n    {name: A, value: 1, doc: d},\n    {name: B, value: 1, doc: d}]}\n' |
	refuse "5: enum e, value B: duplicate value 1, first used by A"
printf 'name: t\nflags:\n  - {name: f, prefix: F, bits: 8, doc: d, values: [\n    {name: A, bit: 1, doc: d},\n    {name: B, bit: 1, doc: d}]}\n' |
	refuse "5: flags f, flag B: duplicate bit 1, first used by A"
printf 'name: t\nflags:\n  - {name: f, prefix: F, bits: 8, doc: d, values: [{name: A, bit: 1, doc: d}]}\n  - {name: f, prefix: G, bits: 8, doc: d, values: [{name: A, bit: 1, doc: d}]}\n' |
	refuse "4: flags f: duplicate name, first at line 3"
refuse_struct "8: struct s, field a: duplicate field, first at line 7" \
	'{name: a, type: u32}' '{name: a, type: u32}'
printf 'name: t\nstructs:\n  - {name: s, size: 1, endian: big, doc: d, fields: [{name: a, type: u8}]}\n  - {name: s, size: 1, endian: big, doc: d, fields: [{name: a, type: u8}]}\n' |
	refuse "4: struct s: duplicate name"

# Values that do not fit.
printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 8, doc: d, values: [\n    {name: A, value: 256, doc: d}]}\n' |
	refuse "4: enum e, value A: value 256 does not fit 8 bits"
printf 'name: t\nflags:\n  - {name: f, prefix: F, bits: 8, doc: d, values: [\n    {name: A, bit: 8, doc: d}]}\n' |
	refuse "4: flags f, flag A: bit 8 does not fit 8 bits"
printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 33, doc: d, values: [{name: A, value: 0, doc: d}]}\n' |
	refuse "3: enum e: 'bits' must be 1 to 32"
printf 'name: t\nflags:\n  - {name: f, prefix: F, bits: 65, doc: d, values: [{name: A, bit: 0, doc: d}]}\n' |
	refuse "3: flags f: 'bits' must be 1 to 64"
printf 'name: t\nenums:\n  - {name: e, prefix: E, bits: 8, doc: d, values: []}\n' |
	refuse "3: enum e: has no values"

# Layout.
refuse_struct "8: struct s, field b: not naturally aligned: offset 0x2 is no multiple of 4" \
	'{name: a, type: u16}' '{name: b, type: u32}'
refuse_struct "7: struct s, field a: not naturally aligned: offset 0x4 is no multiple of 8" \
	'{name: a, type: u64, at: 4}'
refuse_struct "8: struct s, field b: overlaps the field before it, which ends at 0x4" \
	'{name: a, type: u32}' '{name: b, type: u16, at: 2}'
refuse_struct "8: struct s, field b: size mismatch: ends at 0x18, the structure at 0x10" \
	'{name: a, type: u64}' '{name: b, type: u64, count: 2}'
refuse_struct "7: struct s, field a: 'count' does not fit" '{name: a, type: u8, count: 0}'
refuse_struct "7: struct s, field a: 'count' does not fit" '{name: a, type: u64, count: 0xffffffffffffffff}'
refuse_struct "7: struct s, field a: 'at' does not fit" '{name: a, type: u64, at: 0xfffffffffffffff8}'
refuse_struct "7: struct s, field a: unknown type 'u24'" '{name: a, type: u24}'
refuse_struct "7: struct s, field a: unknown type 's'" '{name: a, type: s}'
refuse_struct "7: struct s, field a: mixed endianness: struct big is big-endian" '{name: a, type: big}'
refuse_struct "7: struct s, field a: unknown enum 'x'" '{name: a, type: u8, enum: x}'
refuse_struct "7: struct s, field a: unknown flags 'e'" '{name: a, type: u8, flags: e}'
refuse_struct "7: struct s, field a: u8 has no room for enum e of 16 bits" '{name: a, type: u8, enum: e}'
refuse_struct "7: struct s, field a: has both 'enum' and 'flags'" '{name: a, type: u8, enum: e, flags: e}'
refuse_struct "7: struct s, field a: a structure cannot be an enum e" '{name: a, type: big, enum: e}'
refuse_struct "7: struct s, field rsvd0: a reserved field must be a plain integer" '{name: rsvd0, type: big}'
refuse_struct "7: struct s, field class: bad name 'class': a keyword of C or C++" '{name: class, type: u8}'
refuse_struct "7: struct s, field Abc: bad name 'Abc'" '{name: Abc, type: u8}'
refuse_struct "6: struct s: has no fields"
printf 'name: t\nstructs:\n  - {name: s, size: 6, endian: big, doc: d, fields: [{name: a, type: u32}]}\n' |
	refuse "3: struct s: size mismatch: 6 is no multiple of its alignment, 4"
printf 'name: t\nstructs:\n  - {name: s, size: 0, endian: big, doc: d, fields: [{name: a, type: u32}]}\n' |
	refuse "3: struct s: 'size' must be 1 to"
printf 'name: t\nstructs:\n  - {name: s, size: 4, endian: middle, doc: d, fields: [{name: a, type: u32}]}\n' |
	refuse "3: struct s: 'endian' must be little or big, not 'middle'"
printf 'name: t\nstructs:\n  - {name: u8, size: 4, endian: big, doc: d, fields: [{name: a, type: u32}]}\n' |
	refuse "3: struct u8: bad name 'u8': an integer type"

echo "$(wc -l <"$dir/cases") cases, $(wc -l <"$dir/failures") failures"
[ ! -s "$dir/failures" ]
