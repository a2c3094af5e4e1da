// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_segment_map must reach.
module segment_map_cover (
  input logic                           clk_i,
  input logic                           looked_valid_o,
  input tally_segment_map_pkg::mapped_e looked_o,
  input logic                           answer_valid_o,
  input logic                           answer_ready_i,
  input logic                           answer_ok_o,
  input tally_fw_pkg::store_command_e    cmd_q,
  input logic                           take,
  input logic                           reused,
  input logic                           freed_valid_o,
  input logic                           freed_ready_i,
  input logic                           ending,
  input logic                           look_valid_i,
  input logic                           group_write,
  input logic                           peeked_valid_o,
  input logic                           peeked_ok_o,
  input logic                           peek_reads,
  input logic                           peek_again,
  input logic                           peek_same_group
);
  slot: cover property (@(posedge clk_i) looked_valid_o && looked_o ==
                        tally_segment_map_pkg::MapSlot);
  past: cover property (@(posedge clk_i) looked_valid_o && looked_o ==
                        tally_segment_map_pkg::MapPast);
  beyond: cover property (@(posedge clk_i) looked_valid_o &&
                          looked_o == tally_segment_map_pkg::MapWindow);
  raised_not: cover property (@(posedge clk_i) answer_valid_o &&
                              cmd_q == tally_fw_pkg::StoreCmdRaise && !answer_ok_o);
  finished_not: cover property (@(posedge clk_i) answer_valid_o &&
                                cmd_q == tally_fw_pkg::StoreCmdFinish &&
                                !answer_ok_o);
  begun: cover property (@(posedge clk_i) answer_valid_o && cmd_q ==
                         tally_fw_pkg::StoreCmdBegin);
  fresh: cover property (@(posedge clk_i) take && !reused);
  reused_slot: cover property (@(posedge clk_i) take && reused);
  freed_by_end: cover property (@(posedge clk_i) freed_valid_o && ending);
  freed_waits: cover property (@(posedge clk_i) freed_valid_o && !freed_ready_i);
  freed: cover property (@(posedge clk_i) freed_valid_o && freed_ready_i && !ending);
  answer_waits: cover property (@(posedge clk_i) answer_valid_o && !answer_ready_i);
  looked_while_written: cover property (@(posedge clk_i) look_valid_i && group_write);
  peeked: cover property (@(posedge clk_i) peeked_valid_o && peeked_ok_o);
  peeked_not: cover property (@(posedge clk_i) peeked_valid_o && !peeked_ok_o);
  peek_waits: cover property (@(posedge clk_i) peek_reads && look_valid_i);
  peeks_again: cover property (@(posedge clk_i) peek_again);
  peeked_while_written: cover property (@(posedge clk_i) peek_reads && !look_valid_i &&
                                        group_write && peek_same_group);
endmodule

bind tally_segment_map segment_map_cover u_cover (
  .reused(free_q != '0), .peek_reads(peek_q == PeekRead),
  .peek_again(peek_q == PeekCompare && !peek_right), .peek_same_group(peek_group_q == group_q), .*
);
