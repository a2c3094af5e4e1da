// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary EQ: its events go to their places in order, each once, and none
// overwrites an event that the consumer has not read. Those that are asked for use half of it at
// most; one is given back only if half is used or others come first, and is not written then. The
// device stops for a queue without room or a write that failed, and for nothing else. There is one
// interrupt for each write that was answered without an error. A queue is configured when no write
// is outstanding.
`include "tally_proof.svh"

(* anyconst *) logic [EqnW-1:0] followed;

// writes that are not answered; interrupts that have not left
logic [4:0] owed_q, good_q;
logic cfg_waits_q, wr_waits_q;
logic [RingW+AddrW+LogW+VectorW+EqnW:0] cfg_q, cfg_now;
logic [AddrW+EqeW-1:0] wr_was_q;
assign cfg_now = {cfg_ring_i, cfg_first_i, cfg_log_depth_i, cfg_vector_i, cfg_eqn_i, cfg_enable_i};

logic mine, on_q, cause_q;
logic [LogW-1:0] log_q;
logic [AddrW-1:0] first_q;
logic [CountW-1:0] writes_q, reads_q, ring;
assign mine = eqn_q == followed;
assign ring = CountW'(1) << log_q;

always_ff @(posedge clk_i) begin
  cfg_waits_q <= started_q && cfg_valid_i && !cfg_ready_o;
  cfg_q <= cfg_now;
  wr_waits_q <= started_q && wr_valid_o && !wr_ready_i;
  wr_was_q <= {wr_start_o, wr_data_o};
  if (!started_q) begin
    owed_q <= '0;
    good_q <= '0;
    on_q <= 1'b0;
    cause_q <= 1'b0;
    writes_q <= '0;
    reads_q <= '0;
  end else begin
    owed_q <= owed_q + 5'(wr_valid_o && wr_ready_i) - 5'(done_valid_i && done_ready_o);
    good_q <= good_q + 5'(done_valid_i && done_ready_o && !done_error_i) -
        5'(irq_valid_o && irq_ready_i);
    if ((done_valid_i && done_ready_o && done_error_i) || overrun) cause_q <= 1'b1;
    if (cfg_ready_o && mine) begin
      on_q <= cfg_enable_i;
      log_q <= cfg_log_depth_i;
      first_q <= cfg_first_i;
      writes_q <= '0;
      reads_q <= '0;
    end else begin
      if (place && mine) writes_q <= writes_q + 1'b1;
      if (exec && mine && op_q == OpDoorbell && count_q - reads_q <= writes_q - reads_q)
        reads_q <= count_q;
    end
  end
end

always_comb begin
  if (started_q) begin
    assume (!done_valid_i || owed_q != '0);
    if (cfg_valid_i) assume (32'(cfg_log_depth_i) <= $clog2(MaxDepth));
    if (cfg_waits_q) assume (cfg_valid_i && cfg_now == cfg_q);
    if (place && mine) begin
      assert (on_q && writes_q - reads_q < ring);
      if (asked_q) assert (!behind_q && writes_q - reads_q < ring - (ring >> 1));
      assert (start_of == first_q + AddrW'({writes_q & (ring - 1'b1), {EntryW{1'b0}}}));
      assert (eqe.owner == ((writes_q & ring) == '0 ? tally_pkg::OwnerPhase : 8'h0));
    end
    if (overrun && mine) assert (on_q && !asked_q && writes_q - reads_q >= ring);
    if (refused_o && mine) begin
      assert (on_q && asked_q && freed_o == (writes_q - reads_q < ring - (ring >> 1)));
      assert (behind_q || !freed_o);
    end
    if (freed_o) assert (refused_o || op_q == OpDoorbell);
    assert (32'(place) + 32'(overrun) + 32'(refused_o) <= 1);
    assert (event_here == (place || overrun || refused_o));
    if (exec && mine && op_q == OpDoorbell) begin
      assert (freed_o == (count_q != reads_q && count_q - reads_q <= writes_q - reads_q));
    end
    cover (refused_o && !freed_o);
    cover (refused_o && freed_o);
    assert (stopped == cause_q);
    assert (irq_valid_o == (good_q != '0));
    if (cfg_ready_o) assert (owed_q == '0 && !wr_valid_o);
    if (wr_waits_q) assert (wr_valid_o && {wr_start_o, wr_data_o} == wr_was_q);
    cover (irq_valid_o && writes_q == CountW'(2));
    cover (stopped && place);
  end
end
