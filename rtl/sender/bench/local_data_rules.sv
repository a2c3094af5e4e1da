// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_local_data.
bind tally_local_data stream_rules #(.Width(EntryW + 26)) u_line_rules (
  .clk_i, .rst_ni, .valid_i(line_valid_o), .ready_i(line_ready_i),
  .data_i({line_entry_o, line_from_o, line_len_o})
);
bind tally_local_data axis_rules #(.Bytes(WordBytes)) u_op_rules (
  .clk_i, .rst_ni, .tvalid_i(op_valid_o), .tready_i(op_ready_i), .tdata_i(op_tdata_o),
  .tkeep_i(op_tkeep_o), .tlast_i(op_tlast_o)
);
bind tally_local_data stream_rules #(.Width($bits(op_o))) u_header_rules (
  .clk_i, .rst_ni, .valid_i(op_valid_o), .ready_i(op_ready_i), .data_i(op_o)
);
