// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_request_regs must reach.
module request_regs_cover (
  input logic       clk_i,
  input logic       judges,
  input logic       known,
  input logic       number_ok,
  input logic       creates,
  input logic       binds,
  input logic       of_qp,
  input logic       of_cq,
  input logic       memory_ok,
  input logic       size_ok,
  input logic       aligned,
  input logic       slot_ok,
  input logic       good,
  input logic       set_valid_o,
  input logic       set_ready_i,
  input logic       bind_valid_o,
  input logic       bind_ready_i,
  input logic       axil_bvalid_o,
  input logic       axil_bready_i,
  // verilator lint_off UNUSEDSIGNAL
  input tally_fw_pkg::request_t value  // some of its registers are of interest
  // verilator lint_on UNUSEDSIGNAL
);
  `define COMMAND judges && known
  unknown: cover property (@(posedge clk_i) judges && !known);
  no_qp: cover property (@(posedge clk_i) `COMMAND && of_qp && !number_ok);
  no_cq: cover property (@(posedge clk_i) `COMMAND && of_cq && !number_ok);
  bad_memory: cover property (@(posedge clk_i) `COMMAND && creates && number_ok && !memory_ok);
  bad_size: cover property (@(posedge clk_i) `COMMAND && creates && memory_ok && !size_ok);
  not_aligned: cover property (@(posedge clk_i) `COMMAND && creates && memory_ok && size_ok &&
                               !aligned);
  deep: cover property (@(posedge clk_i) `COMMAND && creates && memory_ok && size_ok && aligned &&
                        !good);
  deepest: cover property (@(posedge clk_i) `COMMAND && creates && good && value.log_depth == 12);
  bad_slot: cover property (@(posedge clk_i) `COMMAND && binds && number_ok && !slot_ok);
  bad_entry: cover property (@(posedge clk_i) `COMMAND && binds && of_qp && number_ok && slot_ok &&
                             !size_ok);
  a_list: cover property (@(posedge clk_i) `COMMAND && creates && good && value.levels == 3);
  set_waits: cover property (@(posedge clk_i) set_valid_o && !set_ready_i);
  bind_waits: cover property (@(posedge clk_i) bind_valid_o && !bind_ready_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
  `undef COMMAND
endmodule

bind tally_request_regs request_regs_cover u_cover (.*);
