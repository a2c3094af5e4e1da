// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_store_look: what is asked stays until it is taken.
bind tally_store_look stream_rules #(.Width(GroupW + 32)) u_read_rules (
  .clk_i, .rst_ni, .valid_i(read_valid_i), .ready_i(read_ready_o), .data_i({read_group_i,
  read_index_i})
);
bind tally_store_look stream_rules #(.Width(GroupW + 32)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_o), .ready_i(peek_ready_i), .data_i({peek_group_o,
  peek_index_o})
);
bind tally_store_look stream_rules #(.Width(PlaceW)) u_seg_rules (
  .clk_i, .rst_ni, .valid_i(seg_valid_o), .ready_i(seg_ready_i), .data_i(place_o)
);
bind tally_store_look stream_rules #(.Width(PlaceW)) u_hold_rules (
  .clk_i, .rst_ni, .valid_i(hold_valid_o), .ready_i(hold_ready_i), .data_i(place_o)
);
bind tally_store_look stream_rules #(.Width(PlaceW)) u_header_rules (
  .clk_i, .rst_ni, .valid_i(header_valid_o), .ready_i(header_ready_i), .data_i(place_o)
);
bind tally_store_look stream_rules #(.Width(GroupW + PartW + EdgeW)) u_table_rules (
  .clk_i, .rst_ni, .valid_i(table_valid_o), .ready_i(table_ready_i), .data_i({table_group_o,
  table_part_o, table_edge_o})
);
