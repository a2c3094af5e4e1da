// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_status_wc must reach.
module status_wc_cover (
  input logic clk_i,
  input logic other_i,
  input logic is_local
);
  others_fault: cover property (@(posedge clk_i) other_i && is_local);
  far_fault: cover property (@(posedge clk_i) other_i && !is_local);
endmodule

bind tally_status_wc status_wc_cover u_cover (.*);
