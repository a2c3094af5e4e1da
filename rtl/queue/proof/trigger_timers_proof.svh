// SPDX-License-Identifier: BSD-2-Clause
// The proof follows one descriptor. It is told of only when it waits and its time is over. While
// the block is not busy, the deadline is not later than its time, unless it waits for none. What is
// over is told within some clocks, if nothing changes and nobody makes it wait.
`include "tally_proof.svh"

(* anyconst *) logic [DescW-1:0] desc_f;
logic runs_f_q = 1'b0, lacks_f_q = 1'b0, offers_q = 1'b0;
logic [TimeW-1:0] since_f_q, limit_f_q, now_last_q, due_f;
logic [3:0] late_q = '0;
assign due_f = since_f_q + (TimeW'(limit_f_q[TimeW-1:3]) << 2) +
               (lacks_f_q ? '0 : TimeW'(limit_f_q[TimeW-1:3]) << 1);
always_ff @(posedge clk_i) begin
  now_last_q <= now_i;
  if (starts_q && desc_q == desc_f) begin
    runs_f_q <= !never;
    lacks_f_q <= 1'b0;
    since_f_q <= since_q;
    limit_f_q <= limit;
  end
  if (lacks_valid_i && lacks_desc_i == desc_f) lacks_f_q <= 1'b1;
  if (fired_valid_i && fired_desc_i == desc_f) lacks_f_q <= 1'b0;
  if (stop_valid_i && stop_desc_i == desc_f) runs_f_q <= 1'b0;
  if (takes && expired_desc_o == desc_f) begin
    if (expired_lacks_o) lacks_f_q <= 1'b0;
    else runs_f_q <= 1'b0;
  end
  if (!started_q) runs_f_q <= 1'b0;
  late_q <= started_q && runs_f_q && due_f <= now_i && !changes && !takes && expired_ready_i ?
            late_q + 1'b1 : '0;
  offers_q <= started_q && expired_valid_o;
end

always_comb begin
  assume (32'(desc_f) < Descs && start_ms_i == '0);
  assume (32'(start_desc_i) < Descs && 32'(lacks_desc_i) < Descs && 32'(fired_desc_i) < Descs &&
          32'(stop_desc_i) < Descs);
  if (started_q) assume (now_i >= now_last_q);
  // No descriptor starts that has not ended, and those that lack or have fired wait.
  if (start_valid_i) assume (!runs_q[start_desc_i] && !stop_valid_i &&
                             !(expired_valid_o && expired_desc_o == start_desc_i));
  if (starts_q) assume (!lacks_valid_i && !fired_valid_i && !stop_valid_i);
  // A time does not wrap.
  if (starts_q) assume (!never && since_q <= TimeW'(16) && limit <= TimeW'(64));
  assume (now_i <= TimeW'(120));
  if (started_q) begin
    assert (runs_f_q == runs_q[desc_f]);
    if (runs_f_q) assert (lacks_f_q == lacks_q[desc_f]);
    if (expired_valid_o && !offers_q && expired_desc_o == desc_f) begin
      assert (runs_f_q && due_f <= now_i);
    end
    if (!busy_o && runs_f_q) assert (deadline_valid_o && deadline_o <= due_f);
    assert (late_q < 4'd12);
    cover (expired_valid_o && expired_lacks_o);
    cover (expired_valid_o && !expired_lacks_o && offers_q);
    cover (!busy_o && runs_f_q && deadline_o == due_f);
  end
end
