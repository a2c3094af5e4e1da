// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary timer becomes an event only while it runs and its time is over. While the block is
// not busy, the deadline is not later than its time. An event stays until it is taken, and no write
// or stop is taken before that.
`include "tally_proof.svh"

(* anyconst *) logic [ContextW-1:0] context_f;
(* anyconst *) logic [EdgeW-1:0] edge_f;
(* anyconst *) logic [RowW-1:0] row_f;
logic [TimeW-1:0] time_f_q = Never, now_last_q;
logic [LifeW-1:0] stops_q = '0;  // of all edges
logic held_q = 1'b0;
logic [15:0] held_context_q;
logic [7:0] held_edge_q;
logic own_f, writes_f, stops_f, tells_f, is_row;
logic [KeyW-1:0] key_f;
assign own_f = edge_f == None;
assign is_row = !own_f && 32'(context_f) < Groups;
assign key_f = own_f ? KeyW'(context_f) : is_row ? KeyW'(Contexts) + KeyW'(row_f) :
               KeyW'(Contexts + Rows) + KeyW'(32'(context_f) - Groups) * KeyW'(EdgesOf) +
               KeyW'(edge_f);
assign writes_f = state_q == StWrite && key_q == key_f;
assign stops_f = takes_stop && stop_context_i == context_f &&
    (own_f ? stop_i == tally_fw_timers_pkg::StopOwn || stop_i == tally_fw_timers_pkg::StopAll :
     stop_i == tally_fw_timers_pkg::StopEdges || stop_i == tally_fw_timers_pkg::StopAll ||
     (stop_i == tally_fw_timers_pkg::StopEdge && stop_edge_i == edge_f));
assign tells_f = tmr_valid_o && tmr_context_o == 16'(context_f) &&
                 tmr_edge_o == (own_f ? 8'(tally_fw_pkg::NoEdge) : 8'(edge_f));

always_ff @(posedge clk_i) begin
  now_last_q <= now_i;
  if (started_q) begin
    if (writes_f) time_f_q <= time_new;
    else if (stops_f) time_f_q <= Never;
    else if (tells_f && tmr_ready_i) time_f_q <= tmr_found_i ? Never : now_i + Again;
    if (takes_stop && stop_i[1]) stops_q <= stops_q + 1'b1;
  end
  held_q <= started_q && tmr_valid_o && !tmr_ready_i;
  held_context_q <= tmr_context_o;
  held_edge_q <= tmr_edge_o;
end

always_comb begin
  assume (32'(context_f) < Contexts && (own_f || 32'(edge_f) < EdgesOf) && 32'(row_f) < Rows);
  assume (32'(stop_context_i) < Contexts && 32'(stop_edge_i) < EdgesOf);
  if (write_valid_i) assume (mine_o);
  // Rows are those of their edges: no other edge has row_f.
  if (is_row && takes && side == 2'd0 && of_edge && 32'(context_of) < Groups) begin
    assume ((row_i == row_f) == (context_of == context_f && edge_of == edge_f));
  end
  if (is_row && takes_stop && stop_i == tally_fw_timers_pkg::StopEdge &&
      32'(stop_context_i) < Groups) begin
    assume ((stop_row_i == row_f) == (stop_context_i == context_f && stop_edge_i == edge_f));
  end
  if (started_q) assume (now_i >= now_last_q);
  assume (now_i < TimeW'(64'd1) << (TimeW - 1));
  assume (stops_q != {LifeW{1'b1}});  // no life comes again
  if (started_q) begin
    if (tells_f) assert (time_f_q <= now_i);
    if (!busy_o && time_f_q != Never) begin
      assert (deadline_valid_o && deadline_o <= time_f_q && time_f_q > now_i);
    end
    if (held_q) assert (tmr_valid_o && tmr_context_o == held_context_q &&
                        tmr_edge_o == held_edge_q);
    if (tmr_valid_o) assert (!write_ready_o && !stop_ready_o);
    cover (tells_f && !own_f && tmr_ready_i && !tmr_found_i);
    cover (state_q == StLook && !goes_on);
  end
end
