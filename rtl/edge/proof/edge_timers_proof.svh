// SPDX-License-Identifier: BSD-2-Clause
// The proof compares an arbitrary edge with a timer of its own that takes the same commands. The
// tables agree with that timer, so the search loses no command, and an expiry is found once and not
// before it is due. Each edge whose timer runs is in the list or with the search, once, so it will
// be looked at; and the list has room for all. While a timer runs there is a deadline. An offer
// stays until it is taken.
`include "tally_proof.svh"

(* anyconst *) logic [EdgeW-1:0] edge_f;
always_comb assume (edge_f < Edges && cmd_edge_i < Edges);

order_t order_f;
state_t state_f;
assign order_f = orders_q[edge_f];
assign state_f = states_q[edge_f];

// Reference timer.
logic running_q;
logic [TimeW-1:0] due_q;
logic [TriesW-1:0] tries_q;
logic commanded, fired;
assign commanded = started_q && cmd_valid_q && cmd_edge_q == edge_f;
assign fired = started_q && fire && scan_edge == edge_f;

always_ff @(posedge clk_i) begin
  if (commanded && (cmd_op_q == tally_edge_pkg::TimerStart ||
                    (cmd_op_q == tally_edge_pkg::TimerArm && !running_q))) begin
    running_q <= 1'b1;
    due_q <= now_i + order_f.rto;
    tries_q <= '0;
  end else if (commanded && cmd_op_q != tally_edge_pkg::TimerArm) begin
    running_q <= 1'b0;
  end else if (fired) begin
    running_q <= tries_q < order_f.limit;
    due_q <= now_i + wait_time;
    tries_q <= tries_q + 1'b1;
  end
  if (!started_q) running_q <= 1'b0;
end

// State of the timer in the tables, once its row has been written after the reset. The first
// command of an edge says that it is.
logic stopped_q = 1'b0;
logic turn, table_running, is_due;
logic [TimeW-1:0] since;
logic [Edges-1:0] named_q = '0;  // edges that have had a command, in cmd_valid_i
logic [Edges-1:0] known_q = '0;  // the command has been carried out
always_ff @(posedge clk_i) begin
  if (commanded) stopped_q <= 1'b1;
  for (int unsigned i = 0; i < Edges; i++) begin
    if (started_q && cmd_valid_i && cmd_edge_i == EdgeW'(i)) named_q[i] <= 1'b1;
    if (started_q && cmd_valid_q && cmd_edge_q == EdgeW'(i)) known_q[i] <= 1'b1;
  end
end
always_comb if (cmd_valid_i) begin
  assume (cmd_fresh_i == !named_q[cmd_edge_i]);
  assume (!cmd_fresh_i || cmd_op_i == tally_edge_pkg::TimerConfig);
end
assign turn = order_f.turn != state_f.turn;
assign table_running = turn ? order_f.running : state_f.running;
assign since = now_i - due_q;
assign is_due = running_q && !since[TimeW-1];

// The list. holds_f: the search has an edge of it.
logic holds_f, listed_f;
logic [2**EdgeW-1:0] used_f, here_f;
logic [EdgeW-1:0] between_f;
assign holds_f = search_q == Row || search_q == Act;
assign listed_f = order_f.listed != state_f.listed;
assign between_f = tail_q - head_q;
always_comb begin
  for (int unsigned i = 0; i < 2 ** EdgeW; i++) begin
    used_f[i] = {1'b0, EdgeW'(i) - head_q} < count_q;
    here_f[i] = used_f[i] && list_q[i] == edge_f;
  end
end

logic was_ready_q = 1'b0;
always_ff @(posedge clk_i) was_ready_q <= started_q && cmd_valid_i;

always_comb begin
  if (started_q) begin
    if (cmd_valid_q) begin
      assert (cmd_order == orders_q[cmd_edge_q] && cmd_state == states_q[cmd_edge_q] &&
              cmd_edge_q < Edges);
    end
    if (search_q == Act) begin
      assert (scan_order == orders_q[scan_edge] && scan_state == states_q[scan_edge]);
    end
    assert (cmd_valid_q == was_ready_q && stopped_q == known_q[edge_f]);
    if (cmd_valid_q) assert (named_q[cmd_edge_q] && cmd_fresh_q == !known_q[cmd_edge_q]);
    if (cmd_valid_q && cmd_fresh_q) assert (cmd_op_q == tally_edge_pkg::TimerConfig);
    for (int unsigned i = 0; i < Edges; i++) begin
      assert (named_q[i] == (known_q[i] || (cmd_valid_q && cmd_edge_q == EdgeW'(i))));
    end
    if (stopped_q) assert (table_running == running_q);
    if (stopped_q && running_q) assert (due_q == (turn ? order_f.due : state_f.due));
    if (stopped_q && running_q) assert (tries_q == (turn ? '0 : state_f.tries));
    // An expiry is due and has the right count.
    if (fired) assert (is_due && (!commanded || cmd_op_q == tally_edge_pkg::TimerArm));
    if (fired) assert (retries == tries_q + 1'b1 && over == (tries_q >= order_f.limit));
    if (fired) assert (wait_time <= order_f.cap);
    // The list.
    assert (count_q[EdgeW-1:0] == between_f && 32'(count_q) + 32'(holds_f) <= Edges);
    for (int unsigned i = 0; i < 2 ** EdgeW; i++) begin
      if (used_f[i]) assert (list_q[i] < Edges && !(holds_f && list_q[i] == first_edge_q));
      if (used_f[i]) assert (known_q[list_q[i]]);
      for (int unsigned k = 0; k < i; k++) begin
        if (used_f[i] && used_f[k]) assert (list_q[i] != list_q[k]);
      end
    end
    if (holds_f) assert (first_edge_q < Edges && known_q[first_edge_q]);
    if (!stopped_q) assert (!running_q);
    if (stopped_q) assert (listed_f == (here_f != '0 || (holds_f && first_edge_q == edge_f)));
    if (running_q) assert (listed_f && deadline_valid_o);
    cover (fired && over && tries_q == TriesW'(1));
    cover (is_due && commanded && search_q == Act && scan_edge == edge_f);
    cover (32'(count_q) + 32'(holds_f) == Edges);
    cover (count_q == '0 && !holds_f && tries_q == TriesW'(2));
  end
end

logic offered_q = 1'b0;
logic [EdgeW+TriesW:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && expired_valid_o && !expired_ready_i;
  offer_q <= {expired_edge_o, expired_tries_o, expired_over_o};
end
always_comb if (offered_q) assert (expired_valid_o &&
                                   {expired_edge_o, expired_tries_o, expired_over_o} == offer_q);
