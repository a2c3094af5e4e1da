// SPDX-License-Identifier: BSD-2-Clause
// Admission of packets: finds the life of the group for which a packet is meant, and checks whether
// it is from a neighbour there (admit() of sim/engine/packet.c, group_of_packet() of
// sim/engine/group.c).
//
// axil_*: registers, see tally_admission_tables. in_*, pay_*: records and payloads as tally_parser
// gives them. A record of a bad frame passes unchanged; it has no payload. out_*, dat_*: the same
// records with the answer, in the same order, and the payloads of those that are admitted. The
// payload of a record is offered after it was taken; that of a packet that is not admitted is
// dropped. ahead_*: what the next record will have; it comes while no record is offered, and the
// packet is looked up then, but OPEN. If a register is written before the record comes, it is
// looked up once more. alive_o: the packet is admitted to a group that lives. row_o: the row of the
// edge, if it is one of a group. first_*: the first number of an edge that opens, see
// tally_admission_tables. It comes while no record is inside. wr_row_i, new_*, look_*: rows of
// edges, see there, too.
//
// Among the contexts of a job id, a packet is meant for the one whose key it carries, and OPEN for
// the one whose nonce it echoes, otherwise for one that knows its nonce. If several are equally
// right, or none is, a group comes before a tombstone, and in the second case one that is not
// destroyed before one that is; among equals, the newest.
//
// A packet takes six clocks if the first context of its list is the right one, and three more for
// each further context that is looked at, and one more each time that look_ready_i is low; one that
// was looked up ahead leaves as it comes. The next one is looked up while a payload passes, but
// OPEN waits until its own payload is the first, because the nonces are there.
module tally_admission #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,  // edges of groups
  parameter int unsigned BucketW = 10,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned RowW = $clog2(Rows),
  localparam int unsigned Contexts = Groups + Tombs,
  localparam int unsigned ContextW = $clog2(Contexts),
  localparam int unsigned EdgeW = $clog2(EdgesOf)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // low if nothing is inside, and the clock may stop
  output logic                                busy_o,

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

  input  logic [RowW-1:0]                     wr_row_i,
  input  logic                                new_valid_i,
  input  logic [RowW-1:0]                     new_row_i,
  output logic                                look_valid_o,
  input  logic                                look_ready_i,
  output logic [GroupW-1:0]                   look_group_o,
  output logic [EdgeW-1:0]                    look_edge_o,
  input  logic [RowW-1:0]                     look_row_i,
  input  logic                                look_found_i,

  input  logic                                ahead_valid_i,
  input  logic [127:0]                        ahead_sgid_i,
  input  tally_pkg::tch_t                     ahead_tch_i,
  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_net_pkg::rx_hdr_t              in_i,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                                pay_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_net_pkg::rx_hdr_t              out_o,
  output tally_admission_pkg::admission_t     admission_o,
  output logic                                alive_o,
  output logic [RowW-1:0]                     row_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o,

  output logic                                first_valid_o,
  output logic [RowW-1:0]                     first_row_o,
  output logic [GroupW-1:0]                   first_group_o,
  output logic [EdgeW-1:0]                    first_edge_o,
  output logic [31:0]                         first_seq_o
);
  localparam int unsigned OpenBits = 8 * tally_pkg::TchOpenBytes;

  typedef enum logic [2:0] {
    Idle = 3'd0,   // a record or a write is taken
    Peek = 3'd1,   // OPEN: its payload becomes the first
    First = 3'd2,  // the head of the list is there
    Look = 3'd3,   // the row of a context is there, and which row the edge has
    Row = 3'd4,    // the row of the edge, too
    Judge = 3'd5,  // they have been compared
    Out = 3'd6     // the answer is offered
  } state_e;

  typedef enum logic [1:0] {
    NoPayload = 2'd0,
    Pass = 2'd1,
    Drop = 2'd2
  } gate_e;

  // How well a context fits. A larger value is better.
  typedef struct packed {
    logic [1:0] level;  // 3: it is meant; 2: it knows the nonce of OPEN; 1: it has the job id
    logic group;        // no tombstone
    logic lives;        // on level 1: it is not destroyed
  } score_t;

  state_e state_q, state_d;
  gate_e gate_q;
  tally_net_pkg::rx_hdr_t rec_q, rec;
  tally_pkg::tch_t tch;
  logic take, begins, waits, ahead_q, in_good, good, good_q, has_payload;

  // ---- Tables ----
  logic free, tables_busy, head_valid, wants_row, row_ready, unused;
  logic [ContextW-1:0] head, context_q, read_context;
  logic [EdgeW-1:0] read_edge;
  logic [31:0] read_jid;
  tally_pkg::tch_t in_tch;
  tally_admission_pkg::group_row_t group;
  tally_admission_pkg::edge_row_t edge_row;

  tally_admission_tables #(
    .Groups(Groups), .Tombs(Tombs), .EdgesOf(EdgesOf), .Rows(Rows), .BucketW(BucketW)
  ) u_tables (
    .clk_i, .rst_ni,
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i,
    .axil_wvalid_i, .axil_wready_o, .axil_wdata_i, .axil_wstrb_i,
    .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .wr_row_i, .new_valid_i, .new_row_i,
    .look_valid_o(wants_row), .look_ready_i, .look_group_o, .look_edge_o, .look_row_i,
    .look_found_i,
    .grant_i(state_q == Idle),
    .free_o(free),
    .busy_o(tables_busy),
    .jid_i(read_jid),
    .head_valid_o(head_valid),
    .head_o(head),
    .context_i(read_context),
    .edge_i(read_edge),
    .row_ready_o(row_ready),
    .group_o(group),
    .edge_o(edge_row),
    .first_valid_o, .first_row_o, .first_group_o, .first_edge_o, .first_seq_o
  );

  // ---- The packet ----
  logic is_open, is_kill, of_end, is_mcast;
  logic [63:0] nonce_q, echo_q;
  tally_pkg::tch_open_t open;
  logic [tally_net_pkg::WordBits-1:0] swapped;

  assign in_tch = in_i.tch;
  assign tch = rec_q.tch;
  assign rec = ahead_q ? in_i : rec_q;
  assign in_good = in_i.verdict == 8'(tally_pkg::RxOk);
  assign good = ahead_q ? in_good : good_q;
  assign has_payload = good && rec.payload_len != '0;
  assign is_open = tch.kind == 8'(tally_pkg::KindOpen);
  assign is_kill = tch.kind == 8'(tally_pkg::KindKill);
  assign of_end = is_kill || (tch.kind == 8'(tally_pkg::KindAck) &&
                              tch.flags[tally_pkg::TchFKillAckBit]);
  assign is_mcast = tch.kind == 8'(tally_pkg::KindResult) && tch.flags[tally_pkg::TchFMulticastBit];
  assign swapped = tally_net_pkg::swap(pay_tdata_i);
  assign open = swapped[tally_net_pkg::WordBits-1-:OpenBits];
  assign unused = ^{open, swapped, in_tch, tch};  // few of their fields are used

  // A packet that is looked up ahead has no record yet (ahead_q), which waits until it is needed.
  assign in_ready_o = (state_q == Idle && free) || (state_q == Out && ahead_q);
  assign take = in_valid_i && in_ready_o;
  assign begins = ahead_valid_i && state_q == Idle && free && !in_valid_i &&
                  ahead_tch_i.kind != 8'(tally_pkg::KindOpen);
  assign waits = state_q == Out && ahead_q && !in_valid_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ahead_q <= 1'b0;
    else ahead_q <= begins || (ahead_q && !take && !(waits && !free));
  end

  // ---- Rows of a context ----
  logic next_valid_q, tomb_q, destroyed_q, alive_q, same_job_q, exists_q, opened_q;
  logic key_q, echoes_q, knows_q, source_q, epoch_known_q, epoch_same_q;
  logic [ContextW-1:0] next_q;
  logic [7:0] edge_q;
  logic [31:0] key;
  logic mcast_source, to_parent, parent_q, goes_on;
  logic [RowW-1:0] row_q;

  assign read_jid = state_q != Idle ? tch.jid : in_valid_i ? in_tch.jid : ahead_tch_i.jid;
  always_comb begin
    read_edge = EdgeW'(tch.contributor);
    unique case (state_q)
      First: read_context = head;
      Judge: read_context = next_q;
      Look: begin
        read_context = context_q;
        if (to_parent) read_edge = EdgeW'(group.parent);
      end
      default: read_context = context_q;
    endcase
  end
  // A result by multicast is of the parent's edge, whose row is looked for in turn.
  assign to_parent = is_mcast && group.has_parent && !parent_q;
  assign look_valid_o = wants_row && ((state_q == First && head_valid) ||
                        (state_q == Look && to_parent) || (state_q == Judge && goes_on));
  assign key = is_mcast ? group.key : edge_row.key;
  assign mcast_source = group.multicast && group.has_parent &&
      tch.contributor == 8'(tally_pkg::ContribParent) &&
      group.source_gid == rec_q.sgid;

  always_ff @(posedge clk_i) begin
    if (state_q == First) context_q <= head;
    if (state_q == Judge && row_ready) context_q <= next_q;
    parent_q <= state_q == Look && row_ready;
    if (state_q == Look) row_q <= look_row_i;
    if (state_q == Row) begin
      next_valid_q <= group.next_valid;
      next_q <= ContextW'(group.next);
      tomb_q <= 32'(context_q) >= Groups;
      destroyed_q <= group.destroyed;
      alive_q <= group.alive;
      same_job_q <= group.jid == tch.jid;
      key_q <= key == tch.key && key != '0;
      echoes_q <= edge_row.nonce == echo_q;
      knows_q <= edge_row.peer_nonce == nonce_q && nonce_q != '0;
      source_q <= is_mcast ? mcast_source : edge_row.gid == rec_q.sgid;
      epoch_known_q <= tch.epoch != '0 && group.epoch != '0;
      epoch_same_q <= tch.epoch == group.epoch;
      edge_q <= is_mcast && group.has_parent ? 8'(group.parent) : tch.contributor;
      exists_q <= edge_row.state != 2'(tally_pkg::EdgeNone);
      opened_q <= edge_row.state == 2'(tally_pkg::EdgeOpen);
    end
  end

  // ---- Whether it is the best one so far, and what it says ----
  logic [1:0] level;
  score_t score, best_q;
  logic [7:0] verdict;
  logic meant, better, sure, epoch_ok;
  logic answer_alive_q;
  tally_admission_pkg::admission_t answer_q;

  assign meant = is_open ? exists_q && echoes_q : key_q && (exists_q || is_mcast);
  assign level = meant ? 2'd3 : is_open && exists_q && knows_q ? 2'd2 : 2'd1;
  assign score = {level, !tomb_q, level == 2'd1 && !tomb_q && !destroyed_q};
  assign better = same_job_q && score > best_q;
  assign goes_on = !sure && next_valid_q;
  assign sure = same_job_q && meant && !tomb_q;  // no other one can be better
  assign epoch_ok = epoch_known_q ? epoch_same_q : of_end && !opened_q;

  always_comb begin
    if (!exists_q || !source_q) verdict = 8'(tally_fw_pkg::AdmissionSource);
    else if (is_open) verdict = 8'(tally_fw_pkg::AdmissionOk);
    else if (!epoch_ok) verdict = 8'(tally_fw_pkg::AdmissionEpoch);
    else if (!key_q) verdict = 8'(tally_fw_pkg::AdmissionKey);
    else if (!opened_q && alive_q && !is_kill) verdict = 8'(tally_fw_pkg::AdmissionState);
    else verdict = 8'(tally_fw_pkg::AdmissionOk);
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      rec_q <= in_i;
      good_q <= in_good;
    end else if (begins) begin
      rec_q.sgid <= ahead_sgid_i;
      rec_q.tch <= ahead_tch_i;
    end
    if (state_q == Idle) begin
      best_q <= '0;
      answer_q <= '0;
      answer_alive_q <= 1'b0;
      answer_q.verdict <= 8'(tally_fw_pkg::AdmissionJid);
    end
    if (state_q == Peek && pay_tvalid_i) begin
      nonce_q <= open.nonce;
      echo_q <= open.echo;
    end
    if (state_q == Judge && better) begin
      best_q <= score;
      answer_q.verdict <= verdict;
      answer_q.context_ <= 16'(context_q);
      answer_q.edge_ <= edge_q;
      row_o <= row_q;
      answer_alive_q <= alive_q && verdict == 8'(tally_fw_pkg::AdmissionOk);
    end
  end

  // ---- Order of the steps ----
  logic peeked, out, may_pass;

  assign peeked = gate_q == NoPayload && pay_tvalid_i;
  // A record that was looked up ahead waits for the payload before it, even if it has none, so that
  // the offer does not depend on what is in it.
  assign may_pass = !ahead_q && (!good_q || rec_q.payload_len == '0);
  assign out_valid_o = state_q == Out && !waits && (gate_q == NoPayload || may_pass);
  assign out = out_valid_o && out_ready_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (take && !in_good) state_d = Out;
        else if (take && in_tch.kind == 8'(tally_pkg::KindOpen)) state_d = Peek;
        else if (take || begins) state_d = First;
      end
      Peek: if (peeked) state_d = First;
      First: state_d = !head_valid ? Out : row_ready ? Look : First;
      Look: state_d = to_parent ? Look : Row;
      Row: state_d = Judge;
      Judge: state_d = !goes_on ? Out : row_ready ? Look : Judge;
      default: if (out || (waits && !free)) state_d = Idle;  // Out
    endcase
  end

  // ---- Payloads ----
  logic pay_end;

  assign dat_tvalid_o = gate_q == Pass && pay_tvalid_i;
  assign dat_tdata_o = pay_tdata_i;
  assign dat_tkeep_o = pay_tkeep_i;
  assign dat_tlast_o = pay_tlast_i;
  assign pay_tready_o = gate_q == Drop || (gate_q == Pass && dat_tready_i);
  assign pay_end = pay_tvalid_i && pay_tready_o && pay_tlast_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      gate_q <= NoPayload;
    end else begin
      state_q <= state_d;
      if (out && has_payload)
        gate_q <= answer_q.verdict == 8'(tally_fw_pkg::AdmissionOk) ? Pass : Drop;
      else if (pay_end) gate_q <= NoPayload;
    end
  end

  assign out_o = rec;
  always_comb begin
    admission_o = answer_q;
    // A bad frame has the answer of one that was not looked up.
    if (!good) begin
      admission_o = '0;
      admission_o.verdict = 8'(tally_fw_pkg::AdmissionJid);
    end
  end
  assign alive_o = good && answer_alive_q;
  assign busy_o = state_q != Idle || gate_q != NoPayload || tables_busy;

`ifdef FORMAL
  `include "admission_proof.svh"
`endif
endmodule
