// SPDX-License-Identifier: BSD-2-Clause
// Packets that leave for neighbours: sums and results of the segment store, messages of descriptors
// and their BUSY, NOTIFY and ACK. It joins tally_head, which forms their headers, with done and
// limit of the edges (tally_edge_state, _news, _ops) and with the registers of both
// (tally_head_regs). docs/rtl-send.md describes the whole.
//
// axil_*, mine_o, taken_i, row_i, regs_busy_o: see tally_head_regs. close_i: an edge has got this
// row by a register, or its group is frozen; no further one comes while closing_o is set.
//
// moved_*: see tally_edge_state. heard_*: done and limit of a packet that has come, and the row of
// its edge. does_*: whether the segment store does a group; so its acknowledgements are formed
// here. ack_*: an edge is to be acknowledged; pass_*: the same, if that is done elsewhere.
//
// chunk_*: a sum, a result, a message or BUSY, tally_head_pkg::source_t, which is taken with its
// end, chunk_end_o. With EndSent, its header has left with number chunk_seq_o, and its words must
// follow on pay_*: of a chunk at least one, of others those that they have. wake_o: something has
// changed, so what has ended with EndWaits may try again. ask_*: see tally_edge_send. look_*: see
// tally_edge_rows.
//
// out_*, dat_*: headers and payloads, for tally_encap. A payload is taken once its header has left.
//
// now_i: the time in picoseconds. deadline_*: when an announcement is due; until then the clock may
// stop if busy_o is low and nothing is offered.
module tally_send #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,
  input  logic [63:0]                         now_i,
  output logic                                deadline_valid_o,
  output logic [63:0]                         deadline_o,
  input  logic [47:0]                         mac_i,
  input  logic [127:0]                        gid_i,

  input  logic                                axil_awvalid_i,
  output logic                                axil_awready_o,
  input  logic [31:0]                         axil_awaddr_i,
  input  logic                                axil_wvalid_i,
  output logic                                axil_wready_o,
  input  logic [31:0]                         axil_wdata_i,
  input  logic [3:0]                          axil_wstrb_i,
  output logic                                axil_bvalid_o,
  input  logic                                axil_bready_i,
  output logic [1:0]                          axil_bresp_o,
  output logic                                mine_o,
  input  logic                                taken_i,
  input  logic [RowW-1:0]                     row_i,
  output logic                                regs_busy_o,
  input  logic                                close_i,
  input  logic [RowW-1:0]                     close_row_i,
  output logic                                closing_o,

  input  logic                                does_write_i,
  input  logic [GroupW-1:0]                   does_group_i,
  input  logic                                does_i,

  input  logic                                moved_valid_i,
  input  logic [GroupW-1:0]                   moved_group_i,
  input  logic [31:0]                         moved_done_i,
  input  logic [31:0]                         moved_limit_i,
  input  logic                                moved_posted_i,

  input  logic                                heard_valid_i,
  output logic                                heard_ready_o,
  input  logic [RowW-1:0]                     heard_row_i,
  input  logic [31:0]                         heard_done_i,
  input  logic [15:0]                         heard_limit_i,

  input  logic                                ack_valid_i,
  output logic                                ack_ready_o,
  input  tally_edge_pkg::ack_t                ack_i,
  output logic                                pass_valid_o,
  input  logic                                pass_ready_i,

  input  logic                                chunk_valid_i,
  output logic                                chunk_ready_o,
  input  tally_head_pkg::source_t             chunk_i,
  output tally_head_pkg::end_e                chunk_end_o,
  output logic [31:0]                         chunk_seq_o,
  output logic                                wake_o,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                                pay_tlast_i,

  output logic                                ask_valid_o,
  input  logic                                ask_ready_i,
  output tally_edge_pkg::ask_t                ask_o,
  input  logic                                ask_ok_i,
  input  logic [31:0]                         ask_seq_i,
  input  logic [31:0]                         ask_before_i,

  output logic                                look_valid_o,
  input  logic                                look_ready_i,
  output logic [GroupW-1:0]                   look_group_o,
  output logic [EdgeW-1:0]                    look_edge_o,
  input  logic [RowW-1:0]                     look_row_i,
  input  logic                                look_found_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  localparam int unsigned WordBits = tally_net_pkg::WordBits;
  localparam int unsigned WordBytes = tally_net_pkg::WordBytes;

  // ---- Rows to be closed, one at a time ----
  logic close_ready;
  logic [RowW-1:0] close_row_q;

  always_ff @(posedge clk_i) if (close_i) close_row_q <= close_row_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) closing_o <= 1'b0;
    else closing_o <= close_i || (closing_o && !close_ready);
  end

  // ---- Registers ----
  logic edge_write, group_write, walk_write, walk_parent, walk_borrows, reg_valid, reg_ready,
      reg_gives;
  logic [RowW-1:0] edge_row, reg_row;
  logic [GroupW-1:0] group_index, config_group, reg_group;
  logic [EdgeW-1:0] walk_edges;
  logic [31:0] reg_limit;
  tally_head_pkg::edge_row_t edge_of;
  tally_head_pkg::group_row_t group_of;
  tally_edge_pkg::state_op_e reg_op;

  tally_head_regs #(.Groups(Groups), .EdgesOf(EdgesOf), .Rows(Rows)) u_regs (
    .clk_i, .rst_ni, .busy_o(regs_busy_o),
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i, .axil_wready_o,
    .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o, .mine_o,
    .taken_i, .row_i,
    .close_valid_i(closing_o), .close_ready_o(close_ready), .close_row_i(close_row_q),
    .edge_write_o(edge_write), .edge_row_o(edge_row), .edge_o(edge_of),
    .group_write_o(group_write), .group_index_o(group_index), .group_o(group_of),
    .walk_write_o(walk_write), .walk_group_o(config_group), .walk_edges_o(walk_edges),
    .walk_parent_o(walk_parent), .walk_borrows_o(walk_borrows),
    .op_valid_o(reg_valid), .op_ready_i(reg_ready), .op_o(reg_op), .op_row_o(reg_row),
    .op_group_o(reg_group), .op_limit_o(reg_limit), .op_gives_o(reg_gives)
  );

  // ---- Done and limit of the edges ----
  logic state_busy, ops_busy, news_busy, op_valid, op_ready, op_gives, answer_valid, answer_open,
      answer_may, answer_raised, walk_valid, walk_ready, walk_soon, tell_valid, tell_ready,
      walk_look, walk_look_ready, head_op_valid, head_op_ready, head_answer;
  logic [RowW-1:0] op_row, tell_row, row_q;
  logic [GroupW-1:0] op_group, walk_group, walk_look_group, tell_group;
  logic [EdgeW-1:0] walk_look_edge, tell_edge;
  logic [31:0] op_done, op_limit, answer_done, answer_limit, head_op_num, heard_limit;
  tally_edge_pkg::state_op_e op, head_op;
  tally_head_pkg::source_t source, source_q;
  logic [GroupW-1:0] source_group;

  assign heard_limit = 32'(heard_limit_i);
  tally_edge_news #(.Groups(Groups)) u_news (
    .clk_i, .rst_ni, .busy_o(news_busy), .now_i, .deadline_valid_o, .deadline_o,
    .moved_valid_i, .moved_group_i, .walk_valid_o(walk_valid), .walk_ready_i(walk_ready),
    .walk_group_o(walk_group), .walk_soon_o(walk_soon)
  );

  tally_edge_ops #(.Groups(Groups), .Rows(Rows)) u_ops (
    .clk_i, .rst_ni, .busy_o(ops_busy),
    .heard_valid_i, .heard_ready_o, .heard_row_i, .heard_done_i,
    .heard_limit_i(heard_limit),
    .reg_valid_i(reg_valid), .reg_ready_o(reg_ready), .reg_op_i(reg_op), .reg_row_i(reg_row),
    .reg_group_i(reg_group), .reg_limit_i(reg_limit), .reg_gives_i(reg_gives),
    .head_valid_i(head_op_valid), .head_ready_o(head_op_ready), .head_op_i(head_op),
    .head_row_i(row_q), .head_group_i(source_group), .head_num_i(head_op_num),
    .head_answer_o(head_answer), .raised_o(wake_o),
    .op_valid_o(op_valid), .op_ready_i(op_ready), .op_o(op), .op_row_o(op_row),
    .op_group_o(op_group), .op_done_o(op_done), .op_limit_o(op_limit), .op_gives_o(op_gives),
    .answer_valid_i(answer_valid), .answer_raised_i(answer_raised)
  );

  tally_edge_state #(.Groups(Groups), .EdgesOf(EdgesOf), .Rows(Rows)) u_state (
    .clk_i, .rst_ni, .busy_o(state_busy),
    .moved_valid_i, .moved_group_i, .moved_done_i, .moved_limit_i, .moved_posted_i,
    .group_write_i(walk_write), .group_index_i(config_group), .group_edges_i(walk_edges),
    .group_parent_i(walk_parent), .group_borrows_i(walk_borrows),
    .op_valid_i(op_valid), .op_ready_o(op_ready), .op_i(op), .op_row_i(op_row),
    .op_group_i(op_group), .op_done_i(op_done), .op_limit_i(op_limit), .op_gives_i(op_gives),
    .answer_valid_o(answer_valid), .answer_open_o(answer_open), .answer_may_o(answer_may),
    .answer_raised_o(answer_raised), .answer_done_o(answer_done),
    .answer_limit_o(answer_limit),
    .walk_valid_i(walk_valid), .walk_ready_o(walk_ready), .walk_group_i(walk_group),
    .walk_soon_i(walk_soon),
    .look_valid_o(walk_look), .look_ready_i(walk_look_ready), .look_group_o(walk_look_group),
    .look_edge_o(walk_look_edge), .look_row_i, .look_found_i,
    .tell_valid_o(tell_valid), .tell_ready_i(tell_ready), .tell_group_o(tell_group),
    .tell_edge_o(tell_edge), .tell_row_o(tell_row)
  );

  // ---- Acknowledgements of groups that the store does ----
  logic [0:0] does_mem_q [Groups];
  logic does_q, looked_q, acks;

  always_ff @(posedge clk_i) begin
    if (does_write_i) does_mem_q[does_group_i] <= does_i;
    does_q <= does_mem_q[ack_i.context_[GroupW-1:0]];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) looked_q <= 1'b0;
    else looked_q <= ack_valid_i && !ack_ready_o;
  end
  assign acks = ack_valid_i && looked_q && does_q;
  assign pass_valid_o = ack_valid_i && looked_q && !does_q;

  // ---- What leaves next ----
  //
  // Who is next and what it has are kept, so that no header and no question depends on who offers
  // something in the same clock. A NOTIFY has left a clock before its walk goes on.
  localparam int unsigned Whose = 3;
  localparam int unsigned WhoseW = $clog2(Whose);
  localparam logic [WhoseW-1:0] Chunk = WhoseW'(0);
  localparam logic [WhoseW-1:0] Tell = WhoseW'(1);

  typedef enum logic [2:0] {
    Idle = 3'd0,
    Look = 3'd1,   // asks for the row of the edge
    Row = 3'd2,    // has it
    Found = 3'd3,  // if there is one
    Head = 3'd4    // forms the header
  } state_e;

  state_e state_q, state_d;
  logic [Whose-1:0] wants, asks, takes;
  logic [WhoseW-1:0] granted, whose_q;
  logic idle, any, looks, head_ready, head_busy, ends, gone, tell_left_q;
  tally_head_pkg::end_e head_end;

  assign wants = {acks, tell_valid && !tell_left_q, chunk_valid_i};
  assign idle = state_q == Idle;
  assign asks = idle ? wants : '0;
  assign ends = (state_q == Head && head_ready) || gone;
  assign gone = state_q == Found && !look_found_i;  // no edge has this name any more

  tally_rr_arbiter #(.Num(Whose)) u_whose (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(takes),
    .grant_valid_o(any), .grant_ready_i(idle), .grant_o(granted)
  );
  assign looks = state_q == Look;
  always_comb begin
    unique case (state_q)
      Idle: state_d = !any ? Idle : granted == Tell ? Head : Look;
      Look: state_d = look_ready ? Row : Look;
      Row: state_d = Found;
      Found: state_d = look_found_i ? Head : Idle;
      default: state_d = head_ready ? Idle : Head;  // Head
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      tell_left_q <= 1'b0;
    end else begin
      state_q <= state_d;
      tell_left_q <= ends && whose_q == Tell;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      whose_q <= granted;
      source_q <= source;
      row_q <= tell_row;
    end else if (state_q == Row) begin
      row_q <= look_row_i;
    end
  end

  assign chunk_ready_o = ends && whose_q == Chunk;
  assign tell_ready = tell_left_q;
  assign ack_ready_o = acks ? ends && whose_q > Tell : pass_valid_o && pass_ready_i;
  assign chunk_end_o = gone ? tally_head_pkg::EndDropped : head_end;

  always_comb begin
    source = chunk_i;
    if (granted != Chunk) begin
      source = '0;
      if (granted == Tell) begin
        source.kind = 8'(tally_pkg::KindNotify);
        source.context_ = 16'(tell_group);
        source.edge_ = 8'(tell_edge);
      end else begin
        source.kind = 8'(tally_pkg::KindAck);
        source.context_ = ack_i.context_;
        source.edge_ = ack_i.edge_;
        source.seq = ack_i.top;
      end
    end
  end

  // ---- Rows of edges ----
  logic look_ready;
  logic [EdgeW-1:0] source_edge;

  assign source_group = source_q.context_[GroupW-1:0];
  assign source_edge = source_q.edge_[EdgeW-1:0];

  tally_edge_look #(.Groups(Groups), .EdgesOf(EdgesOf)) u_look (
    .clk_i, .rst_ni,
    .first_valid_i(looks), .first_ready_o(look_ready),
    .first_group_i(source_group), .first_edge_i(source_edge),
    .second_valid_i(walk_look), .second_ready_o(walk_look_ready),
    .second_group_i(walk_look_group), .second_edge_i(walk_look_edge),
    .look_valid_o, .look_ready_i, .look_group_o, .look_edge_o
  );

  // ---- Headers ----
  typedef enum logic [1:0] {
    NoPayload = 2'd0,
    Words = 2'd1,  // those of the chunk
    Seen = 2'd2,   // of the acknowledgement
    Empty = 2'd3   // the word of a chunk without bytes, which does not leave
  } payload_e;

  payload_e payload_q;
  logic heads, head_valid, head_out_ready, free, has_payload_q, has_words, leaves, pay_end;
  tally_encap_pkg::tx_hdr_t header;

  assign heads = state_q == Head || (state_q == Found && look_found_i);
  tally_head #(.Groups(Groups), .Rows(Rows)) u_head (
    .clk_i, .rst_ni, .busy_o(head_busy), .mac_i, .gid_i,
    .edge_write_i(edge_write), .edge_row_i(edge_row), .edge_i(edge_of),
    .group_write_i(group_write), .group_index_i(group_index), .group_i(group_of),
    .in_valid_i(heads), .in_ready_o(head_ready), .in_i(source_q), .in_row_i(row_q),
    .in_end_o(head_end), .in_seq_o(chunk_seq_o),
    .op_valid_o(head_op_valid), .op_ready_i(head_op_ready), .op_o(head_op),
    .op_num_o(head_op_num), .answer_valid_i(head_answer), .answer_open_i(answer_open),
    .answer_may_i(answer_may), .answer_done_i(answer_done), .answer_limit_i(answer_limit),
    .ask_valid_o, .ask_ready_i, .ask_o, .ask_ok_i, .ask_seq_i, .ask_before_i,
    .out_valid_o(head_valid), .out_ready_i(head_out_ready), .out_o(header)
  );

  // A header leaves once the payload before it has passed. Its length depends on the source alone,
  // which is known some clocks before.
  always_ff @(posedge clk_i) has_payload_q <= header.payload_len != '0;
  assign has_words = has_payload_q || source_q.chunk;
  assign free = payload_q == NoPayload || !has_words;
  assign out_valid_o = head_valid && free;
  assign head_out_ready = out_ready_i && free;
  assign out_o = header;

  // ---- Payloads ----
  logic [63:0] seen_q;
  logic [WordBits-1:0] seen_word;

  always_comb begin
    seen_word = '0;  // byte 0 of a word is in the low bits, and the first one of `seen` the highest
    for (int unsigned k = 0; k < tally_pkg::TchAckBytes; k++) begin
      seen_word[8*k+:8] = seen_q[8*(tally_pkg::TchAckBytes-1-k)+:8];
    end
  end
  assign dat_tvalid_o = payload_q == Seen || (payload_q == Words && pay_tvalid_i);
  assign dat_tdata_o = payload_q == Seen ? seen_word : pay_tdata_i;
  assign dat_tkeep_o = payload_q == Seen ? WordBytes'((1 << tally_pkg::TchAckBytes) - 1) :
                       pay_tkeep_i;
  assign dat_tlast_o = payload_q == Seen || pay_tlast_i;
  assign pay_tready_o = (payload_q == Words && dat_tready_i) || payload_q == Empty;
  assign pay_end = (dat_tvalid_o && dat_tready_i && dat_tlast_o) ||
                   (payload_q == Empty && pay_tvalid_i && pay_tlast_i);
  assign leaves = out_valid_o && out_ready_i && has_words;

  always_ff @(posedge clk_i) if (leaves) seen_q <= ack_i.seen;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) payload_q <= NoPayload;
    else if (leaves) payload_q <= whose_q != Chunk ? Seen : has_payload_q ? Words : Empty;
    else if (pay_end) payload_q <= NoPayload;
  end

  assign busy_o = regs_busy_o || state_busy || ops_busy || news_busy || state_q != Idle ||
                  head_busy || payload_q != NoPayload || looked_q;

  logic unused;
  assign unused = ^takes;
endmodule
