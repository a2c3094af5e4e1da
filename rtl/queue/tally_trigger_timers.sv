// SPDX-License-Identifier: BSD-2-Clause
// Time limits of descriptors (limit_of() and wr_timeout_expire() of sim/engine/wr_timeout.c).
//
// group_*: the firmware writes the limit of a group in picoseconds, all ones if it has none.
// start_*: a descriptor waits since this time; its limit is that of its group, or its own in
// milliseconds, if that is less and not 0. It may wait for six eighths of its limit. lacks_*: it
// lacks messages only, and may wait for four. fired_*: it has what it waits for, six apply again.
// stop_*: it has ended. These three are pulses. expired_*: its time is over; expired_lacks_o:
// because four eighths are. The former is told once for a descriptor, the latter once for each
// lacks_*. The offer is withdrawn if the descriptor fires or ends before.
//
// now_i, deadline_*: the time in picoseconds, and when something becomes due. The clock may stop
// until then while busy_o is low. Nothing is due without a deadline.
//
// Time: start_* is taken every second clock. What is due is told within as many clocks as there are
// descriptors, and four for each that is told before.
module tally_trigger_timers #(
  parameter int unsigned Descs = 256,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned TimeW = 64,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,
  input  logic [TimeW-1:0]  now_i,
  output logic              deadline_valid_o,
  output logic [TimeW-1:0]  deadline_o,

  input  logic              group_write_i,
  input  logic [GroupW-1:0] group_index_i,
  input  logic [TimeW-1:0]  group_limit_i,

  input  logic              start_valid_i,
  output logic              start_ready_o,
  input  logic [DescW-1:0]  start_desc_i,
  input  logic [GroupW-1:0] start_group_i,
  input  logic [TimeW-1:0]  start_since_i,
  input  logic [31:0]       start_ms_i,
  input  logic              lacks_valid_i,
  input  logic [DescW-1:0]  lacks_desc_i,
  input  logic              fired_valid_i,
  input  logic [DescW-1:0]  fired_desc_i,
  input  logic              stop_valid_i,
  input  logic [DescW-1:0]  stop_desc_i,

  output logic              expired_valid_o,
  input  logic              expired_ready_i,
  output logic [DescW-1:0]  expired_desc_o,
  output logic              expired_lacks_o
);
  localparam int unsigned EighthW = TimeW - 3;
  localparam int unsigned RowW = TimeW + EighthW;
  localparam int unsigned LeftW = $clog2(Descs + 3);
  localparam logic [LeftW-1:0] Pass = LeftW'(Descs + 2);
  localparam logic [DescW-1:0] LastDesc = DescW'(Descs - 1);
  localparam logic [TimeW-1:0] Millisecond = TimeW'(64'd1_000_000_000);
  localparam logic [TimeW-1:0] Never = {TimeW{1'b1}};

  // ---- A start takes two clocks ----
  logic [TimeW-1:0] limit_mem_q [Groups];
  logic [RowW-1:0] row_mem_q [Descs];
  logic [TimeW-1:0] limit_q, own_q, since_q, limit;
  logic [RowW-1:0] row_new;
  logic [DescW-1:0] desc_q;
  logic starts, starts_q, has_own_q, never;
  assign start_ready_o = !starts_q;
  assign starts = start_valid_i && start_ready_o;
  assign limit = has_own_q && own_q < limit_q ? own_q : limit_q;
  assign never = limit == Never;
  assign row_new = {since_q, limit[TimeW-1:3]};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) starts_q <= 1'b0;
    else starts_q <= starts;
  end
  always_ff @(posedge clk_i) begin
    if (group_write_i) limit_mem_q[group_index_i] <= group_limit_i;
    limit_q <= limit_mem_q[start_group_i];
    own_q <= TimeW'(start_ms_i) * Millisecond;
    has_own_q <= start_ms_i != '0;
    since_q <= start_since_i;
    desc_q <= start_desc_i;
    if (starts_q) row_mem_q[desc_q] <= row_new;
  end

  // ---- One descriptor after the other is looked at: a clock to read its row, and one for it ----
  logic [Descs-1:0] runs_q, lacks_q;
  logic [DescW-1:0] next_q, at_q;
  logic [RowW-1:0] row_q;
  logic [TimeW-1:0] since, due;
  logic [EighthW-1:0] eighth;
  logic [LeftW-1:0] left_q;
  logic valid_q, moves, changes, runs, lacks, is_due, takes, offered_ends, again;
  assign changes = starts_q || lacks_valid_i || fired_valid_i || stop_valid_i;
  assign takes = expired_valid_o && expired_ready_i;
  // A descriptor that is told of must not be looked at before what it is told for has changed.
  assign moves = left_q != '0 && !(is_due || expired_valid_o);
  assign {since, eighth} = row_q;
  assign runs = valid_q && runs_q[at_q];
  assign lacks = lacks_q[at_q];
  assign due = since + (TimeW'(eighth) << 2) + (lacks ? '0 : TimeW'(eighth) << 1);
  assign is_due = runs && due <= now_i && !expired_valid_o;
  always_ff @(posedge clk_i) begin
    if (moves) begin
      row_q <= row_mem_q[next_q];
      at_q <= next_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
      valid_q <= 1'b0;
      runs_q <= '0;
      lacks_q <= '0;
    end else begin
      if (moves) next_q <= next_q == LastDesc ? '0 : next_q + 1'b1;
      // A row that is written while it is read is looked at in the next pass.
      valid_q <= moves && !(starts_q && desc_q == next_q);
      for (int unsigned i = 0; i < Descs; i++) begin
        if (starts_q && desc_q == DescW'(i)) begin
          runs_q[i] <= !never;
          lacks_q[i] <= 1'b0;
        end
        if (lacks_valid_i && lacks_desc_i == DescW'(i)) lacks_q[i] <= 1'b1;
        if (fired_valid_i && fired_desc_i == DescW'(i)) lacks_q[i] <= 1'b0;
        if (stop_valid_i && stop_desc_i == DescW'(i)) runs_q[i] <= 1'b0;
        if (takes && expired_desc_o == DescW'(i)) begin
          if (expired_lacks_o) lacks_q[i] <= 1'b0;
          else runs_q[i] <= 1'b0;
        end
      end
    end
  end

  // ---- The earliest time of a pass that follows the last change ----
  logic first_valid_q;
  logic [TimeW-1:0] first_q;
  assign again = left_q == '0 && first_valid_q && first_q <= now_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      first_valid_q <= 1'b0;
    end else begin
      if (changes || takes || again) begin
        left_q <= Pass;
        first_valid_q <= 1'b0;
      end else begin
        if (moves) left_q <= left_q - 1'b1;
        if (runs && !is_due) first_valid_q <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (runs && (!first_valid_q || due < first_q)) first_q <= due;
  end
  assign deadline_valid_o = first_valid_q;
  assign deadline_o = first_q;
  assign busy_o = left_q != '0 || starts_q || expired_valid_o || again;

  // ---- What is told ----
  assign offered_ends = (stop_valid_i && stop_desc_i == expired_desc_o) ||
                        (fired_valid_i && fired_desc_i == expired_desc_o && expired_lacks_o);
  logic told_ends;
  assign told_ends = (stop_valid_i && stop_desc_i == at_q) ||
                     (fired_valid_i && fired_desc_i == at_q && lacks);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) expired_valid_o <= 1'b0;
    else if (expired_valid_o) expired_valid_o <= !expired_ready_i && !offered_ends;
    else expired_valid_o <= is_due && !told_ends;
  end
  always_ff @(posedge clk_i) begin
    if (!expired_valid_o) begin
      expired_desc_o <= at_q;
      expired_lacks_o <= lacks;
    end
  end

`ifdef FORMAL
  `include "trigger_timers_proof.svh"
`endif
endmodule
