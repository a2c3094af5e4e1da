// SPDX-License-Identifier: BSD-2-Clause
// A command has one header, and then one word of payload if it has any; it is taken in the clock
// after the last of these. An offer stays. An OPEN never carries a key in its header, and a
// challenge tells neither key nor epoch. That each field is the right one is shown by the bench.
`include "tally_proof.svh"

localparam int unsigned SendBits = 738;
logic was_q = 1'b0, in_held_q = 1'b0, out_held_q = 1'b0, dat_held_q = 1'b0;
logic left_q, last_q;
logic [SendBits-1:0] in_q;
tally_pkg::tch_t sent;
assign sent = out_o.tch;

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  in_held_q <= started_q && in_valid_i && !in_ready_o;
  out_held_q <= started_q && out_valid_o && !out_ready_i;
  dat_held_q <= started_q && dat_tvalid_o && !dat_tready_i;
  in_q <= in_i;
  last_q <= has_payload ? dat_tvalid_o && dat_tready_i : out_valid_o && out_ready_i;
  if (!started_q || in_ready_o) left_q <= 1'b0;
  else if (out_valid_o && out_ready_i) left_q <= 1'b1;
end

// The command stays until it is taken.
always_comb begin
  assume (in_i.length <= 7'd64);
  if (started_q && was_q && in_held_q) assume (in_valid_i && in_i == in_q);
end

always_comb begin
  if (started_q) begin
    assert (busy_o == (state_q != Idle));
    if (state_q != Idle) assert (in_held_q);
    assert (count_q <= WordW'(tally_fw_send_pkg::Words));
    assert (left_q == (state_q == Data || state_q == End));
    if (out_valid_o) begin
      assert (!left_q);
      assert (sent.edge_seq == '0 && out_o.psn == '0);
      if (in_i.open) assert (sent.key == '0 && out_o.payload_len == 13'(OpenBytes));
      if (in_i.open && in_i.challenge) assert (sent.epoch == '0);
    end
    if (dat_tvalid_o) begin
      assert (left_q && has_payload && dat_tkeep_o[0] && !(&dat_tkeep_o && length != 7'd64));
      if (in_i.open && in_i.challenge) assert (open.key == '0 && open.group_key == '0);
    end
    if (in_ready_o) begin
      assert (in_valid_i);
      assert (last_q);
    end
    if (was_q && out_held_q) assert (out_valid_o);
    if (was_q && dat_held_q) assert (dat_tvalid_o);
    cover (in_ready_o && in_i.open);
    cover (in_ready_o && !has_payload);
    cover (in_ready_o && !in_i.open && has_payload);
  end
end
