// SPDX-License-Identifier: BSD-2-Clause
// A grant goes to one requester at a time, which is asking. It stays until it is taken, provided
// that the requester keeps asking. An arbitrary requester that keeps asking is granted after at
// most Num - 1 grants of others.
`include "tally_proof.svh"

(* anyconst *) logic [IndexW-1:0] who;
logic stays_q = 1'b0;
logic [IndexW-1:0] stay_q;
logic taken, asks, ready;
logic [Num-1:0] who_bit, stay_bit, grant_bit;
assign who_bit = Num'(1) << who;
assign stay_bit = Num'(1) << stay_q;
assign grant_bit = Num'(1) << grant_o;
assign asks = (request_valid_i & who_bit) != '0;
assign ready = (request_ready_o & who_bit) != '0;
assign taken = grant_valid_o && grant_ready_i;

logic [IndexW:0] others_q;  // grants of others since the requester asks
logic [IndexW:0] between;   // requesters that may be granted before it
always_ff @(posedge clk_i) begin
  stays_q <= started_q && grant_valid_o && !grant_ready_i;
  stay_q <= grant_o;
  if (!started_q || !asks || ready) others_q <= '0;
  else if (taken) others_q <= others_q + 1'b1;
end

always_comb begin
  assume (who < Num);
  if (stays_q) assume ((request_valid_i & stay_bit) != '0);
end

// Requester that was granted last, as after_q has it; initially Num - 1, so that the search begins
// with requester 0.
logic [IndexW:0] last_q;
always_ff @(posedge clk_i) begin
  if (!started_q) last_q <= (IndexW + 1)'(Num - 1);
  else if (taken) last_q <= {1'b0, grant_o};
end
assign between = {1'b0, who} > last_q ? {1'b0, who} - last_q - 1'b1 :
                 {1'b0, who} + (IndexW + 1)'(Num - 1) - last_q;

always_comb begin
  if (started_q) begin
    assert (last_q < (IndexW + 1)'(Num));
    assert (((after_q & who_bit) != '0) == ({1'b0, who} > last_q));
    assert (waits_q == stays_q);
    if (waits_q) assert (stay_q == grant_o && grant_valid_o);
    assert (grant_valid_o == (request_valid_i != '0));
    if (grant_valid_o) assert (grant_o < Num && (request_valid_i & grant_bit) != '0);
    assert (ready == (taken && grant_o == who));
    assert ((request_ready_o & (request_ready_o - 1'b1)) == '0);
    assert (others_q + between < (IndexW + 1)'(Num));
    cover (others_q == (IndexW + 1)'(Num - 1) && ready);
    cover (waits_q && taken && grant_o == who);
  end
end
