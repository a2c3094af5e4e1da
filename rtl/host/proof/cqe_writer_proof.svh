// SPDX-License-Identifier: BSD-2-Clause
// The port keeps the rules of AXI. The proof follows an arbitrary CQ: its entries go to their places in order, each
// once, and none overwrites an entry that the consumer has not read. An overrun raises one error, after which nothing
// is written.
`include "tally_proof.svh"

(* anyconst *) logic [CqnW-1:0] followed;
(* anyconst *) logic [AddrW-1:0] base;

// ---- Behaviour of the engine and the memory ----
logic [BusyW:0] owed_q = '0;  // writes that the memory has not answered
always_ff @(posedge clk_i) begin
  if (started_q) owed_q <= owed_q + (BusyW + 1)'(wvalid_o && wready_i) - (BusyW + 1)'(bvalid_i);
end

logic mine, mine_is_written, mine_lost;
assign mine = req_cqn_q == followed;
assign mine_is_written = write && mine;
assign mine_lost = lost && mine;

logic begun_q = 1'b0;   // the followed CQ has been configured once
logic over_q = 1'b0;    // an entry was lost, or a write failed
logic [1:0] errors_q = '0;
logic [LogW-1:0] log_q;
logic [CountW-1:0] writes_q, reads_q;
logic mine_failed;
assign mine_failed = bvalid_i && bresp_i != 2'b00 && b_cqn == followed;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (cfg && cfg_cqn_i == followed) begin
      begun_q <= 1'b1;
      log_q <= cfg_log_depth_i;
      writes_q <= '0;
      reads_q <= '0;
    end else begin
      if (mine_is_written) writes_q <= writes_q + 1'b1;
      if (begun_q && db_valid_i && db_cqn_i == followed && db_count_i - reads_q <= writes_q - reads_q)
        reads_q <= db_count_i;
    end
    if (begun_q && (mine_lost || mine_failed)) over_q <= 1'b1;
    if (event_valid_o && event_ready_i && event_cqn_o == followed && event_type_o == tally_pkg::EqeCqError)
      errors_q <= errors_q + 1'b1;
  end
end

always_comb begin
  assume (base[5:0] == '0);
  if (started_q) begin
    assume (!bvalid_i || owed_q != '0);
    if (cfg_valid_i) assume (32'(cfg_log_depth_i) <= $clog2(MaxDepth));
    if (cfg_valid_i && cfg_cqn_i == followed) assume (!begun_q && cfg_enable_i && cfg_base_i == base);
  end
end

// ---- Properties of the block ----
logic [CountW-1:0] ring;
assign ring = CountW'(1) << log_q;

always_comb begin
  if (started_q) begin
    assert (order_room || order_used == BusyW'(Outstanding));
    assert (!bvalid_i || order_valid);
    if (mine_is_written) begin
      assert (begun_q && !over_q);
      // The entry there has been read by the consumer.
      assert (writes_q - reads_q < ring);
      assert (req_addr == base + AddrW'({writes_q & (ring - 1'b1), 6'b0}));
      assert (filled.owner == ((writes_q & ring) == '0 ? tally_pkg::OwnerPhase : 8'h0));
    end
    if (begun_q && req_go && mine) assert (mine_lost == (over_q || writes_q - reads_q >= ring));
    assert (errors_q <= 2'(over_q));
    cover (errors_q == 2'd1);
    cover (begun_q && writes_q == CountW'(3));
  end
end

// AXI: data come after their address, each address gets its data, and an offer stays until it is taken.
logic [LeadW+1:0] ahead_q = '0;
always_ff @(posedge clk_i) begin
  if (started_q) ahead_q <= ahead_q + (LeadW + 2)'(awvalid_o && awready_i) - (LeadW + 2)'(wvalid_o && wready_i);
end
logic was_q = 1'b0, aw_waits_q, w_waits_q, event_waits_q;
logic [AddrW-1:0] awaddr_was_q;
logic [7:0] owner_was_q;
logic [EqnW+CqnW+7:0] event_was_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  aw_waits_q <= awvalid_o && !awready_i;
  w_waits_q <= wvalid_o && !wready_i;
  event_waits_q <= event_valid_o && !event_ready_i;
  awaddr_was_q <= awaddr_o;
  owner_was_q <= wdata_o[511:504];
  event_was_q <= {event_eqn_o, event_cqn_o, event_type_o};
end
always_comb begin
  if (started_q) begin
    assert (!wvalid_o || ahead_q != '0);
    assert (ahead_q <= (LeadW + 2)'(AxiDepth));
    assert (bready_o);
  end
  if (was_q) begin
    if (aw_waits_q) assert (awvalid_o && awaddr_o == awaddr_was_q);
    if (w_waits_q) assert (wvalid_o && wdata_o[511:504] == owner_was_q);
    if (event_waits_q) assert (event_valid_o && {event_eqn_o, event_cqn_o, event_type_o} == event_was_q);
  end
end
