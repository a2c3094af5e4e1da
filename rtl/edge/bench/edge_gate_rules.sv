// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_gate. A number that is marked is new: the window was asked
// before, and no other packet of the edge was in flight since.
bind tally_edge_gate stream_rules #(.Width($bits(in_i) + $bits(in_admission_i) + 1)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready_o),
  .data_i({in_i, in_admission_i, in_alive_i})
);
bind tally_edge_gate stream_rules #(.Width($bits(out_o) + $bits(out_admission_o) + 1)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_o, out_admission_o, out_flight_valid_o})
);
bind tally_edge_gate axis_rules #(.Bytes(tally_net_pkg::WordBytes)) u_dat_rules (
  .clk_i, .rst_ni, .tvalid_i(dat_tvalid_o), .tready_i(dat_tready_i), .tdata_i(dat_tdata_o),
  .tkeep_i(dat_tkeep_o), .tlast_i(dat_tlast_o)
);
bind tally_edge_gate stream_rules #(.Width(FlightW + 1)) u_end_rules (
  .clk_i, .rst_ni, .valid_i(end_valid_i), .ready_i(end_ready_o),
  .data_i({end_flight_i, end_stored_i})
);
bind tally_edge_gate stream_rules #(.Width($bits(ack_o))) u_ack_rules (
  .clk_i, .rst_ni, .valid_i(ack_valid_o), .ready_i(ack_ready_i), .data_i(ack_o)
);

module edge_gate_rules (
  input logic clk_i,
  input logic mark_valid,
  input logic mark_new,
  input logic end_valid_i,
  input logic flying
);
  news: assert property (@(posedge clk_i) mark_valid |-> mark_new)
  else $error("a number is marked twice");
  flies: assert property (@(posedge clk_i) end_valid_i |-> flying)
  else $error("the end of no flight");
endmodule
bind tally_edge_gate edge_gate_rules u_rules (
  .clk_i, .mark_valid(unused_mark_valid), .mark_new(unused_mark_new), .end_valid_i,
  .flying(flying_q[end_flight_i])
);
