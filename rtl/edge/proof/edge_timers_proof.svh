// SPDX-License-Identifier: BSD-2-Clause
// The proof compares an arbitrary edge with a timer of its own that takes the same commands. The tables agree with that
// timer, so the search loses no command. An expiry is found once, not before it is due, and at most Edges clocks later.
// This does not count the clocks in which another expiry waits to be taken, nor the clock after each of them. An offer
// stays until it is taken.
`include "tally_proof.svh"

(* anyconst *) logic [EdgeW-1:0] edge_f;
always_comb assume (edge_f < Edges && cmd_edge_i < Edges);

order_t order_f;
state_t state_f;
assign order_f = orders_q[edge_f];
assign state_f = states_q[edge_f];

// Reference timer.
logic configured_q = 1'b0;      // the first command has come, after all rows were stopped
logic running_q;
logic [TimeW-1:0] due_q;
logic [TriesW-1:0] tries_q;
logic commanded, fired;
assign commanded = started_q && cmd_valid_q && cmd_edge_q == edge_f;
assign fired = started_q && fire && scan_edge_q == edge_f;

always_ff @(posedge clk_i) begin
  if (commanded && cmd_op_q == tally_edge_pkg::TimerConfig) configured_q <= 1'b1;
  if (commanded && (cmd_op_q == tally_edge_pkg::TimerStart ||
                    (cmd_op_q == tally_edge_pkg::TimerArm && !running_q))) begin
    running_q <= 1'b1;
    due_q <= now_q + order_f.rto;
    tries_q <= '0;
  end else if (commanded && cmd_op_q != tally_edge_pkg::TimerArm) begin
    running_q <= 1'b0;
  end else if (fired) begin
    running_q <= tries_q < order_f.limit;
    due_q <= now_q + wait_time;
    tries_q <= tries_q + 1'b1;
  end
  if (!started_q) running_q <= 1'b0;
end

// State of the timer in the tables. The search stops a row when it passes it for the first time.
logic stopped_q = 1'b0;
logic turn, table_running, is_due;
logic [TimeW-1:0] since;
always_ff @(posedge clk_i) if (started_q && scan_valid_q && scan_edge_q == edge_f) stopped_q <= 1'b1;
assign turn = order_f.turn != state_f.turn;
assign table_running = turn ? order_f.running : state_f.running;
assign since = now_q - due_q;
assign is_due = stopped_q && !starting_q && running_q && !since[TimeW-1];

// Clocks since the timer was due, and distance of the search from its edge.
logic [EdgeW+1:0] late_q;
logic waited_q;
logic [EdgeW:0] way;
always_ff @(posedge clk_i) begin
  waited_q <= started_q && expired_valid_o && !expired_ready_i;
  if (!started_q || !is_due || fired || commanded) late_q <= '0;
  else if (!waited_q && !(expired_valid_o && !expired_ready_i)) late_q <= late_q + 1'b1;
end
assign way = edge_f >= next_edge_q ? {1'b0, edge_f} - {1'b0, next_edge_q} :
    {1'b0, edge_f} + (EdgeW + 1)'(Edges) - {1'b0, next_edge_q};

logic was_ready_q = 1'b0;
always_ff @(posedge clk_i) was_ready_q <= started_q && cmd_valid_i && cmd_ready_o;

always_comb begin
  if (started_q) begin
    if (cmd_valid_q) assert (cmd_order == orders_q[cmd_edge_q] && cmd_state == states_q[cmd_edge_q] && cmd_edge_q < Edges);
    if (scan_valid_q) assert (scan_order == orders_q[scan_edge_q] && scan_state == states_q[scan_edge_q]);
    if (scan_valid_q) assert (scan_edge_q < Edges);
    assert (next_edge_q < Edges);
    assert (cmd_valid_q == was_ready_q);
    if (cmd_valid_q) assert (!starting_q);
    if (!starting_q) assert (stopped_q);
    if (starting_q) assert (!running_q);
    if (starting_q && scan_valid_q && !stopped_q) assert (scan_edge_q <= edge_f);
    if (stopped_q) assert (table_running == running_q);
    if (stopped_q && running_q) assert (due_q == (turn ? order_f.due : state_f.due));
    if (stopped_q && running_q) assert (tries_q == (turn ? '0 : state_f.tries));
    // An expiry is due, unique, has the right count, and is not late.
    if (fired) assert (is_due && !commanded || cmd_op_q == tally_edge_pkg::TimerArm);
    if (fired) assert (retries == tries_q + 1'b1 && over == (tries_q >= order_f.limit));
    if (fired) assert (wait_time <= order_f.cap);
    if (scan_valid_q) assert (next_edge_q == (scan_edge_q == Last ? '0 : scan_edge_q + 1'b1));
    if (!scan_valid_q && !starting_q) assert (waited_q);
    if (is_due && !(scan_valid_q && scan_edge_q == edge_f)) assert (late_q + {1'b0, way} < (EdgeW + 2)'(Edges));
    assert (late_q < (EdgeW + 2)'(Edges));
    cover (fired && late_q == (EdgeW + 2)'(Edges - 1));
    cover (fired && over && tries_q == TriesW'(1));
    cover (is_due && commanded && scan_valid_q && scan_edge_q == edge_f);
  end
end

logic offered_q = 1'b0;
logic [EdgeW+TriesW:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && expired_valid_o && !expired_ready_i;
  offer_q <= {expired_edge_o, expired_tries_o, expired_over_o};
end
always_comb if (offered_q) assert (expired_valid_o && {expired_edge_o, expired_tries_o, expired_over_o} == offer_q);
