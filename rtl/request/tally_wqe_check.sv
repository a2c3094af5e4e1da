// SPDX-License-Identifier: BSD-2-Clause
// Checks the fixed part of a work request, and computes what follows from it (sim/engine/wqe.c).
//
// start_i says that the request at wqe_i is new. It and all that belongs to it (group, queue pair,
// index) must stay until the next start. done_o is high from Latency clocks after the start until
// the next one. Then status_o has the first fault of the fields, and, if there is none and the flag
// word may be written, lists_o has the first fault of the sizes of the lists. Both are CollOk
// otherwise. req_o has the fields of the request, except for its status, and from divided_o on the
// number of chunks. The block looks at no entry of a list.
//
// Every check is made for every request. Those that do not concern its operation are left out where
// the first fault is chosen, which is the last step but one. So a request takes the same time
// whatever is wrong with it.
module tally_wqe_check #(
  localparam int unsigned Latency = 7
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          start_i,
  input  tally_pkg::wqe_t               wqe_i,
  input  tally_request_pkg::group_t     group_i,
  input  tally_request_pkg::qp_t        qp_i,
  input  logic [31:0]                   index_i,    // that the request must have

  output logic                          done_o,
  output logic [15:0]                   status_o,   // tally_pkg::coll_status_e
  output logic [15:0]                   lists_o,
  output logic                          divided_o,
  output tally_request_pkg::request_t   req_o
);
  // ---- Flags that the operations permit ----
  localparam logic [31:0] FlagsAlways = tally_pkg::WqeFSignaled | tally_pkg::WqeFSolicited;
  localparam logic [31:0] FlagsBarrier = FlagsAlways | tally_pkg::WqeFFlagWord |
                                         tally_pkg::WqeFEmpty |
                                         tally_pkg::WqeFNoContributors;
  localparam logic [31:0] FlagsData = FlagsBarrier | tally_pkg::WqeFInline |
                                      tally_pkg::WqeFCombined;
  localparam logic [31:0] FlagsReduce = FlagsData | tally_pkg::WqeFOrdered |
                                        tally_pkg::WqeFLocValues;
  localparam logic [31:0] FlagsBlocks = FlagsAlways | tally_pkg::WqeFFlagWord |
                                        tally_pkg::WqeFInline |
                                        tally_pkg::WqeFCombined;
  localparam logic [31:0] FlagsReduceBlocks = FlagsBlocks | tally_pkg::WqeFOrdered |
                                              tally_pkg::WqeFLocValues;
  localparam logic [31:0] FlagsTrigger = FlagsAlways | tally_pkg::WqeFFlagWord |
                                         tally_pkg::WqeFInline |
                                         tally_pkg::WqeFCp | tally_pkg::WqeFSwpFlag |
                                         tally_pkg::WqeFSwpMp |
                                         tally_pkg::WqeFToParent | tally_pkg::WqeFToSelf |
                                         tally_pkg::WqeFLocValues;
  localparam logic [31:0] FlagsReduceTrigger = FlagsTrigger | tally_pkg::WqeFRflag;

  localparam logic [50:0] MaxMessage = 51'(tally_pkg::MaxMessage);
  localparam logic [31:0] LocLimit = 32'h80000000;
  localparam int unsigned FixedBytes = tally_pkg::WqeBytes;

  logic [Latency:1] age_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      age_q <= '0;
    end else begin
      age_q[Latency:2] <= start_i ? '0 : age_q[Latency-1:1] | {age_q[Latency], {(Latency-2){1'b0}}};
      age_q[1] <= start_i;
    end
  end
  assign done_o = age_q[Latency];

  // ---- What the operation and its flags mean ----
  logic known, collective, triggered, reduces, blocked, rooted, barrier, query, abort;
  logic empty, none, combined, inlined, swapped, to_parent, to_self, values, kept, counted,
      flag_word;
  logic [31:0] allowed;

  always_comb begin
    known = 1'b1;
    allowed = FlagsAlways;
    unique case (wqe_i.opcode)
      tally_pkg::OpcodeAllreduce, tally_pkg::OpcodeReduce: allowed = FlagsReduce;
      tally_pkg::OpcodeBcast: allowed = FlagsData;
      tally_pkg::OpcodeBarrier: allowed = FlagsBarrier;
      tally_pkg::OpcodeReduceScatter: allowed = FlagsReduceBlocks;
      tally_pkg::OpcodeAllgather, tally_pkg::OpcodeGather, tally_pkg::OpcodeScatter: begin
        allowed = FlagsBlocks;
      end
      tally_pkg::OpcodeReduceMp: allowed = FlagsReduceTrigger;
      tally_pkg::OpcodeBcastMp, tally_pkg::OpcodePutMp: allowed = FlagsTrigger;
      tally_pkg::OpcodeQuery, tally_pkg::OpcodeAbort: allowed = FlagsAlways;
      default: known = 1'b0;
    endcase
  end

  assign collective = wqe_i.opcode >= tally_pkg::OpcodeAllreduce &&
                      wqe_i.opcode <= tally_pkg::OpcodeScatter;
  assign triggered = wqe_i.opcode >= tally_pkg::OpcodeReduceMp;
  assign reduces = wqe_i.opcode == tally_pkg::OpcodeAllreduce ||
                   wqe_i.opcode == tally_pkg::OpcodeReduce ||
                   wqe_i.opcode == tally_pkg::OpcodeReduceScatter;
  assign blocked = wqe_i.opcode < 8'd32 && tally_pkg::OpcodesBlocks[wqe_i.opcode[4:0]];
  assign rooted = wqe_i.opcode == tally_pkg::OpcodeReduce ||
                  wqe_i.opcode == tally_pkg::OpcodeBcast ||
                  wqe_i.opcode == tally_pkg::OpcodeGather ||
                  wqe_i.opcode == tally_pkg::OpcodeScatter;
  assign barrier = wqe_i.opcode == tally_pkg::OpcodeBarrier;
  assign query = wqe_i.opcode == tally_pkg::OpcodeQuery;
  assign abort = wqe_i.opcode == tally_pkg::OpcodeAbort;
  assign empty = (wqe_i.flags & tally_pkg::WqeFEmpty) != '0;
  assign none = (wqe_i.flags & tally_pkg::WqeFNoContributors) != '0;
  assign combined = (wqe_i.flags & tally_pkg::WqeFCombined) != '0;
  assign inlined = (wqe_i.flags & tally_pkg::WqeFInline) != '0;
  assign swapped = (wqe_i.flags & tally_pkg::WqeFSwpFlag) != '0;
  assign to_parent = (wqe_i.flags & tally_pkg::WqeFToParent) != '0;
  assign to_self = (wqe_i.flags & tally_pkg::WqeFToSelf) != '0;
  assign values = (wqe_i.flags & tally_pkg::WqeFLocValues) != '0;
  assign kept = (wqe_i.flags & tally_pkg::WqeFSwpMp) != '0;
  assign counted = (wqe_i.flags & tally_pkg::WqeFCp) != '0;
  assign flag_word = (wqe_i.flags & tally_pkg::WqeFFlagWord) != '0;

  // ---- First step: compare each field with what is permitted ----
  logic flags_wrong_q, reserved_wrong_q, index_wrong_q, jid_wrong_q, timeout_wrong_q, ranks_wrong_q;
  logic type_known_q, op_any_q, pair_q, type_real_q, is_loc_q, count_zero_q, count_over_q, whole_q;
  logic mask_full_q, mask_out_q, mask_children_q, dest_out_q, loc_index_q, loc_over_q;
  logic root_here_q, root_mine_q, root_ours_q, root_out_q, root_any_q, flag_any_q, parent_bit_q,
      parent_wrong_q;
  logic parent_has_bit, type_known;
  logic [31:0] ops, chunk_q, loc_room_q;
  logic [63:0] count_less_q;
  logic [7:0][3:0] ranks_part_q, dests_part_q;
  logic [2:0] value_log_q;
  logic [tally_request_pkg::ChoiceW-1:0] choice_q;
  logic [63:0] parent_bit;

  function automatic logic [3:0] ones8(input logic [7:0] bits);
    ones8 = '0;
    for (int unsigned k = 0; k < 8; k++) ones8 += 4'(bits[k]);
  endfunction

  always_comb begin
    unique case (wqe_i.dtype)
      tally_pkg::TypeNone, tally_pkg::TypeInt8, tally_pkg::TypeInt16, tally_pkg::TypeInt32,
          tally_pkg::TypeInt64,
      tally_pkg::TypeUint8, tally_pkg::TypeUint16, tally_pkg::TypeUint32, tally_pkg::TypeUint64,
      tally_pkg::TypeFp16,
      tally_pkg::TypeFp32, tally_pkg::TypeFp64, tally_pkg::TypeBf16: type_known = 1'b1;
      default: type_known = 1'b0;
    endcase
    unique case (8'(wqe_i.dtype[7:4]))
      tally_pkg::TypeClassInt: ops = tally_pkg::OpsInt;
      tally_pkg::TypeClassUint: ops = tally_pkg::OpsUint;
      tally_pkg::TypeClassFp: ops = tally_pkg::OpsFp;
      tally_pkg::TypeClassBf: ops = tally_pkg::OpsBf;
      default: ops = '0;
    endcase
  end

  localparam logic [31:0] AllOps = tally_pkg::OpsInt | tally_pkg::OpsUint | tally_pkg::OpsFp |
                                   tally_pkg::OpsBf;
  assign parent_has_bit = group_i.has_parent && group_i.parent < 7'(tally_pkg::MaxContributors);
  assign parent_bit = parent_has_bit ? 64'd1 << group_i.parent[5:0] : '0;

  logic [2:0] choice_at;
  assign choice_at = wqe_i.opcode[2:0] - 3'd1;

  always_ff @(posedge clk_i) begin
    flags_wrong_q <= (wqe_i.flags & ~allowed) != '0;
    reserved_wrong_q <= (wqe_i.mode != '0 && !collective) || wqe_i.rsvd1 != '0 ||
                        wqe_i.__rsvd_68 != '0;
    index_wrong_q <= wqe_i.index != index_i;
    jid_wrong_q <= wqe_i.jid != group_i.jid;
    timeout_wrong_q <= wqe_i.timeout_ms != '0 && (wqe_i.timeout_ms < tally_pkg::MinTimeoutMs ||
                       wqe_i.timeout_ms > tally_pkg::MaxTimeoutMs);
    ranks_wrong_q <= wqe_i.rank_mask == '0 || (wqe_i.rank_mask & ~qp_i.ranks) != '0;

    type_known_q <= type_known;
    value_log_q <= wqe_i.dtype[2:0];
    type_real_q <= type_known && wqe_i.dtype != tally_pkg::TypeNone;
    op_any_q <= wqe_i.op < 8'd32 && AllOps[wqe_i.op[4:0]];
    pair_q <= type_known && wqe_i.op < 8'd32 && ops[wqe_i.op[4:0]];
    is_loc_q <= wqe_i.op == tally_pkg::OpMinloc || wqe_i.op == tally_pkg::OpMaxloc;

    count_less_q <= wqe_i.count - 64'd1;
    count_zero_q <= wqe_i.count == '0;
    count_over_q <= wqe_i.count > (triggered ? 64'(group_i.mtu) : 64'(tally_pkg::MaxMessage));
    chunk_q <= wqe_i.chunk_len == '0 ? 32'(group_i.mtu) : wqe_i.chunk_len;
    loc_index_q <= wqe_i.loc_index != '0;
    loc_over_q <= wqe_i.loc_index > 64'(LocLimit);
    loc_room_q <= LocLimit - wqe_i.loc_index[31:0];

    whole_q <= wqe_i.rank_mask == group_i.rank_mask;
    mask_full_q <= wqe_i.node_mask == {64{1'b1}} || (wqe_i.node_mask == '0 && !none);
    mask_out_q <= (wqe_i.node_mask & ~group_i.children) != '0;
    mask_children_q <= wqe_i.node_mask == group_i.children;
    dest_out_q <= (wqe_i.node_mask & ~group_i.dests) != '0;
    parent_bit_q <= parent_has_bit;
    parent_wrong_q <= parent_has_bit ? (parent_bit & ~wqe_i.node_mask & group_i.dests) == '0 :
                      !group_i.has_parent;

    root_here_q <= wqe_i.root_node == 16'(group_i.node);
    root_mine_q <= wqe_i.rank_mask[wqe_i.root_rank[5:0]];
    root_ours_q <= group_i.rank_mask[wqe_i.root_rank[5:0]];
    root_out_q <= wqe_i.root_node >= 16'(group_i.num_nodes) ||
                  wqe_i.root_rank >= 8'(tally_pkg::MaxRanks);
    root_any_q <= wqe_i.root_node != '0 || wqe_i.root_rank != '0;
    flag_any_q <= wqe_i.flag_addr != '0 || wqe_i.flag_lkey != '0 || wqe_i.flag_value != '0;

    for (int unsigned k = 0; k < 8; k++) begin
      ranks_part_q[k] <= ones8(wqe_i.rank_mask[8*k+:8]);
      dests_part_q[k] <= ones8(wqe_i.node_mask[8*k+:8]);
    end
    choice_q <= '0;
    for (int unsigned k = 0; k < tally_request_pkg::NumChoices; k++) begin
      if (choice_at == 3'(k)) begin
        choice_q <= group_i.choices[k*tally_request_pkg::ChoiceW+:tally_request_pkg::ChoiceW];
      end
    end
  end

  // ---- Second step: size of an element, numbers of ranks and destinations, log2 of the count ----
  logic [2:0] elem_log_q, give_log_q;
  logic no_elem_q;
  logic [6:0] ranks_q, dests_q, top_q;
  logic [6:0] ranks_sum, dests_sum, top;

  always_comb begin
    ranks_sum = '0;
    dests_sum = '0;
    for (int unsigned k = 0; k < 8; k++) begin
      ranks_sum += 7'(ranks_part_q[k]);
      dests_sum += 7'(dests_part_q[k]);
    end
    top = '0;  // of count - 1: the number of its bits without leading zeros
    for (int unsigned k = 0; k < 64; k++) if (count_less_q[k]) top = 7'(k + 1);
  end

  always_ff @(posedge clk_i) begin
    elem_log_q <= !is_loc_q ? value_log_q : value_log_q == 3'd3 ? 3'd4 : 3'd3;
    give_log_q <= !is_loc_q || values ? value_log_q : value_log_q == 3'd3 ? 3'd4 : 3'd3;
    no_elem_q <= !type_known_q || (is_loc_q && !pair_q);
    ranks_q <= ranks_sum;
    dests_q <= dests_sum + 7'(to_parent);
    top_q <= top;
  end

  // ---- Third step: choose the mode; multiply the count by the number of blocks ----
  logic [1:0] small_mode, middle_mode, large_mode;
  logic [4:0] small_log, middle_log;
  logic [7:0] chosen, mode_q;
  logic [18:0] blocks;
  logic [6:0] own_blocks;
  logic [34:0] total_low_q, total_high_q;
  logic [22:0] own_low_q;
  logic [15:0] own_high_q;

  // Whether a rank contributes at most 2 to the power of `log` bytes.
  function automatic logic is_up_to(input logic zero, input logic [6:0] bits,
                                    input logic [2:0] elem,
                                    input logic [4:0] log);
    is_up_to = zero || 8'(bits) + 8'(elem) <= 8'(log);
  endfunction

  assign {small_mode, middle_mode, large_mode, small_log, middle_log} = choice_q;
  assign blocks = blocked ? group_i.total_ranks : 19'd1;
  assign own_blocks = blocked && combined ? ranks_q : 7'd1;

  always_comb begin
    chosen = 8'(large_mode);
    if (is_up_to(count_zero_q || no_elem_q, top_q, elem_log_q, small_log)) begin
      chosen = 8'(small_mode);
    end else if (is_up_to(count_zero_q || no_elem_q, top_q, elem_log_q, middle_log)) begin
      chosen = 8'(middle_mode);
    end
    if (chosen == '0) chosen = group_i.mode;
  end

  always_ff @(posedge clk_i) begin
    mode_q <= !collective ? group_i.mode : wqe_i.mode != '0 ? wqe_i.mode : chosen;
    total_low_q <= 35'(wqe_i.count[15:0]) * 35'(blocks);
    total_high_q <= 35'(wqe_i.count[31:16]) * 35'(blocks);
    own_low_q <= 23'(wqe_i.count[15:0]) * 23'(own_blocks);
    own_high_q <= wqe_i.count[31:16] * 16'(own_blocks);
  end

  // ---- Fourth step: whether there is such a mode; sums of the products; bytes of a chunk ----
  logic [31:0] offered;
  logic [7:0] mode_bit;
  logic mode_wrong_q, narrows_q, fixed, chunk_wrong_q;
  logic [50:0] total_q;
  logic [31:0] own_q;
  logic [12:0] most, chunk_bytes_q;

  always_comb begin
    offered = '0;
    mode_bit = '0;
    unique case (mode_q)
      tally_pkg::ModeTree: begin
        offered = tally_pkg::OpcodesTree;
        mode_bit = tally_pkg::ModesTree;
      end
      tally_pkg::ModeExchange: begin
        offered = tally_pkg::OpcodesExchange;
        mode_bit = tally_pkg::ModesExchange;
      end
      tally_pkg::ModeRing: begin
        offered = tally_pkg::OpcodesRing;
        mode_bit = tally_pkg::ModesRing;
      end
      default: offered = '0;
    endcase
  end

  // A reduction in fixed shape may have shorter chunks.
  assign fixed = reduces && (group_i.ordered || mode_q == tally_pkg::ModeExchange);
  assign most = fixed && group_i.chunk != '0 && group_i.chunk < group_i.mtu ? group_i.chunk :
                group_i.mtu;

  always_ff @(posedge clk_i) begin
    mode_wrong_q <= !offered[wqe_i.opcode[4:0]] ||
                    (collective && (mode_bit & group_i.modes) == '0) ||
                    (blocked && group_i.sparse);
    narrows_q <= mode_q == tally_pkg::ModeTree;
    total_q <= 51'(total_low_q) + {total_high_q, 16'd0};
    own_q <= 32'(own_low_q) + {own_high_q, 16'd0};
    chunk_wrong_q <= chunk_q > 32'(group_i.mtu) || chunk_q < 32'd1 << elem_log_q ||
                     (triggered && chunk_q != 32'(group_i.mtu));
    chunk_bytes_q <= chunk_q < 32'(most) ? chunk_q[12:0] : most;
  end

  // ---- Fifth step: sizes of message, chunk and lists ----
  logic root_rank_here, gives_all, gets_all, with_root;
  logic total_over_q, loc_wrong_q;
  logic [12:0] chunk_elems_q;
  logic [31:0] give_len_q, get_len_q, last_q;
  logic [6:0] give_q, get_q, entries, give, get;

  assign root_rank_here = root_here_q && root_mine_q;
  assign gives_all = wqe_i.opcode == tally_pkg::OpcodeScatter ||
                     wqe_i.opcode == tally_pkg::OpcodeReduceScatter;
  assign gets_all = wqe_i.opcode == tally_pkg::OpcodeGather ||
                    wqe_i.opcode == tally_pkg::OpcodeAllgather;
  assign with_root = wqe_i.opcode == tally_pkg::OpcodeBcast ||
                     wqe_i.opcode == tally_pkg::OpcodeScatter;
  assign entries = combined ? 7'd1 : ranks_q;

  always_comb begin
    give = entries;
    get = entries;
    if (triggered) begin
      give = 7'(!swapped || (wqe_i.flags & tally_pkg::WqeFRflag) != '0);
      get = 7'(wqe_i.num_result != '0);
    end else if (barrier || empty) begin
      give = barrier ? ranks_q : '0;
      get = '0;
    end else begin
      if (with_root) give = 7'(root_rank_here);
      if (wqe_i.opcode == tally_pkg::OpcodeReduce || wqe_i.opcode == tally_pkg::OpcodeGather) begin
        get = 7'(root_rank_here);
      end else if (wqe_i.opcode == tally_pkg::OpcodeBcast) begin
        get = combined ? 7'(!root_rank_here) : ranks_q - 7'(root_rank_here);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    total_over_q <= count_over_q || total_q > (triggered ? 51'(group_i.mtu) :
                                               MaxMessage) >> elem_log_q;
    loc_wrong_q <= (loc_index_q && !values) || (values && !is_loc_q) || loc_over_q ||
                   total_q > 51'(loc_room_q);
    last_q <= total_q[31:0] - 32'd1;
    chunk_elems_q <= chunk_bytes_q >> elem_log_q;
    give_len_q <= (gives_all ? total_q[31:0] : own_q) << give_log_q;
    get_len_q <= (gets_all ? total_q[31:0] : own_q) << elem_log_q;
    give_q <= give;
    get_q <= get;
  end

  // ---- Sixth step: the first fault of each group of fields ----
  logic is_reason, no_dest, narrowable;
  logic [15:0] common, common_q, work, work_q, whole, whole_st_q, trigger, trigger_q, flag, flag_q,
      lists, lists_1_q;
  logic [63:0] reason;
  logic [7:0] dests;

  assign reason = wqe_i.count == '0 ? 64'(tally_pkg::CollAborted) : wqe_i.count;
  assign is_reason = reason == 64'(tally_pkg::CollRankGone) ||
                     reason == 64'(tally_pkg::CollAborted) ||
                     (reason >= 64'(tally_pkg::CollOpcodeMismatch) &&
                      reason <= 64'(tally_pkg::CollMaskMismatch)) ||
                     reason == 64'(tally_pkg::CollModeMismatch);

  always_comb begin
    common = tally_pkg::CollOk;
    if (!known) common = tally_pkg::CollBadOpcode;
    else if (mode_wrong_q) common = tally_pkg::CollBadMode;
    else if (index_wrong_q) common = tally_pkg::CollBadWqeIndex;
    else if (flags_wrong_q) common = tally_pkg::CollBadFlags;
    else if (reserved_wrong_q) common = tally_pkg::CollBadReserved;
    else if (jid_wrong_q) common = tally_pkg::CollBadJid;
    else if (timeout_wrong_q) common = tally_pkg::CollBadTimeout;
    else if (ranks_wrong_q) common = tally_pkg::CollBadRankMask;
    else if (abort && !is_reason) common = tally_pkg::CollBadCount;
  end

  logic needs_op;
  assign needs_op = reduces || wqe_i.opcode == tally_pkg::OpcodeReduceMp ||
                    (triggered && wqe_i.op != tally_pkg::OpNone);
  always_comb begin
    work = tally_pkg::CollOk;
    if (!type_known_q || (barrier && type_real_q)) work = tally_pkg::CollBadType;
    else if (needs_op && !op_any_q) work = tally_pkg::CollBadOp;
    else if (needs_op && !type_real_q) work = tally_pkg::CollBadType;
    else if (needs_op && !pair_q) work = tally_pkg::CollBadPair;
    else if (!needs_op && wqe_i.op != tally_pkg::OpNone) work = tally_pkg::CollBadOp;
    else if ((wqe_i.flags & tally_pkg::WqeFOrdered) != '0 && !group_i.ordered) begin
      work = tally_pkg::CollNotOrdered;
    end else if (barrier && !count_zero_q) work = tally_pkg::CollBadCount;
    else if (total_over_q) work = tally_pkg::CollTooLong;
    else if (chunk_wrong_q) work = tally_pkg::CollBadChunk;
    else if (loc_wrong_q) work = tally_pkg::CollBadLoc;
    else if (wqe_i.inline_len > tally_pkg::MaxInline) work = tally_pkg::CollBadInline;
  end

  // A part of the group may take part, but not in AVG and in messages of blocks.
  assign narrowable = wqe_i.op != tally_pkg::OpAvg && !blocked;
  always_comb begin
    whole = tally_pkg::CollOk;
    if (none && wqe_i.node_mask != '0) whole = tally_pkg::CollBadNodeMask;
    else if (!narrows_q && (none || empty)) whole = tally_pkg::CollBadFlags;
    else if (empty && combined) whole = tally_pkg::CollBadFlags;
    else if (!narrows_q && !mask_full_q) whole = tally_pkg::CollBadNodeMask;
    else if (combined && blocked && !whole_q) whole = tally_pkg::CollBadRankMask;
    else if (wqe_i.seg_first != '0 || wqe_i.seg_count > 16'(group_i.max_segs)) begin
      whole = tally_pkg::CollBadSeg;
    end else if (!mask_full_q && (mask_out_q || (!mask_children_q && !narrowable))) begin
      whole = tally_pkg::CollBadNodeMask;
    end else if (empty && !narrowable) whole = tally_pkg::CollBadFlags;
    else if (!rooted && root_any_q) whole = tally_pkg::CollBadRoot;
    else if (rooted &&
             (root_out_q || (root_here_q && (!root_ours_q || (empty && root_mine_q))))) begin
      whole = tally_pkg::CollBadRoot;
    end
  end

  assign dests = 8'(dests_q) + 8'(to_self);
  assign no_dest = dests == '0;
  always_comb begin
    trigger = tally_pkg::CollOk;
    if (wqe_i.seg_first != '0 || wqe_i.seg_count != '0) trigger = tally_pkg::CollBadSeg;
    else if (wqe_i.counter >= 8'(tally_pkg::NumCpCounters) ||
             wqe_i.dest_counter >= 8'(tally_pkg::NumCpCounters)) begin
      trigger = tally_pkg::CollBadCounter;
    end
    else if (wqe_i.cpcnt > tally_pkg::MaxCpcnt) trigger = tally_pkg::CollBadCpcnt;
    else if ((wqe_i.flags & tally_pkg::WqeFRflag) != '0 && !swapped) begin
      trigger = tally_pkg::CollBadFlags;
    end else if (wqe_i.cpcnt > 32'd1 && swapped && wqe_i.op == tally_pkg::OpNone) begin
      trigger = tally_pkg::CollBadOp;
    end else if (dest_out_q || (to_parent && parent_wrong_q) ||
                 (no_dest && wqe_i.num_result == '0) ||
             (wqe_i.opcode == tally_pkg::OpcodePutMp && dests != 8'd1)) begin
      trigger = tally_pkg::CollBadDest;
    end
    else if (!no_dest && kept && wqe_i.branch == '0) trigger = tally_pkg::CollBadBranch;
    // A message counts or is kept, or both. Only one that is kept has data.
    else if (!no_dest && !counted && !kept) trigger = tally_pkg::CollBadFlags;
    else if (!no_dest && !count_zero_q && !kept && wqe_i.num_result == '0) begin
      trigger = tally_pkg::CollBadFlags;
    end
  end

  always_comb begin
    flag = tally_pkg::CollOk;
    if (!flag_word && flag_any_q) flag = tally_pkg::CollBadFlags;
    else if (flag_word && wqe_i.flag_addr[1:0] != '0) flag = tally_pkg::CollMrRange;
  end

  logic [6:0] listed;
  assign listed = inlined ? '0 : give_q;  // inline data need no list
  always_comb begin
    lists = tally_pkg::CollOk;
    if (inlined && (give_q != 7'd1 || wqe_i.inline_len[15:0] != give_len_q[15:0] ||
                    give_len_q[31:16] != '0 ||
                    wqe_i.inline_len > 32'(qp_i.stride) - FixedBytes)) begin
      lists = tally_pkg::CollBadInline;
    end
    else if (!inlined && wqe_i.inline_len != '0) lists = tally_pkg::CollBadInline;
    else if ((wqe_i.num_gather != 8'(listed) && (wqe_i.num_gather != '0 || give_len_q != '0)) ||
             (wqe_i.num_result != 8'(get_q) && (wqe_i.num_result != '0 || get_len_q != '0))) begin
      lists = tally_pkg::CollBadNumSge;
    end
  end

  always_ff @(posedge clk_i) begin
    common_q <= common;
    work_q <= work;
    whole_st_q <= whole;
    trigger_q <= trigger;
    flag_q <= flag;
    lists_1_q <= lists;
  end

  // ---- Seventh step: the first of all ----
  logic [15:0] status_q, lists_q;
  always_ff @(posedge clk_i) begin
    lists_q <= query || abort ? tally_pkg::CollOk : lists_1_q;
    if (common_q != tally_pkg::CollOk || query || abort) status_q <= common_q;
    else if (work_q != tally_pkg::CollOk) status_q <= work_q;
    else if (!triggered && whole_st_q != tally_pkg::CollOk) status_q <= whole_st_q;
    else if (triggered && trigger_q != tally_pkg::CollOk) status_q <= trigger_q;
    else status_q <= flag_q;
  end
  assign status_o = status_q;
  assign lists_o = status_q == tally_pkg::CollOk ? lists_q : tally_pkg::CollOk;

  // ---- Number of chunks ----
  logic [31:0] quotient;
  logic [12:0] unused_rest;

  // An empty message has one chunk, as one of a single element. The divisor is zero only if the
  // request is refused.
  tally_divide #(
    .DividendW(32),
    .DivisorW(13)
  ) u_divide (
    .clk_i,
    .rst_ni,
    .start_i(age_q[5]),
    .dividend_i(total_q == '0 ? '0 : last_q),
    .divisor_i(chunk_elems_q),
    .done_o(divided_o),
    .quotient_o(quotient),
    .remainder_o(unused_rest)
  );

  // ---- The fields of the request ----
  always_comb begin
    req_o = '0;
    req_o.opcode = wqe_i.opcode;
    // A parent that is an ordinary contributor is a destination like the others.
    req_o.flags = triggered && parent_bit_q ? wqe_i.flags & ~tally_pkg::WqeFToParent : wqe_i.flags;
    req_o.index = wqe_i.index;
    req_o.mid = wqe_i.mid;
    req_o.rank_mask = wqe_i.rank_mask;
    req_o.count = abort ? reason[31:0] : wqe_i.count[31:0];
    req_o.op = wqe_i.op;
    req_o.dtype = wqe_i.dtype;
    req_o.mode = collective ? mode_q : '0;
    req_o.root_node = wqe_i.root_node;
    req_o.root_rank = wqe_i.root_rank;
    req_o.counter = wqe_i.counter;
    req_o.dest_counter = wqe_i.dest_counter;
    req_o.dest_port = wqe_i.dest_port;
    req_o.branch = wqe_i.branch;
    req_o.err_vector = wqe_i.err_vector;
    req_o.cpcnt = wqe_i.cpcnt[6:0];
    req_o.total = total_q[31:0];
    req_o.elem_log = elem_log_q;
    req_o.give_log = give_log_q;
    req_o.chunk = chunk_elems_q;
    req_o.chunks = quotient + 32'd1;
    req_o.give_len = give_len_q;
    req_o.get_len = get_len_q;
    req_o.loc_index = wqe_i.loc_index[31:0];
    if (triggered) begin
      req_o.edges = wqe_i.node_mask | (to_parent ? parent_bit : '0);
    end else begin
      req_o.edges = mask_full_q ? '0 : group_i.children & ~wqe_i.node_mask;
    end
    req_o.timeout_ms = wqe_i.timeout_ms;
    req_o.seg_count = wqe_i.seg_count[8:0];
    req_o.flag_addr = wqe_i.flag_addr;
    req_o.flag_lkey = wqe_i.flag_lkey;
    req_o.flag_value = wqe_i.flag_value;
    req_o.inline_len = wqe_i.inline_len[12:0];
    req_o.num_gather = wqe_i.num_gather[6:0];
    req_o.num_result = wqe_i.num_result[6:0];
  end
endmodule
