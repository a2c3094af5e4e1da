// SPDX-License-Identifier: BSD-2-Clause
// The proof tracks, for each cell, its tree and the inputs that its payload combines. Each input
// takes part once. Of two operands, the left one covers the lower half of an aligned block of
// inputs, and the right one the upper half. The result covers all inputs with data, and comes once.
// Each cell is given back once. The data are left to the bench.
`include "tally_proof.svh"

localparam int unsigned Range = 2**InputW;  // number of inputs, rounded up to a power of two

// ---- Behaviour of the engine ----
logic [Trees-1:0] open_q, clearing_q;
logic [Trees-1:0][Range-1:0] given_q, absent_q, all_q;
logic [2**CellW-1:0] inside_q;
logic [2**CellW-1:0][SlotW-1:0] owner_q;
logic [2**CellW-1:0][Range-1:0] covers_q;
initial open_q = '0;
initial clearing_q = '0;
initial inside_q = '0;

logic res_fire, free_fire;
logic [Range-1:0] in_bit, open_all;
always_comb begin
  for (int unsigned i = 0; i < Range; i++) begin
    open_all[i] = i < 32'(open_num_i);
    in_bit[i] = i == 32'(in_input_i);
  end
end
assign res_fire = res_valid_o && res_ready_i;
assign free_fire = free_valid_o && free_ready_i;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (job_push) covers_q[job_new.left] <= covers_q[job_new.left] | covers_q[job_new.right];
    for (int unsigned s = 0; s < Trees; s++) begin
      if (open && open_slot_i == SlotW'(s)) begin
        given_q[s] <= {Range{1'b0}};
        absent_q[s] <= {Range{1'b0}};
        all_q[s] <= open_all;
      end else if (take_in && in_slot_i == SlotW'(s)) begin
        given_q[s] <= given_q[s] | in_bit;
        absent_q[s] <= absent_q[s] | (in_absent_i ? in_bit : {Range{1'b0}});
      end
    end
    if (take_in && !in_absent_i) begin
      inside_q[in_cell_i] <= 1'b1;
      owner_q[in_cell_i] <= in_slot_i;
      covers_q[in_cell_i] <= in_bit;
    end
    if (free_fire) inside_q[free_cell_o] <= 1'b0;
    if (res_fire) begin
      open_q[res_slot_o] <= 1'b0;
      if (!res_absent_o) inside_q[res_cell_o] <= 1'b0;
    end
    if (clear_valid_i) clearing_q[clear_slot_i] <= 1'b1;
    if (clear_valid_i && clear_ready_o) begin
      clearing_q[clear_slot_i] <= 1'b0;
      open_q[clear_slot_i] <= 1'b0;
    end
    if (open) open_q[open_slot_i] <= 1'b1;
  end
end

logic clear_waits_q = 1'b0;
logic [SlotW-1:0] clear_slot_was_q;
always_ff @(posedge clk_i) begin
  clear_waits_q <= started_q && clear_valid_i && !clear_ready_o;
  clear_slot_was_q <= clear_slot_i;
end

always_comb begin
  assume (32'(open_slot_i) < Slots && 32'(in_slot_i) < Slots && 32'(clear_slot_i) < Slots);
  if (started_q) begin
    if (open_valid_i) begin
      assume (!open_q[open_slot_i] && !clearing_q[open_slot_i]);
      assume (!(clear_valid_i && clear_slot_i == open_slot_i));
      assume (open_num_i != '0 && 32'(open_num_i) <= Inputs);
      assume (open_len_i != '0 && 32'(open_len_i) <= Words * Bytes);
    end
    if (in_valid_i) begin
      assume (open_q[in_slot_i] && !clearing_q[in_slot_i] && 32'(in_cell_i) < Cells);
      assume ((all_q[in_slot_i] & ~given_q[in_slot_i] & in_bit) != '0);
      assume (in_absent_i || !inside_q[in_cell_i]);
    end
    if (clear_waits_q) assume (clear_valid_i && clear_slot_i == clear_slot_was_q);
  end
end

// ---- Behaviour of the memory and the ALU ----
logic [AluLatency-1:0] alu_busy_q = '0;
logic [AluLatency-1:0][TagW-1:0] alu_held_q;
always_ff @(posedge clk_i) begin
  if (started_q) begin
    alu_busy_q <= AluLatency'({alu_busy_q, alu_valid_o});
    alu_held_q <= (AluLatency * TagW)'({alu_held_q, alu_tag_o});
  end
end
always_comb begin
  assume (alu_valid_i == alu_busy_q[AluLatency-1]);
  assume (alu_tag_i == alu_held_q[AluLatency-1]);
  assume (!rdata_valid_i || asked_used != '0);
end

// ---- Properties of the block ----
logic [Range-1:0] block_lower, block_upper;
always_comb begin
  for (int unsigned i = 0; i < Range; i++) begin
    block_lower[i] = i >= 32'(job_new.node) && i < 32'(job_new.node) + 32'(level_bit);
    block_upper[i] = i >= 32'(job_new.node) + 32'(level_bit) &&
                     i < 32'(job_new.node) + 2 * 32'(level_bit);
  end
end

always_comb begin
  if (started_q) begin
    assert (!job_push || job_ready);
    assert (!run_push || run_ready);
    assert (!rd_fire || asked_ready);
    assert (!alu_valid_i || out_ready);
    assert (!take_done || run_valid);
    if (job_push) begin
      assert (job_new.left != job_new.right && inside_q[job_new.left] && inside_q[job_new.right]);
      assert (owner_q[job_new.left] == job_new.slot && owner_q[job_new.right] == job_new.slot);
      assert (covers_q[job_new.left] != '0 && covers_q[job_new.right] != '0);
      assert ((covers_q[job_new.left] & ~block_lower) == '0);
      assert ((covers_q[job_new.right] & ~block_upper) == '0);
    end
    if (free_valid_o) assert (inside_q[free_cell_o]);
    if (rd_valid_o) assert (inside_q[rd_left_o] && inside_q[rd_right_o] && rd_left_o != rd_right_o);
    if (wr_valid_o) assert (inside_q[wr_cell_o]);
    if (res_valid_o) begin
      assert (open_q[res_slot_o]);
      assert (given_q[res_slot_o] == all_q[res_slot_o]);
      assert (res_absent_o == (absent_q[res_slot_o] == all_q[res_slot_o]));
      if (!res_absent_o) begin
        assert (inside_q[res_cell_o] && owner_q[res_cell_o] == res_slot_o);
        assert (covers_q[res_cell_o] == (all_q[res_slot_o] & ~absent_q[res_slot_o]));
      end
      // No other cell of that tree remains.
      for (int unsigned c = 0; c < Cells; c++) begin
        if (inside_q[c] && owner_q[c] == res_slot_o && (res_absent_o || res_cell_o != CellW'(c)))
          assert (free_valid_o && free_cell_o == CellW'(c));
      end
    end
    if (clear_ready_o) begin
      for (int unsigned c = 0; c < Cells; c++) begin
        assert (!(inside_q[c] && owner_q[c] == clear_slot_i));
      end
    end
    // When no job is in progress, no open tree has all its inputs.
    for (int unsigned s = 0; s < Trees; s++) begin
      if (jobs_q == '0 && open_q[s] && !clearing_q[s] && !open) assert (given_q[s] != all_q[s]);
    end
    cover (res_valid_o && !res_absent_o && absent_q[res_slot_o] == '0 &&
           (all_q[res_slot_o] >> (Inputs - 1)) != '0);
    cover (clear_ready_o);
  end
end

// An offer stays, unchanged, until it is taken.
logic was_q = 1'b0, res_waits_q, free_waits_q, rd_waits_q, wr_waits_q;
logic [SlotW+CellW:0] res_was_q;
logic [CellW-1:0] free_was_q;
logic [2*CellW+WordNumW-1:0] rd_was_q;
logic [CellW+WordNumW+WordW-1:0] wr_was_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  res_waits_q <= res_valid_o && !res_ready_i;
  free_waits_q <= free_valid_o && !free_ready_i;
  rd_waits_q <= rd_valid_o && !rd_ready_i;
  wr_waits_q <= wr_valid_o && !wr_ready_i;
  res_was_q <= {res_slot_o, res_absent_o, res_cell_o};
  free_was_q <= free_cell_o;
  rd_was_q <= {rd_left_o, rd_right_o, rd_word_o};
  wr_was_q <= {wr_cell_o, wr_word_o, wr_data_o};
end
always_comb begin
  if (was_q) begin
    if (res_waits_q) assert (res_valid_o && {res_slot_o, res_absent_o, res_cell_o} == res_was_q);
    if (free_waits_q) assert (free_valid_o && free_cell_o == free_was_q);
    if (rd_waits_q) assert (rd_valid_o && {rd_left_o, rd_right_o, rd_word_o} == rd_was_q);
    if (wr_waits_q) assert (wr_valid_o && {wr_cell_o, wr_word_o, wr_data_o} == wr_was_q);
  end
end
