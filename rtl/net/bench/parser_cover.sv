// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_parser must reach.
module parser_cover (
  input logic clk_i,
  input logic in_tvalid_i,
  input logic in_tready_o,
  input logic hdr_valid_o,
  input logic hdr_ready_i,
  input logic out_tvalid_o,
  input logic out_tready_i,
  input logic out_tlast_o,
  input logic p_valid,
  input logic q_end_q,
  input logic v_valid_q,
  input logic [2:0] end_q,
  input logic ahead_valid_o,
  input logic s_valid_q,
  input logic [6:0] s_place_q
);
  refused: cover property (@(posedge clk_i) in_tvalid_i && !in_tready_o);
  hdr_waits: cover property (@(posedge clk_i) hdr_valid_o && !hdr_ready_i);
  out_waits: cover property (@(posedge clk_i) out_tvalid_o && !out_tready_i);
  hdr_before_payload: cover property (@(posedge clk_i) hdr_valid_o && hdr_ready_i && out_tvalid_o &&
                                      !out_tready_i);
  no_gap: cover property (@(posedge clk_i) q_end_q && p_valid);
  gap: cover property (@(posedge clk_i) q_end_q && !p_valid);
  rest_of_frame: cover property (@(posedge clk_i) v_valid_q && end_q[2]);
  end_alone: cover property (@(posedge clk_i) !v_valid_q && end_q[2]);
  frames_each_cycle: cover property (@(posedge clk_i) end_q == 3'b111);
  ahead: cover property (@(posedge clk_i) ahead_valid_o);
  not_ahead: cover property (@(posedge clk_i) s_valid_q && s_place_q == '0 && !ahead_valid_o);
  out_last: cover property (@(posedge clk_i) out_tvalid_o && out_tready_i && out_tlast_o);
endmodule

bind tally_parser parser_cover u_cover (.*);
