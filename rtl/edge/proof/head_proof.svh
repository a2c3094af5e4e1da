// SPDX-License-Identifier: BSD-2-Clause
// What is asked for a packet, and in which order: a number only for what may leave, values only for
// what has its number, as answers of the same clock say, too. A header leaves exactly if all have
// agreed, with the number and the values that it was given; otherwise the end says why. An offer
// stays; that it does not change, and that each field is the right one, is shown by the bench.
`include "tally_proof.svh"

logic was_q = 1'b0, inside_q, may_q, numbered_q, told_q, refused_q, asked_q, held_q;
logic [31:0] seq_f, before_f, done_f;
logic [15:0] limit_f;
logic [345:0] in_q;
logic [RowW-1:0] in_row_q;
tally_head_pkg::end_e why_f;
tally_pkg::tch_t sent;
assign sent = out_o.tch;

// The source stays until it is taken; answers come only to questions.
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  held_q <= in_valid_i && !in_ready_o;
  in_q <= in_i;
  in_row_q <= in_row_i;
end
always_comb begin
  assume (32'(in_row_i) < Rows && 32'(edge_row_i) < Rows);
  assume (!answer_valid_i || asked_q);
  if (started_q && was_q && held_q)
    assume (in_valid_i && in_i == in_q && in_row_i == in_row_q);
  if (started_q && inside_q) assume (in_valid_i);
end

always_ff @(posedge clk_i) begin
  if (!started_q || in_ready_o) begin
    {inside_q, may_q, numbered_q, told_q, refused_q, asked_q} <= '0;
  end else begin
    if (in_valid_i) inside_q <= 1'b1;
    asked_q <= (op_valid_o && op_ready_i) || (asked_q && !answer_valid_i);
    if (answer_valid_i && state_q == MayAnswer) begin
      may_q <= answer_may_i;
      if (!answer_may_i) {refused_q, why_f} <= {1'b1, tally_head_pkg::EndWaits};
    end
    if (ask_valid_o && ask_ready_i) begin
      numbered_q <= ask_ok_i;
      seq_f <= ask_seq_i;
      before_f <= ask_before_i;
      if (!ask_ok_i) begin
        refused_q <= 1'b1;
        why_f <= in_i.again ? tally_head_pkg::EndDropped : tally_head_pkg::EndWaits;
      end
    end
    if (answer_valid_i && state_q == TellAnswer) begin
      told_q <= answer_open_i;
      done_f <= answer_done_i;
      limit_f <= answer_limit_i[15:0];
      if (!answer_open_i) {refused_q, why_f} <= {1'b1, tally_head_pkg::EndDropped};
    end
  end
end

// With the answers of this clock.
logic may_now, numbered_now, told_now;
logic [31:0] done_now;
logic [15:0] limit_now;
assign may_now = may_q || (state_q == MayAnswer && answer_valid_i && answer_may_i);
assign numbered_now = numbered_q || (ask_valid_o && ask_ready_i && ask_ok_i);
assign told_now = told_q || (state_q == TellAnswer && answer_valid_i && answer_open_i);
assign done_now = told_q ? done_f : answer_done_i;
assign limit_now = told_q ? limit_f : answer_limit_i[15:0];

logic offered_q = 1'b0;
always_ff @(posedge clk_i) offered_q <= started_q && out_valid_o && !out_ready_i;

always_comb begin
  if (started_q) begin
    assert (busy_o == (state_q != Begin));
    assert (inside_q == (state_q != Begin));
    if (state_q == MayAnswer || state_q == TellAnswer) assert (asked_q);
    else assert (!asked_q);
    if (op_valid_o && op_o != tally_edge_pkg::StateTell) begin
      assert (first && !numbered_q);
      assert ((op_o == tally_edge_pkg::StateAskMessage) == is_trigger);
    end
    if (ask_valid_o) begin
      assert (numbered && (may_now || in_i.again) && !numbered_q && !refused_q);
      assert (ask_o.known && ask_o.row_ == 16'(in_row_i));
    end
    if (op_valid_o && op_o == tally_edge_pkg::StateTell)
      assert (numbered_now == numbered && !told_q && !refused_q);
    if (out_valid_o) begin
      assert (told_now && !refused_q && numbered_q == numbered && (may_q || !first));
      assert (sent.edge_seq == (numbered ? seq_f : in_i.seq));
      assert (sent.done == done_now && sent.limit == limit_now);
      assert (out_o.psn == sent.edge_seq[23:0]);
      assert (in_seq_o == sent.edge_seq);
      if (is_trigger) assert (sent.num == before_f);
    end
    if (in_ready_o) begin
      assert (in_valid_i && refused_q == !out_valid_o);
      assert (in_end_o == (refused_q ? why_f : tally_head_pkg::EndSent));
    end
    cover (out_valid_o && first);
    cover (out_valid_o && numbered && in_i.again);
    cover (out_valid_o && !numbered);
    cover (out_valid_o && is_trigger);
    cover (in_ready_o && in_end_o == tally_head_pkg::EndWaits);
    cover (in_ready_o && in_end_o == tally_head_pkg::EndDropped);
  end
  if (started_q && was_q && offered_q) assert (out_valid_o);
end
