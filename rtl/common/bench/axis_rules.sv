// SPDX-License-Identifier: BSD-2-Clause
// Rules of an AXI4-Stream of packets: those of a valid-ready stream, and tkeep is all ones but in
// the last word, where it is ones from bit 0 up.
module axis_rules #(
  parameter int unsigned Bytes = 64
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               tvalid_i,
  input logic               tready_i,
  input logic [8*Bytes-1:0] tdata_i,
  input logic [Bytes-1:0]   tkeep_i,
  input logic               tlast_i
);
  stream_rules #(
    .Width(9 * Bytes + 1)
  ) u_stream (
    .clk_i, .rst_ni,
    .valid_i(tvalid_i),
    .ready_i(tready_i),
    .data_i({tlast_i, tkeep_i, tdata_i})
  );

  whole: assert property (@(posedge clk_i) disable iff (!rst_ni)
                          tvalid_i && !tlast_i |-> &tkeep_i)
    else $error("a word before the last one is not full");
  dense: assert property (@(posedge clk_i) disable iff (!rst_ni)
                          tvalid_i |-> (tkeep_i & (tkeep_i + 1'b1)) == '0)
    else $error("tkeep has a gap");
endmodule
