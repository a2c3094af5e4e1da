// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_segment.
bind tally_segment axis_rules #(.Bytes(Bytes)) u_in_rules (
  .clk_i, .rst_ni, .tvalid_i(in_tvalid_i), .tready_i(in_tready_o), .tdata_i(in_tdata_i),
  .tkeep_i(in_tkeep_i), .tlast_i(in_tlast_i)
);
bind tally_segment stream_rules #(.Width(SlotW + 1)) u_read_rules (
  .clk_i, .rst_ni, .valid_i(read_valid_i), .ready_i(read_ready_o),
  .data_i({read_slot_i, read_result_i})
);
bind tally_segment axis_rules #(.Bytes(Bytes)) u_out_rules (
  .clk_i, .rst_ni, .tvalid_i(out_tvalid_o), .tready_i(out_tready_i), .tdata_i(out_tdata_o),
  .tkeep_i(out_tkeep_o), .tlast_i(out_tlast_o)
);
bind tally_segment stream_rules #(
  .Width(3 + SlotW + 3 + 16 + 2 + 16 + Contributors + Ranks)
) u_outcome_rules (
  .clk_i, .rst_ni, .valid_i(outcome_valid_o), .ready_i(outcome_ready_i),
  .data_i({outcome_kind_o, outcome_slot_o, outcome_verdict_o, outcome_status_o,
  outcome_opened_o, outcome_complete_o, outcome_err_vector_o, outcome_contributors_o,
  outcome_ranks_o})
);
bind tally_segment stream_rules #(.Width(SlotW)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_i), .ready_i(peek_ready_o), .data_i(peek_slot_i)
);
