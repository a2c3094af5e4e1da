// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_sender_post must reach.
module sender_post_cover (
  input logic        clk_i,
  input logic        go_valid_i,
  input logic        go_refuse_i,
  input logic        offers,
  input logic        room_i,
  input logic        posts,
  input logic        post_ready_i,
  input logic        updated,
  input logic        upd_flag_i,
  input logic        gives,
  input logic        refuse_q,
  input logic        stored_q,
  input logic        due_valid_o,
  input logic        due_ready_i,
  input logic [63:0] due,
  input logic [63:0] absent,
  input logic [63:0] left_q,
  input logic        at_end,
  input logic        is_refs
);
  logic offered_q;
  always_ff @(posedge clk_i) offered_q <= offers && room_i && !post_ready_i;

  withdrawn: cover property (@(posedge clk_i) offered_q && offers && !room_i && !post_ready_i);
  taken_with_the_last_room: cover property (@(posedge clk_i) posts && !room_i);
  posted: cover property (@(posedge clk_i) posts);
  refused: cover property (@(posedge clk_i) go_valid_i && go_refuse_i && !offers);
  not_stored: cover property (@(posedge clk_i) updated && !refuse_q && !stored_q && due != '0);
  absent_and_due: cover property (@(posedge clk_i) updated && gives && absent != '0);
  flag: cover property (@(posedge clk_i) updated && upd_flag_i);
  neither: cover property (@(posedge clk_i) updated && !upd_flag_i && !gives && !refuse_q);
  due_waits: cover property (@(posedge clk_i) due_valid_o && !due_ready_i);
  all_ranks: cover property (@(posedge clk_i) is_refs && left_q == '1);
  one_rank: cover property (@(posedge clk_i) is_refs && at_end && left_q[63]);
endmodule

bind tally_sender_post sender_post_cover u_cover (
  .is_refs(state_q == StRefs), .*
);
