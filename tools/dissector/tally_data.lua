-- SPDX-License-Identifier: BSD-2-Clause
-- Shows the elements of a message in Wireshark's tree. tally.lua calls the function that this file returns, with the
-- layouts and a table to which this file adds its fields. In this file, t contains values of a header: op, dtype, and
-- the number of elements in the packet.

local SHOWN_ELEMENTS = 8
local layouts, fields

-- Returns the bytes of a value: 1 without a type, nil if the type is unknown.
local function value_size(dtype)
	local name = layouts.enums.type.names[dtype]
	return name and (name == "NONE" and 1 or 2 ^ (dtype % 16))
end

local function has_index(t)
	local op = layouts.enums.op.names[t.op]
	return (op == "MINLOC" or op == "MAXLOC") and t.dtype ~= 0
end

-- Returns the bytes of an element, or nil if there is no such type. Pairs are laid out as in MPI: value, 32-bit index,
-- padding.
local function element_size(t)
	local size = value_size(t.dtype)
	return size and has_index(t) and (size <= 4 and 8 or 16) or size
end

-- Decodes a little-endian float of fewer than 32 bits.
local function small_float(bits, fraction_bits)
	local exponent_bits = 15 - fraction_bits
	local one, bias = 2 ^ fraction_bits, 2 ^ (exponent_bits - 1) - 1
	local exponent, fraction = math.floor(bits / one) % 2 ^ exponent_bits, bits % one
	local sign = bits >= 2 ^ 15 and -1 or 1
	if exponent == 2 ^ exponent_bits - 1 then
		return fraction == 0 and sign * math.huge or -(0 / 0)
	elseif exponent == 0 then
		return sign * fraction * 2 ^ (1 - bias - fraction_bits)
	end
	return sign * (one + fraction) * 2 ^ (exponent - bias - fraction_bits)
end

local READERS = {
	INT = function(range) return fields.int, range:le_int64() end,
	UINT = function(range) return fields.uint, range:le_uint64() end,
	FP = function(range)
		return fields.float, range:len() == 2 and small_float(range:le_uint(), 10) or range:le_float()
	end,
	BF = function(range) return fields.float, small_float(range:le_uint(), 7) end,
}

-- Shows the first of the t.elements under a tree. data: the captured part of the elements.
local function show(tree, data, t)
	local reader = READERS[layouts.enums.type_class.names[math.floor(t.dtype / 16)]]
	local size, step = value_size(t.dtype), element_size(t)
	local shown = math.min(t.elements, SHOWN_ELEMENTS, math.floor(data:len() / step))
	for i = 0, shown - 1 do
		local range = data(i * step, size)
		local field, value = reader(range)
		local item = tree:add(field, range, value)
		item:set_text(("[%d] %s"):format(i, tostring(value)))
		if has_index(t) then
			range = data(i * step + math.max(4, size), 4)
			item:append_text(" at " .. range:le_int())
			item:add_le(fields.index, range)
		end
	end
	if shown < t.elements then
		tree:add(data, ("%d elements more"):format(t.elements - shown))
	end
end

return function(the_layouts, the_fields)
	layouts, fields = the_layouts, the_fields
	fields.int = ProtoField.int64("tally.data.int", "Signed integer")
	fields.uint = ProtoField.uint64("tally.data.uint", "Unsigned integer")
	fields.float = ProtoField.double("tally.data.float", "Floating point")
	fields.index = ProtoField.int32("tally.data.index", "Index of MINLOC or MAXLOC")
	return { size = element_size, show = show }
end
