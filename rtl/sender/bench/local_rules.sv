// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_local that are not those of its blocks.
bind tally_local axis_rules #(.Bytes(WordBytes)) u_op_rules (
  .clk_i, .rst_ni, .tvalid_i(op_valid_o), .tready_i(op_ready_i), .tdata_i(op_tdata_o),
  .tkeep_i(op_tkeep_o), .tlast_i(op_tlast_o)
);
bind tally_local stream_rules #(.Width($bits(op_o))) u_header_rules (
  .clk_i, .rst_ni, .valid_i(op_valid_o), .ready_i(op_ready_i), .data_i(op_o)
);
bind tally_local stream_rules #(.Width(QpW)) u_cmd_rules (
  .clk_i, .rst_ni, .valid_i(cmd_valid_o), .ready_i(cmd_ready_i), .data_i(cmd_qp_i)
);
bind tally_local stream_rules #(.Width(1 + EntryW + RankW)) u_sge_rules (
  .clk_i, .rst_ni, .valid_i(sge_valid_o), .ready_i(sge_ready_i),
  .data_i({sge_result_o, sge_entry_o, sge_index_o})
);
