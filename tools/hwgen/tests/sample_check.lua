-- SPDX-License-Identifier: BSD-2-Clause
-- Loads the output of hwgen for sample.yaml in Wireshark's Lua, whose UInt64 it needs, and checks every kind of entry.
-- The argument of the script is the name of the file.
local path = ...
local sample = dofile(path)

local function check(name, got, expected)
	if got ~= expected then
		error(("%s: %s is %s, not %s"):format(path, name, tostring(got), tostring(expected)))
	end
end

check("SMALL", sample.constants.SMALL, 7)
check("HIGH", sample.constants.HIGH, 0xfedcba98)
check("HUGE_WORD", tostring(sample.constants.HUGE_WORD), "18446744073709551615")

check("color.bits", sample.enums.color.bits, 12)
check("color 0", sample.enums.color.names[0], "RED")
check("color 0xfff", sample.enums.color.names[0xfff], "BLUE")
check("color 0, text", sample.enums.color.docs[0], "First.")
check("wide", sample.enums.wide.names[0xffffffff], "TOP")

check("number of small flags", #sample.flags.small, 2)
check("small flag B", sample.flags.small[2].name, "B")
check("small flag B, bit", sample.flags.small[2].bit, 7)
check("big flag", sample.flags.big[1].bit, 63)

-- The wire is big-endian; the dissector needs no other structures.
check("struct le", sample.structs.le, nil)
local be = sample.structs.be
check("be.size", be.size, 64)
local fields = {}
for _, field in ipairs(be) do
	check("offset of " .. field.name, field.offset, fields.next or 0)
	fields[field.name], fields.next = field, field.offset + field.size * field.count
end
check("end of be", fields.next, 64)
check("be.tag", fields.tag.enum, "wide")
check("be.gid", fields.gid.count, 6)
check("be.words", fields.words.size, 4)
check("be.pairs", fields.pairs.struct, "be_pair")
check("be.far", fields.far.offset, 0x30)
check("be.far, text", fields.far.doc, "After a gap.")
check("be.far is reserved", fields.far.reserved, nil)
check("the gap before be.far is reserved", be[#be - 2].reserved, true)

print("sample is as it should be")
