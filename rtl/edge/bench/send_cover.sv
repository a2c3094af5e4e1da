// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_send must reach.
module send_cover (
  input logic       clk_i,
  input logic [2:0] wants,
  input logic [2:0] state_q,
  input logic [1:0] payload_q,
  input logic       gone,
  input logic       closing_o,
  input logic       regs_busy_o,
  input logic       walk_look,
  input logic       look_valid_o,
  input logic       look_ready_i,
  input logic       head_valid,
  input logic       out_valid_o,
  input logic       has_payload_q,
  input logic       message,
  input logic       is_busy,
  input logic       out_ready_i,
  input logic       pass_valid_o,
  input logic       pass_ready_i
);
  localparam logic [2:0] Look = 3'd1;
  localparam logic [1:0] Empty = 2'd3;
  all_want: cover property (@(posedge clk_i) wants == '1);
  nobody: cover property (@(posedge clk_i) gone);
  closes: cover property (@(posedge clk_i) closing_o);
  both_look: cover property (@(posedge clk_i) state_q == Look && walk_look);
  look_waits: cover property (@(posedge clk_i) look_valid_o && !look_ready_i);
  header_waits: cover property (@(posedge clk_i) head_valid && !out_valid_o);
  overtakes: cover property (@(posedge clk_i)
                             out_valid_o && out_ready_i && !has_payload_q && payload_q != '0);
  empty: cover property (@(posedge clk_i) payload_q == Empty);
  bare_message: cover property (@(posedge clk_i)
                                out_valid_o && out_ready_i && message && !has_payload_q);
  busy: cover property (@(posedge clk_i) out_valid_o && out_ready_i && is_busy);
  full_message: cover property (@(posedge clk_i)
                                out_valid_o && out_ready_i && message && has_payload_q);
  pass_waits: cover property (@(posedge clk_i) pass_valid_o && !pass_ready_i);
  register_waits: cover property (@(posedge clk_i) regs_busy_o && !closing_o);
endmodule

bind tally_send send_cover u_cover (
  .message(whose_q == Chunk && chunk_i.kind == 8'(tally_pkg::KindTrigger)),
  .is_busy(whose_q == Chunk && chunk_i.kind == 8'(tally_pkg::KindBusy)), .*
);
