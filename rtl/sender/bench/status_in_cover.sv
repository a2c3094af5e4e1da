// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_status_in must reach.
module status_in_cover (
  input logic clk_i,
  input logic add_q,
  input logic adds,
  input logic skip_valid_i,
  input logic waits,
  input logic of_req,
  input logic req_before,
  input logic is_done_of,
  input logic req_first,
  input logic chooses,
  input logic chooses_req,
  input logic chosen_q,
  input logic req_valid_i,
  input logic req_ahead_i,
  input logic offers_q,
  input logic direct,
  input logic done_q,
  input logic skip_q,
  input logic ahead_q,
  input logic in_ready_i,
  input logic row_q,
  input logic cmd_valid_i,
  input logic cmd_forgets_i,
  input logic forgot_q,
  input logic forgets,
  input logic cmd_ready_i,
  input logic cmd_valid_o
);
  several: cover property (@(posedge clk_i) skip_valid_i && add_q && !adds);
  one_after_another: cover property (@(posedge clk_i) skip_valid_i && adds);
  in_front: cover property (@(posedge clk_i) adds && !waits && req_before && !done_q);
  behind_it: cover property (@(posedge clk_i) adds && !waits && of_req && !req_before &&
                             !is_done_of);
  in_front_as_it_leaves: cover property (@(posedge clk_i) adds && !waits && is_done_of);
  alone: cover property (@(posedge clk_i) adds && !waits && !of_req && !is_done_of);
  more: cover property (@(posedge clk_i) adds && waits);
  behind: cover property (@(posedge clk_i) chooses && !chosen_q && waits && !req_first &&
                          !req_ahead_i);
  first: cover property (@(posedge clk_i) chooses && chosen_q && waits && req_first);
  ahead: cover property (@(posedge clk_i) chooses && chooses_req && req_ahead_i && waits);
  nothing: cover property (@(posedge clk_i) chooses && !chooses_req && !waits);
  counted_first: cover property (@(posedge clk_i) row_q && !chooses && chosen_q && add_q && !adds);
  ahead_waits: cover property (@(posedge clk_i) chooses && chosen_q && req_valid_i && req_ahead_i);
  at_once: cover property (@(posedge clk_i) direct && in_ready_i);
  at_once_waits: cover property (@(posedge clk_i) direct && !in_ready_i);
  answered_meanwhile: cover property (@(posedge clk_i) direct && skip_valid_i);
  offer_waits: cover property (@(posedge clk_i) offers_q && !in_ready_i);
  ahead_left: cover property (@(posedge clk_i) row_q && done_q && ahead_q);
  answered_left: cover property (@(posedge clk_i) row_q && done_q && skip_q);
  forget_waits: cover property (@(posedge clk_i) cmd_valid_i && cmd_forgets_i && !forgot_q &&
                                !forgets);
  forgets_some: cover property (@(posedge clk_i) row_q && forgets && waits);
  command_waits: cover property (@(posedge clk_i) cmd_valid_o && !cmd_ready_i);
endmodule

bind tally_status_in status_in_cover u_cover (.*);
