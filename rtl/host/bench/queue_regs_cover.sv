// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_queue_regs must reach.
module queue_regs_cover (
  input logic       clk_i,
  input logic       judges,
  input logic       known,
  input logic       number_ok,
  input logic       creates,
  input logic       of_cq,
  input logic       ring_ok,
  input logic       depth_ok,
  input logic       target_ok,
  input logic       give,
  input logic       given,
  input logic       axil_bvalid_o,
  input logic       axil_bready_i,
  // verilator lint_off UNUSEDSIGNAL
  input tally_fw_pkg::queue_t value  // two of its registers are of interest
  // verilator lint_on UNUSEDSIGNAL
);
  `define COMMAND judges && known
  unknown: cover property (@(posedge clk_i) judges && !known);
  no_cq: cover property (@(posedge clk_i) `COMMAND && of_cq && !number_ok);
  no_eq: cover property (@(posedge clk_i) `COMMAND && !of_cq && !number_ok);
  bad_ring: cover property (@(posedge clk_i) `COMMAND && creates && number_ok && !ring_ok);
  bad_depth: cover property (@(posedge clk_i) `COMMAND && creates && ring_ok && !depth_ok);
  bad_target: cover property (@(posedge clk_i) `COMMAND && creates && ring_ok && depth_ok &&
                              !target_ok);
  no_shift: cover property (@(posedge clk_i) give && given && value.levels == '0 &&
                            value.page_shift == '0);
  a_list: cover property (@(posedge clk_i) give && given && value.levels == 3);
  waits: cover property (@(posedge clk_i) give && !given);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
  `undef COMMAND
endmodule

bind tally_queue_regs queue_regs_cover u_cover (.*);
