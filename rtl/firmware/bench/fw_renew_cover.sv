// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_renew must reach.
module fw_renew_cover (
  input logic clk_i,
  input logic taken,
  input logic good,
  input logic no_row,
  input logic late,
  input logic put_valid_o,
  input logic put_ready_i,
  input logic random_ready_o,
  input logic random_valid_i,
  input logic axil_bvalid_o,
  input logic axil_bready_i,
  input logic failed_q
);
  refused: cover property (@(posedge clk_i) taken && !good);
  without_row: cover property (@(posedge clk_i) no_row);
  last_refused: cover property (@(posedge clk_i) late);
  write_waits: cover property (@(posedge clk_i) put_valid_o && !put_ready_i);
  waits_for_a_word: cover property (@(posedge clk_i) random_ready_o && !random_valid_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
  done: cover property (@(posedge clk_i) axil_bvalid_o && !failed_q);
endmodule

bind tally_fw_renew fw_renew_cover u_cover (
  .taken(axil_awvalid_i && axil_awready_o), .no_row(state_q == Wait && put_bvalid_i && refused),
  .late(state_q == Wait && put_bvalid_i && put_bresp_i != '0 && count_q == Last), .*
);
