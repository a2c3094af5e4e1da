// SPDX-License-Identifier: BSD-2-Clause
// The request sender in the NIC: tally_sender with its registers, struct sender of tally_fw_pkg
// (tally_sender_regs). It begins the requests of those queue pairs for which the firmware says so
// (SenderFBegins), before their first one; of others it is not told.
//
// it_*: what tally_status_unit tells of all queue pairs. All other ports are those of tally_sender.
//
// busy_o is low if nothing happens without an input, and is a register: it falls one clock after
// the block has come to rest. After a reset it is high for as many clocks as there are groups or
// queue pairs.
module tally_sender_unit #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned SegsW = $clog2(tally_pkg::MaxGroupSegs + 1),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic                         axil_awvalid_i,
  output logic                         axil_awready_o,
  input  logic [31:0]                  axil_awaddr_i,
  input  logic                         axil_wvalid_i,
  output logic                         axil_wready_o,
  input  logic [31:0]                  axil_wdata_i,
  input  logic [3:0]                   axil_wstrb_i,
  output logic                         axil_bvalid_o,
  input  logic                         axil_bready_i,
  output logic [1:0]                   axil_bresp_o,

  input  logic                         it_valid_i,
  input  tally_sender_pkg::event_e     it_i,
  input  logic [QpW-1:0]               it_qp_i,
  input  logic [EntryW-1:0]            it_entry_i,
  input  logic                         moved_valid_i,
  input  logic [GroupW-1:0]            moved_group_i,
  input  logic [31:0]                  moved_done_i,
  input  logic [31:0]                  moved_limit_i,

  output logic                         row_valid_o,
  input  logic                         row_ready_i,
  output logic [EntryW-1:0]            row_entry_o,
  input  logic                         got_valid_i,
  input  tally_request_pkg::request_t  got_i,
  input  tally_local_pkg::row_t        got_row_i,

  input  logic                         room_i,
  output logic                         post_valid_o,
  input  logic                         post_ready_i,
  output tally_store_pkg::operation_t  post_o,
  input  logic                         ans_valid_i,
  input  tally_store_pkg::answer_t     ans_i,
  output logic                         ref_valid_o,
  output logic [SlotW-1:0]             ref_slot_o,
  output logic [RankW-1:0]             ref_rank_o,
  output logic [EntryW-1:0]            ref_entry_o,
  output logic                         began_valid_o,
  output tally_sender_pkg::began_t     began_o,
  output logic                         upd_valid_o,
  input  logic                         upd_ready_i,
  input  logic                         upd_flag_i,
  output logic [QpW-1:0]               upd_qp_o,
  output logic [EntryW-1:0]            upd_entry_o,
  output tally_sender_pkg::update_t    upd_o,
  output logic                         hand_valid_o,
  input  logic                         hand_ready_i,
  input  logic                         hand_took_i,
  input  logic                         mark_valid_i,
  input  logic [QpW-1:0]               mark_qp_i,
  output logic                         flag_valid_o,
  input  logic                         flag_ready_i,
  output logic                         due_valid_o,
  input  logic                         due_ready_i,
  output tally_local_pkg::due_t        due_o,
  output logic                         hold_o,

  output logic                         ask_valid_o,
  output logic [GroupW-1:0]            ask_group_o,
  output logic [31:0]                  ask_top_o,
  input  logic                         cmd_valid_i,
  output logic                         cmd_ready_o,
  input  tally_sender_pkg::command_e   cmd_i,
  input  logic [QpW-1:0]               cmd_qp_i,
  input  logic [7:0]                   cmd_state_i,
  input  logic [GroupW-1:0]            cmd_group_i,
  output logic                         pass_valid_o,
  input  logic                         pass_ready_i,
  output logic                         look_valid_o,
  input  logic                         look_ready_i,
  output logic [QpW-1:0]               look_qp_o,

  // Which ranks have begun a message, for the firmware: see tally_sender_turn.
  input  logic                         peek_valid_i,
  output logic                         peek_ready_o,
  input  logic [GroupW-1:0]            peek_group_i,
  input  logic [31:0]                  peek_mid_i,
  output logic                         peeked_valid_o,
  output logic [tally_pkg::MaxRanks-1:0] peeked_begun_o
);
  // ---- Registers ----
  logic regs_busy, epoch_valid, epoch_ready, epoch_begin, tab_valid, tab_ready, tab_begins,
      tab_shared, tab_others, tab_alone, link_valid, link_ready, link_first, link_end;
  logic [GroupW-1:0] epoch_group;
  logic [SegsW-1:0] epoch_max_segs;
  logic [QpW-1:0] tab_qp, link_qp;
  logic [tally_pkg::MaxRanks-1:0] tab_sole;
  logic [IndexW-1:0] link_index;
  tally_sender_regs #(.Groups(Groups), .Qps(Qps)) u_regs (
    .clk_i, .rst_ni, .busy_o(regs_busy),
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i, .axil_wready_o,
    .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .epoch_valid_o(epoch_valid), .epoch_ready_i(epoch_ready), .epoch_begin_o(epoch_begin),
    .epoch_group_o(epoch_group), .epoch_max_segs_o(epoch_max_segs),
    .tab_valid_o(tab_valid), .tab_ready_i(tab_ready), .tab_qp_o(tab_qp),
    .tab_begins_o(tab_begins), .tab_sole_o(tab_sole), .tab_shared_o(tab_shared),
    .tab_others_o(tab_others), .tab_alone_o(tab_alone),
    .link_valid_o(link_valid), .link_ready_i(link_ready),
    .link_first_o(link_first), .link_index_o(link_index), .link_end_o(link_end),
    .link_qp_o(link_qp)
  );

  // ---- Whose requests it begins ----
  logic begins_mem_q [2**QpW];
  logic begins;
  assign begins = it_valid_i && begins_mem_q[it_qp_i];
  always_ff @(posedge clk_i) if (tab_valid && tab_ready) begins_mem_q[tab_qp] <= tab_begins;

  logic sender_busy, sender_active;
  tally_sender #(.Groups(Groups), .Qps(Qps), .Entries(Entries), .Slots(Slots)) u_sender (
    .clk_i, .rst_ni, .busy_o(sender_busy), .active_o(sender_active),
    .it_valid_i(begins), .it_i, .it_qp_i, .it_entry_i,
    .moved_valid_i, .moved_group_i, .moved_done_i, .moved_limit_i,
    .row_valid_o, .row_ready_i, .row_entry_o, .got_valid_i, .got_i, .got_row_i,
    .room_i, .post_valid_o, .post_ready_i, .post_o, .ans_valid_i, .ans_i,
    .ref_valid_o, .ref_slot_o, .ref_rank_o, .ref_entry_o, .began_valid_o, .began_o,
    .upd_valid_o, .upd_ready_i, .upd_flag_i, .upd_qp_o, .upd_entry_o, .upd_o,
    .hand_valid_o, .hand_ready_i, .hand_took_i, .mark_valid_i, .mark_qp_i,
    .flag_valid_o, .flag_ready_i, .due_valid_o, .due_ready_i, .due_o, .hold_o,
    .ask_valid_o, .ask_group_o, .ask_top_o,
    .cmd_valid_i, .cmd_ready_o, .cmd_i, .cmd_qp_i, .cmd_state_i, .cmd_group_i,
    .pass_valid_o, .pass_ready_i,
    .epoch_valid_i(epoch_valid), .epoch_ready_o(epoch_ready), .epoch_begin_i(epoch_begin),
    .epoch_group_i(epoch_group), .epoch_max_segs_i(epoch_max_segs),
    .tab_valid_i(tab_valid), .tab_ready_o(tab_ready), .tab_qp_i(tab_qp), .tab_sole_i(tab_sole),
    .tab_shared_i(tab_shared), .tab_others_i(tab_others), .tab_alone_i(tab_alone),
    .link_valid_i(link_valid), .link_ready_o(link_ready), .link_first_i(link_first),
    .link_index_i(link_index), .link_end_i(link_end), .link_qp_i(link_qp),
    .look_valid_o, .look_ready_i, .look_qp_o,
    .peek_valid_i, .peek_ready_o, .peek_group_i, .peek_mid_i, .peeked_valid_o, .peeked_begun_o
  );

  // What is inside, or enters, makes the block busy in the next clock, so this is a register.
  logic busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b1;
    else busy_q <= regs_busy || sender_busy || sender_active || axil_awvalid_i || axil_wvalid_i ||
                   it_valid_i || moved_valid_i || mark_valid_i || cmd_valid_i || peek_valid_i;
  end
  assign busy_o = busy_q;
endmodule
