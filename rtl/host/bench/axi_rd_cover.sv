// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_axi_rd must reach.
module axi_rd_cover #(
  parameter int unsigned SlotW = 4
) (
  input logic             clk_i,
  input logic             burst_valid,
  input logic             burst,
  input logic [SlotW:0]   used_q,
  input logic [SlotW-1:0] head_q,
  input logic             arvalid_o,
  input logic             arready_i,
  input logic             rvalid_i,
  input logic [SlotW-1:0] rid_i,
  input logic             slot_ends,
  input logic             head_last,
  input logic             error_q,
  input logic             r_ready,
  input logic             load,
  input logic             emit,
  input logic             t_ends,
  input logic             t_valid_q,
  input logic             held_valid_q,
  input logic             held_final_q,
  input logic             out_valid_o,
  input logic             out_ready_i
);
  all_slots: cover property (@(posedge clk_i) burst_valid && used_q[SlotW]);
  address_waits: cover property (@(posedge clk_i) arvalid_o && !arready_i);
  overtakes: cover property (@(posedge clk_i) rvalid_i && rid_i != head_q);
  begun_and_ended: cover property (@(posedge clk_i) burst && slot_ends);
  next_burst: cover property (@(posedge clk_i) slot_ends && !head_last);
  error_of_burst_before: cover property (@(posedge clk_i) slot_ends && error_q);
  output_stalls: cover property (@(posedge clk_i) !r_ready);
  data_are_late: cover property (@(posedge clk_i) held_valid_q && !held_final_q && !t_valid_q);
  nothing_behind: cover property (@(posedge clk_i) emit && held_final_q && !load);
  next_behind: cover property (@(posedge clk_i) emit && held_final_q && load);
  ends_with_next_word: cover property (@(posedge clk_i) emit && t_ends && load);
  word_waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
endmodule

bind tally_axi_rd axi_rd_cover #(.SlotW(SlotW)) u_cover (.*);
