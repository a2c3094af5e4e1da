// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_rmq.
bind tally_rmq stream_rules #(
  .Width(PortW + CounterW + TagW + 1 + PlaceW + 2 + 16 + 32 + Named + 16)
) u_fire_rules (
  .clk_i, .rst_ni, .valid_i(fire_valid_o), .ready_i(fire_ready_i), .data_i({fire_port_o,
  fire_counter_o, fire_tag_o, fire_swaps_o, fire_place_o, fire_filled_o, fire_many_o, fire_op_o,
  fire_dtype_o, fire_count_o, fire_disagree_o, fire_err_vector_o})
);
