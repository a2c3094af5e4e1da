// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_wqe_tables must reach.
module wqe_tables_cover (
  input logic       clk_i,
  input logic       write_i,
  input logic       mine_o,
  input logic       of_group,
  input logic       of_qp,
  input logic       find_valid_i,
  input logic       found_q,
  input logic       set_parent,
  input logic       has_parent,
  input logic       set_group,
  // verilator lint_off UNUSEDSIGNAL
  input logic [7:0] set_choice,  // the first one and the last one are of interest
  input logic [7:0] set_logs,
  // verilator lint_on UNUSEDSIGNAL
  input logic       set_stride
);
  other_of_group: cover property (@(posedge clk_i) write_i && of_group && !mine_o);
  other_of_qp: cover property (@(posedge clk_i) write_i && of_qp && !mine_o);
  other: cover property (@(posedge clk_i) write_i && !of_group && !of_qp);
  again: cover property (@(posedge clk_i) find_valid_i && found_q);
  no_parent: cover property (@(posedge clk_i) write_i && set_parent && !has_parent);
  moves_between: cover property (@(posedge clk_i) write_i && set_group && found_q);
  found_while_written: cover property (@(posedge clk_i) write_i && set_stride && find_valid_i);
  first_choice: cover property (@(posedge clk_i) write_i && set_choice[0]);
  last_choice: cover property (@(posedge clk_i) write_i && set_choice[7]);
  last_logs: cover property (@(posedge clk_i) write_i && set_logs[7]);
endmodule

bind tally_wqe_tables wqe_tables_cover u_cover (.*);
