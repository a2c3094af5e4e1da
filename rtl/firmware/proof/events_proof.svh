// SPDX-License-Identifier: BSD-2-Clause
// Each event that was raised is given to a read of `next` once, unless it is dropped or finds no
// place: the proof counts those of packets and timers, and follows an event of a group and the
// QUERY of a queue pair. A read finds nothing only if nothing waits.
`include "tally_proof.svh"

localparam int unsigned CountW = $clog2(Depth + 1);

(* anyconst *) logic [GroupW-1:0] of_group_f;
(* anyconst *) logic [1:0] kind_f;
(* anyconst *) logic [QpW-1:0] qp_f;
logic raised_q, asked_q, any_drop_q;
logic [CountW-1:0] shared_q;
logic enters_shared, leaves_shared, group_given, query_given;
logic [7:0] type_f;

assign enters_shared = (pkt_ready_o && !lost_o) || (tmr_ready_o && tmr_found_o);
assign leaves_shared = take_valid && take_ready &&
    (next.packet.type_ == 8'(tally_fw_pkg::EvOpen) ||
     next.packet.type_ == 8'(tally_fw_pkg::EvKill) ||
     next.packet.type_ == 8'(tally_fw_pkg::EvKillAck) ||
     next.packet.type_ == 8'(tally_fw_pkg::EvAfterEnd) ||
     next.packet.type_ == 8'(tally_fw_pkg::EvTimer));
always_comb begin
  unique case (kind_f)
    2'd0: type_f = 8'(tally_fw_pkg::EvBegin);
    2'd1: type_f = 8'(tally_fw_pkg::EvException);
    2'd2: type_f = 8'(tally_fw_pkg::EvFenced);
    default: type_f = 8'(tally_fw_pkg::EvDrained);
  endcase
end
assign group_given = take_valid && take_ready && next.packet.type_ == type_f &&
    next.packet.context_ == 16'(of_group_f);
assign query_given = take_valid && take_ready && next.packet.type_ == 8'(tally_fw_pkg::EvQuery) &&
    next.qp == 16'(qp_f);

logic held_drop_q, held_forget_q, held_raise_q, held_query_q, held_pkt_q, held_tmr_q;
logic [15:0] drop_was_q;
logic [GroupW-1:0] raise_was_q;
logic [1:0] kind_was_q;
logic [QpW-1:0] forget_was_q, query_was_q;
always_ff @(posedge clk_i) begin
  any_drop_q <= started_q && (any_drop_q || drop_valid_i);
  if (!started_q) shared_q <= '0;
  else shared_q <= shared_q + CountW'(enters_shared) - CountW'(leaves_shared);
  if (!started_q || group_given ||
      (drop_valid_i && drop_ready_o && drop_context_i == 16'(of_group_f))) raised_q <= 1'b0;
  else if (raise_valid_i && raise_ready_o && raise_group_i == of_group_f &&
           raise_kind_i == kind_f) raised_q <= 1'b1;
  if (!started_q || query_given || (forget_valid_i && forget_ready_o && forget_qp_i == qp_f)) begin
    asked_q <= 1'b0;
  end else if (query_valid_i && query_ready_o && query_qp_i == qp_f) begin
    asked_q <= 1'b1;
  end
  held_drop_q <= started_q && drop_valid_i && !drop_ready_o;
  held_forget_q <= started_q && forget_valid_i && !forget_ready_o;
  held_raise_q <= started_q && raise_valid_i && !raise_ready_o;
  held_query_q <= started_q && query_valid_i && !query_ready_o;
  held_pkt_q <= started_q && pkt_valid_i && !pkt_ready_o;
  held_tmr_q <= started_q && tmr_valid_i && !tmr_ready_o;
  drop_was_q <= drop_context_i;
  raise_was_q <= raise_group_i;
  kind_was_q <= raise_kind_i;
  forget_was_q <= forget_qp_i;
  query_was_q <= query_qp_i;
end

always_comb begin
  assume (32'(of_group_f) < Groups && 32'(qp_f) < Qps);
  assume (32'(raise_group_i) < Groups && 32'(forget_qp_i) < Qps && 32'(query_qp_i) < Qps);
  if (held_drop_q) assume (drop_valid_i && drop_context_i == drop_was_q);
  if (held_forget_q) assume (forget_valid_i && forget_qp_i == forget_was_q);
  if (held_raise_q) begin
    assume (raise_valid_i && raise_group_i == raise_was_q && raise_kind_i == kind_was_q);
  end
  if (held_query_q) assume (query_valid_i && query_qp_i == query_was_q);
  if (held_pkt_q) assume (pkt_valid_i);
  if (held_tmr_q) assume (tmr_valid_i);
  if (started_q) begin
    if (group_given) assert (raised_q);
    if (query_given) assert (asked_q);
    if (leaves_shared) assert (!raised_q || kind_f != 2'd0);
    if (!any_drop_q && !drop_valid_i) begin
      assert (32'(shared_q) <= Depth);
      assert (queue_waits == (shared_q != '0));
      if (pkt_ready_o) assert (lost_o == (32'(shared_q) == Depth));
      if (leaves_shared) assert (shared_q != '0);
    end
    if (take_valid && take_ready && next.packet.type_ == 8'(tally_fw_pkg::EvNone)) begin
      assert (!raised_q && !asked_q && (any_drop_q || shared_q == '0));
      assert (next == '0);
    end
    if (raised_q || asked_q) assert (busy_o || wait_o);
    assert (!(pkt_ready_o && tmr_ready_o));
    assert (!drop_ready_o || drop_valid_i);
    cover (group_given && axil_rdata_o == '0);
    cover (query_given && waits == '1);
    cover (drop_ready_o && raised_q && drop_context_i == 16'(of_group_f));
    cover (lost_o && tmr_valid_i);
  end
end
