// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sender.
bind tally_sender stream_rules #(.Width(EntryW)) u_row_rules (
  .clk_i, .rst_ni, .valid_i(row_valid_o), .ready_i(row_ready_i), .data_i(row_entry_o)
);
bind tally_sender stream_rules #(.Width(QpW)) u_look_rules (
  .clk_i, .rst_ni, .valid_i(look_valid_o), .ready_i(look_ready_i), .data_i(look_qp_o)
);
bind tally_sender stream_rules #(.Width(QpW + EntryW)) u_hand_rules (
  .clk_i, .rst_ni, .valid_i(hand_valid_o), .ready_i(hand_ready_i), .data_i({upd_qp_o, upd_entry_o})
);

// What tally_sender_ready and tally_sender_lists may expect: events that are some clocks apart.
// The module is of no use elsewhere.
// verilator lint_off DECLFILENAME
module sender_spacing (
  input logic clk_i,
  input logic rst_ni,
  input logic list_event,
  input logic appends
);
  logic told_q;
  logic [2:0] appended_q;
  always_ff @(posedge clk_i) begin
    told_q <= list_event && rst_ni;
    appended_q <= rst_ni ? {appended_q[1:0], appends} : '0;
  end
  told_in_succession: assert property (@(posedge clk_i) !rst_ni || !(list_event && told_q));
  appended_soon: assert property (@(posedge clk_i) !rst_ni || !(appends && appended_q != '0));
endmodule
// verilator lint_on DECLFILENAME
bind tally_sender sender_spacing u_spacing (.*);
