-- SPDX-License-Identifier: BSD-2-Clause
-- Wireshark dissector of Tally's collective packets: RoCEv2 with BTH opcode 0xc0, then the collective header (TCH),
-- payload, padding and ICRC. Names and layouts come from tally_fields.lua, which hwgen writes; this file has only what
-- a layout cannot express. docs/packets.md describes how to load it.
--
-- Two lengths matter: the length of the packet decides whether it is well formed; the captured length decides how much
-- can be shown.

local UDP_BYTES = 8
local UDP_LENGTH_OFFSET = 4
local BTH_BYTES = 12
local ICRC_BYTES = 4

-- Loads another file and returns its value. The file is beside this one (in a folder of plug-ins) or in the tree.
local function load(name, folder)
	local here = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
	local places = { here .. name, here .. folder .. name }
	for _, path in ipairs(places) do
		local file = io.open(path)
		if file then
			file:close()
			return dofile(path)
		end
	end
	error("tally.lua finds no " .. name .. ": neither " .. table.concat(places, " nor "))
end

local layouts = load("tally_fields.lua", "../../uapi/gen/")
local const, structs = layouts.constants, layouts.structs
local tally = Proto("tally", "Tally Collective")

local experts = {
	short = ProtoExpert.new("tally.short", "Shorter than a collective header",
		expert.group.MALFORMED, expert.severity.ERROR),
	bad_tag = ProtoExpert.new("tally.bad_tag", "Not the tag of a collective header",
		expert.group.MALFORMED, expert.severity.ERROR),
	bad_version = ProtoExpert.new("tally.bad_version", "Unknown version of the collective header",
		expert.group.MALFORMED, expert.severity.ERROR),
	bad_length = ProtoExpert.new("tally.bad_length", "Payload of a length that the header does not give",
		expert.group.MALFORMED, expert.severity.ERROR),
	unknown_code = ProtoExpert.new("tally.unknown_code", "Undefined code",
		expert.group.PROTOCOL, expert.severity.WARN),
	bad_contributor = ProtoExpert.new("tally.bad_contributor", "No such contributor index",
		expert.group.PROTOCOL, expert.severity.WARN),
	bad_mode = ProtoExpert.new("tally.bad_mode", "Flags that name no mode",
		expert.group.PROTOCOL, expert.severity.WARN),
	reserved = ProtoExpert.new("tally.reserved", "Reserved bits that are not zero",
		expert.group.PROTOCOL, expert.severity.WARN),
}
tally.experts = experts

-- ---- Fields: tally.NAME of the header, tally.ack.NAME and so on of the payloads ----

local INTEGERS = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32, [8] = ProtoField.uint64 }
local HEX = { tag = true, jid = true, epoch = true, dtype = true, seen = true, nonce = true, echo = true,
	contributors = true, ranks = true, key = true, group_key = true, plan = true }
local PREFIXES = { tch = "tally.", tch_ack = "tally.ack.", tch_open = "tally.open.", tch_kill = "tally.kill." }

local fields = {
	ack_number = ProtoField.uint32("tally.ack.number", "Number seen"),
	ack_chunk = ProtoField.uint32("tally.ack.chunk", "Chunk seen"),
	data = ProtoField.bytes("tally.data", "Data"),
	pad = ProtoField.bytes("tally.pad", "Padding"),
	icrc = ProtoField.uint32("tally.icrc", "Invariant CRC (not checked)", base.HEX),
}

-- In kinds that do not use the field, a code of 0 without a name means "none".
local function names_of(enum)
	local names = { [0] = "-" }
	for code, name in pairs(layouts.enums[enum].names) do
		names[code] = name
	end
	return names
end

local function add_flag_fields(abbr, f)
	f.bits = {}
	for _, flag in ipairs(layouts.flags[f.flags]) do
		local name = abbr .. "." .. flag.name:lower()
		fields[name] = ProtoField.bool(name, flag.name, 8 * f.size, nil, 2 ^ flag.bit, flag.doc)
		f.bits[flag.bit] = { name = flag.name, field = fields[name] }
	end
end

local function add_field(prefix, f)
	local name = f.name:gsub("^_+", "")
	local abbr = prefix .. name
	local label = (name:sub(1, 1):upper() .. name:sub(2)):gsub("_", " ")
	if f.reserved then
		f.field = ProtoField.bytes(abbr, "Reserved", base.SPACE)
	else
		local hex = HEX[name] or f.flags
		f.field = INTEGERS[f.size](abbr, label, hex and base.HEX or base.DEC, f.enum and names_of(f.enum), nil,
			f.doc)
	end
	fields[abbr] = f.field
	if f.flags then
		add_flag_fields(abbr, f)
	end
end

for name, prefix in pairs(PREFIXES) do
	for _, f in ipairs(structs[name]) do
		add_field(prefix, f)
	end
end

local elements = load("tally_data.lua", "")(layouts, fields)
tally.fields = fields

-- ---- Text ----

local function hex(v)
	return ("0x%08x"):format(v)
end

-- Returns the name of a code for texts.
local function name_of(enum, code)
	local name = layouts.enums[enum].names[code]
	return name and name:lower() or ("%s %d?"):format(enum, code)
end

-- Formats ascending numbers as "0-3, 7".
local function ranges(numbers)
	local out, first = {}, 1
	for i = 1, #numbers do
		if i == #numbers or numbers[i + 1] ~= numbers[i] + 1 then
			local range = i == first and "%d" or "%d-%d"
			out[#out + 1] = range:format(numbers[first], numbers[i])
			first = i + 1
		end
	end
	return #out > 0 and table.concat(out, ", ") or "none"
end

-- Returns the numbers of the bits that are set in a range, from the lowest.
local function bits_of(range)
	local width, out = 8 * range:len(), {}
	for bit = 0, width - 1 do
		if range:bitfield(width - 1 - bit, 1) == 1 then
			out[#out + 1] = bit
		end
	end
	return out
end

-- ---- Structures ----

-- Shows each flag in a line, and their names after the word. Returns the set { NAME = true }.
local function show_flags(item, f, range)
	local set, names, unknown = {}, {}, {}
	for _, bit in ipairs(bits_of(range)) do
		local flag = f.bits[bit]
		if flag then
			set[flag.name] = true
			names[#names + 1] = flag.name
		else
			unknown[#unknown + 1] = bit
		end
	end
	for _, flag in ipairs(layouts.flags[f.flags]) do
		item:add(f.bits[flag.bit].field, range)
	end
	if #names > 0 then
		item:append_text(" (" .. table.concat(names, ", ") .. ")")
	end
	if #unknown > 0 then
		item:add_proto_expert_info(experts.reserved, "Reserved bits " .. ranges(unknown) .. " of " .. f.name)
	end
	return set
end

local function check_zero(item, f, range)
	if #bits_of(range) > 0 then
		item:add_proto_expert_info(experts.reserved, "Reserved bytes are not zero")
	end
end

-- Shows the structure at the start of buf. Returns values by name (flags: a set; 64-bit fields: their range) and items
-- by name; returns nil if some of the structure was not captured.
local function show_struct(tree, buf, layout)
	local values, items = {}, {}
	for _, f in ipairs(layout) do
		local len = f.size * f.count
		if f.offset + len > buf:len() then
			return nil
		end
		local range = buf(f.offset, len)
		local item = tree:add(f.field, range)
		items[f.name] = item
		if f.reserved then
			check_zero(item, f, range)
		elseif f.flags then
			values[f.name] = show_flags(item, f, range)
		elseif f.size > 4 then
			values[f.name] = range
		else
			values[f.name] = range:uint()
		end
	end
	return values, items
end

local function check_code(item, enum, code)
	if not layouts.enums[enum].names[code] then
		item:add_proto_expert_info(experts.unknown_code, ("Undefined %s %d"):format(enum, code))
	end
end

-- ---- Payloads: each function shows the captured part, and returns its text for the info column, if any ----

local function show_data(tree, payload, t)
	local item = tree:add(fields.data, payload)
	if t.dtype ~= 0 and elements.size(t) then
		elements.show(item, payload, t)
	end
end

local function show_ack(tree, payload, t)
	local ack, items = show_struct(tree, payload, structs.tch_ack)
	if not ack then
		return
	end
	-- Multicast results have no sequence numbers: they are identified by their chunks.
	local newest = t.flags.MULTICAST and t.num or t.edge_seq
	local field = t.flags.MULTICAST and fields.ack_chunk or fields.ack_number
	local numbers, bits = {}, bits_of(ack.seen)
	for i = #bits, 1, -1 do
		local number = (newest - bits[i]) % 2 ^ 32
		numbers[#numbers + 1] = number
		items.seen:add(field, ack.seen, number)
	end
	items.seen:append_text(" (" .. ranges(numbers) .. ")")
	return "seen " .. ranges(numbers)
end

-- Returns the modes of a group as "tree+ring".
local function modes_text(set)
	local names = {}
	for _, mode in ipairs(layouts.flags.group_mode) do
		names[#names + 1] = set[mode.name] and mode.name:lower() or nil
	end
	return #names > 0 and table.concat(names, "+") or "no mode"
end

local function show_open(tree, payload)
	local open = show_struct(tree, payload, structs.tch_open)
	if not open then
		return
	end
	local rounds = open.rounds > 0 and (" of %d rounds"):format(open.rounds) or ""
	return ("node %d of %d ranks %d first %d segs %d mtu %d %s"):format(open.node, open.num_nodes, open.total_ranks,
		open.first_seq, open.num_segs, open.mtu, modes_text(open.modes)) .. rounds
end

local function show_kill(tree, payload)
	local kill, items = show_struct(tree, payload, structs.tch_kill)
	if not kill then
		return
	end
	local contributors, ranks = ranges(bits_of(kill.contributors)), ranges(bits_of(kill.ranks))
	check_code(items.status, "coll_status", kill.status)
	items.status:append_text(" " .. (layouts.enums.coll_status.docs[kill.status] or ""))
	items.contributors:append_text(" (" .. contributors .. ")")
	items.ranks:append_text(" (" .. ranks .. ")")
	return ("%s detector %d mid %d sid %d contributors %s ranks %s"):format(name_of("coll_status", kill.status),
		kill.detector, kill.mid, kill.sid, contributors, ranks)
end

-- Shows a payload without a layout.
local function show_bytes(tree, payload)
	tree:add(fields.data, payload)
end

-- ---- Kinds ----

local function what(t)
	return ("%s %s %s x %d"):format(name_of("opcode", t.opcode), name_of("op", t.op), name_of("type", t.dtype), t.count)
end

local function chunk_info(t)
	local round = t.round > 0 and (" round %d"):format(t.round) or ""
	local seq = t.flags.MULTICAST and "" or (" seq %d"):format(t.edge_seq)
	return ("mid %d sid %d num %d%s %s%s"):format(t.mid, t.sid, t.num, round, what(t), seq)
end

local function trigger_info(t)
	return ("port %d counter %d %s branch %d seq %d after %d"):format(t.port, t.counter, what(t), t.branch, t.edge_seq,
		t.num)
end

local function seq_info(t)
	return ("seq %d"):format(t.edge_seq)
end

local function ack_info(t)
	return t.flags.MULTICAST and ("num %d"):format(t.num) or seq_info(t)
end

local function query_info(t)
	return ("num %d"):format(t.num)
end

local function epoch_info(t)
	return "epoch " .. hex(t.epoch)
end

local function no_info()
end

-- Returns the bytes of `count` elements; nil if the type is unknown, which check_code() reports.
local function data_bytes(t)
	local size = elements.size(t)
	return size and size * t.count
end

local function struct_bytes(name)
	return function() return structs[name].size end
end

local function no_bytes()
	return 0
end

local function any_bytes()
end

-- For each kind: how the payload is shown, its length (nil: any), and the text of the header for the info column.
local KINDS = {
	REDUCE = { show = show_data, bytes = data_bytes, info = chunk_info, codes = true },
	RESULT = { show = show_data, bytes = data_bytes, info = chunk_info, codes = true },
	TRIGGER = { show = show_data, bytes = data_bytes, info = trigger_info, codes = true },
	ACK = { show = show_ack, bytes = struct_bytes("tch_ack"), info = ack_info },
	BUSY = { show = show_bytes, bytes = no_bytes, info = seq_info },
	OPEN = { show = show_open, bytes = struct_bytes("tch_open"), info = epoch_info },
	QUERY = { show = show_bytes, bytes = no_bytes, info = query_info },
	NOTIFY = { show = show_bytes, bytes = no_bytes, info = no_info },
	CONFIG = { show = show_bytes, bytes = any_bytes, info = no_info },
	GRANT = { show = show_bytes, bytes = any_bytes, info = no_info },
	KILL = { show = show_kill, bytes = struct_bytes("tch_kill"), info = epoch_info },
}
local KILL_ACK = { show = show_bytes, bytes = no_bytes, info = epoch_info }
local UNKNOWN = { show = show_bytes, bytes = any_bytes, info = no_info }

local function kind_of(t)
	local name = layouts.enums.kind.names[t.kind]
	if name == "ACK" and t.flags.KILL_ACK then
		return KILL_ACK
	end
	return KINDS[name] or UNKNOWN
end

-- The flags name the mode of a message, in kinds that belong to one.
local function check_mode(t, items)
	local exchange, ring = t.flags.EXCHANGE, t.flags.RING
	local kind = layouts.enums.kind.names[t.kind]
	if exchange and ring then
		items.flags:add_proto_expert_info(experts.bad_mode, "Both EXCHANGE and RING")
	elseif (exchange or ring) and kind ~= "REDUCE" and kind ~= "RESULT" and kind ~= "QUERY" then
		items.flags:add_proto_expert_info(experts.bad_mode, "A kind that has no mode")
	end
end

local function check_header(t, items, kind)
	if t.tag ~= const.TCH_TAG then
		items.tag:add_proto_expert_info(experts.bad_tag)
	end
	if t.version ~= const.WIRE_VERSION then
		items.version:add_proto_expert_info(experts.bad_version, ("Version %d is not known, only %d"):format(
			t.version, const.WIRE_VERSION))
	end
	check_code(items.kind, "kind", t.kind)
	check_mode(t, items)
	if kind.codes then
		check_code(items.opcode, "opcode", t.opcode)
		check_code(items.op, "op", t.op)
		check_code(items.dtype, "type", t.dtype)
	end
	if t.contributor > const.CONTRIB_PARENT then
		items.contributor:add_proto_expert_info(experts.bad_contributor)
	end
end

-- GATHER on the way up and SCATTER on the way down carry only the data of the lower node's subtree; ALLGATHER in a
-- round of an exchange carries the blocks of the sender's part.
local function is_part(t)
	local kind, opcode = layouts.enums.kind.names[t.kind], layouts.enums.opcode.names[t.opcode]
	if kind == "REDUCE" then
		return opcode == "GATHER" or opcode == "ALLGATHER" and t.round > 0
	end
	return kind == "RESULT" and opcode == "SCATTER"
end

-- bytes: length of the payload in the packet.
local function check_length(tree, t, kind, bytes)
	local expected = kind.bytes(t)
	if expected and is_part(t) and bytes < expected then
		expected = bytes - bytes % elements.size(t)
	end
	if expected and expected ~= bytes then
		tree:add_proto_expert_info(experts.bad_length, ("Payload of %d bytes, not %.0f"):format(bytes, expected))
	elseif bytes > const.MAX_MTU then
		tree:add_proto_expert_info(experts.bad_length, ("Payload of %d bytes, over %d"):format(bytes,
			const.MAX_MTU))
	end
end

local function info_column(t, kind, of_payload)
	local words = { (name_of("kind", t.kind):upper()), "jid " .. hex(t.jid), kind.info(t) or false,
		of_payload or false, "done " .. t.done }
	local text = {}
	for _, word in ipairs(words) do
		text[#text + 1] = word or nil
	end
	for _, f in ipairs(layouts.flags.tch_flag) do
		text[#text + 1] = t.flags[f.name] and f.name or nil
	end
	return table.concat(text, " ")
end

-- Shows padding and ICRC after the body; a capture may end before them.
local function show_end(tree, range, size, body_end)
	local icrc_at = size - ICRC_BYTES
	if icrc_at > body_end and range:len() >= icrc_at then
		tree:add(fields.pad, range(body_end, icrc_at - body_end))
	end
	if range:len() >= size then
		tree:add_le(fields.icrc, range(icrc_at, ICRC_BYTES))
	end
end

-- range: the captured part from the BTH on, which is longer than the BTH; size: bytes of the packet from BTH to ICRC.
local function dissect(range, size, pinfo, parent)
	local body_end = size - ICRC_BYTES - range(1, 1):bitfield(2, 2)
	local header_end = BTH_BYTES + structs.tch.size
	pinfo.cols.protocol = "Tally"
	if body_end < header_end then
		pinfo.cols.info = "Short collective packet"
		parent:add(tally, range(BTH_BYTES)):add_proto_expert_info(experts.short,
			("%d bytes of a collective header of %d"):format(math.max(0, body_end - BTH_BYTES), structs.tch.size))
		return
	end
	local body = range(BTH_BYTES, math.min(body_end, range:len()) - BTH_BYTES)
	local tree = parent:add(tally, body)
	if range:len() < size then
		tree:append_text(" [cut by the capture]")
	end
	local t, items = show_struct(tree, body, structs.tch)
	if not t then
		pinfo.cols.info = "Collective packet, its header cut by the capture"
		return
	end
	local kind, of_payload = kind_of(t), nil
	check_header(t, items, kind)
	check_length(tree, t, kind, body_end - header_end)
	t.elements = is_part(t) and math.floor((body_end - header_end) / (elements.size(t) or 1)) or t.count
	if body:len() > structs.tch.size then
		of_payload = kind.show(tree, body(structs.tch.size), t)
	end
	local text = info_column(t, kind, of_payload)
	pinfo.cols.info = text
	tree:append_text(", " .. text)
	show_end(tree, range, size, body_end)
end

-- ---- After the built-in dissector ----
-- The built-in dissector decodes every BTH, and ignores the data after a vendor's opcode. This one must not call it
-- instead: an exception for a frame that was cut by the capture would unwind Lua's stack unnoticed.

local bth_opcode = Field.new("infiniband.bth.opcode")
local udp_length = Field.new("udp.length")

function tally.dissector(_, pinfo, tree)
	local opcode = bth_opcode()
	if not opcode or opcode.value ~= const.BTH_OPCODE_COLL then
		return
	end
	for _, length in ipairs({ udp_length() }) do
		if length.offset == opcode.offset - UDP_BYTES + UDP_LENGTH_OFFSET then
			local size = length.value - UDP_BYTES
			local captured = math.min(size, opcode.source:len() - opcode.offset)
			if captured > BTH_BYTES then
				dissect(opcode.source(opcode.offset, captured), size, pinfo, tree)
			end
		end
	end
end

register_postdissector(tally)
