// SPDX-License-Identifier: BSD-2-Clause
// Each packet for the firmware is offered once, with its edge and its payload, and stays until it
// is taken. All others pass, with their payloads. A packet that is inside or held waits in front.
`include "tally_proof.svh"

logic was_q = 1'b0, inside_q, held_q;
logic [7:0] kind_f;
logic [15:0] context_f, held_context_q;
logic [31:0] mid_f;
(* anyconst *) logic [5:0] byte_f;
logic [7:0] value_f;
tally_pkg::tch_t said;
assign said = ev_tch_o;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  held_q <= ev_valid_o && !ev_ready_i;
  held_context_q <= ev_context_o;
  if (!started_q) inside_q <= 1'b0;
  else inside_q <= takes || (inside_q && !(ev_valid_o && ev_ready_i));
  if (takes) begin
    kind_f <= tch.kind;
    mid_f <= tch.mid;
    context_f <= in_admission_i.context_;
    value_f <= '0;
  end else if (first_word) begin
    value_f <= pay_tkeep_i[byte_f] ? pay_tdata_i[8*byte_f+:8] : '0;
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (inside_q == busy_o);
    assert (!ev_valid_o || inside_q);
    if (ev_valid_o) begin
      assert (said.kind == kind_f && said.mid == mid_f && ev_context_o == context_f);
      assert (ev_data_o[8*byte_f+:8] == value_f);
    end
    if (held_q) assert (ev_valid_o && ev_context_o == held_context_q);
    assert (out_valid_o == (in_valid_i && !is_mine));
    assert (!(takes && (inside_q || hold_i)));
    assert ((in_valid_i && in_ready_o) == (takes || (out_valid_o && out_ready_i)));
    assert (!(dat_tvalid_o && (state_q == First || state_q == Rest)));
    assert (!pay_tvalid_i || dat_tvalid_o || pay_tready_o);
    cover (ev_valid_o && said.kind == 8'(tally_pkg::KindOpen));
    cover (ev_valid_o && said.kind == 8'(tally_pkg::KindAck));
  end
end
