// SPDX-License-Identifier: BSD-2-Clause
// Rules of a valid-ready stream: an offer stays and does not change until it is taken, and there is
// none during a reset. NAME_rules.sv binds them to the streams of tally_NAME, in each bench that
// contains the block.
module stream_rules #(
  parameter int unsigned Width = 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] data_i
);
  stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
                          valid_i && !ready_i |=> valid_i)
    else $error("an offer is withdrawn");
  keeps: assert property (@(posedge clk_i) disable iff (!rst_ni)
                          valid_i && !ready_i |=> $stable(data_i))
    else $error("an offer changes");
  quiet: assert property (@(posedge clk_i) !rst_ni |-> !valid_i)
    else $error("an offer during reset");
endmodule
