// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_regions must reach.
module regions_cover (
  input logic       clk_i,
  input logic       acc_valid_i,
  input logic       acc_ready_o,
  input logic       acc_write_i,
  input logic       has_room,
  input logic       chk_valid_i,
  input logic       chk_ready_o,
  input logic       cfg_valid,
  input logic       cfg_ready,
  input logic       cfg_enable,
  input logic       drained,
  input logic       turn_q,
  input logic       ended_read,
  input logic       ended_write,
  input logic       read_ends,
  input logic       end_valid,
  input logic       end_ready,
  input logic       end_check,
  input logic       regs_busy,
  input logic       busy_o
);
  no_room_to_read: cover property (@(posedge clk_i) acc_valid_i && !has_room && !acc_write_i);
  no_room_to_write: cover property (@(posedge clk_i) acc_valid_i && !has_room && acc_write_i);
  check_passes: cover property (@(posedge clk_i) acc_valid_i && !has_room && chk_valid_i &&
                                chk_ready_o);
  both: cover property (@(posedge clk_i) acc_valid_i && has_room && chk_valid_i);
  removal_waits: cover property (@(posedge clk_i) cfg_valid && !cfg_ready && !cfg_enable &&
                                 acc_valid_i);
  access_amid_a_drain: cover property (@(posedge clk_i) regs_busy && !cfg_valid && !drained &&
                                       acc_valid_i && acc_ready_o && turn_q);
  refused_read: cover property (@(posedge clk_i) ended_read);
  two_ends: cover property (@(posedge clk_i) read_ends && ended_write);
  end_waits: cover property (@(posedge clk_i) end_valid && !end_ready && !end_check);
  answer_waits: cover property (@(posedge clk_i) end_valid && !end_ready && end_check);
  quiet: cover property (@(posedge clk_i) !busy_o);
endmodule

bind tally_regions regions_cover u_cover (.*);
