// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_jobs must reach.
module local_jobs_cover #(
  parameter int unsigned Jobs = 24,
  parameter int unsigned Reads = 8
) (
  input logic            clk_i,
  input logic            new_valid_i,
  input logic            new_ready_o,
  input logic            begins,
  input logic            room,
  input logic            serves_flag,
  input logic            writes_flag,
  input logic            gives,
  input logic            gets,
  input logic            is_flag,
  input logic            failed,
  input logic [Jobs-1:0] used_q,
  input logic [Jobs-1:0] lost_q,
  input logic [31:0]     reads,
  input logic            acc_valid_o,
  input logic            acc_ready_i,
  input logic            dat_valid_o,
  input logic            dat_ready_i,
  input logic            done_valid_i,
  input logic            gave_valid_i,
  input logic            end_valid_o,
  input logic            end_ready_i,
  input logic            end_flag_i,
  input logic            take_valid_o,
  input logic            take_ready_i,
  input logic            fault_valid_o,
  input logic            fault_ready_i,
  input logic            row_valid_o,
  input logic            row_ready_i,
  input logic            quiet_o,
  input logic [Jobs-1:0] gets_q,
  input logic            written_o
);
  all_used: cover property (@(posedge clk_i) used_q == '1);
  reads_used: cover property (@(posedge clk_i) reads == Reads);
  no_room: cover property (@(posedge clk_i) !room);
  behind_flag: cover property (@(posedge clk_i) new_valid_i && !new_ready_o && serves_flag);
  flag_waits: cover property (@(posedge clk_i) serves_flag && !writes_flag);
  access_waits: cover property (@(posedge clk_i) acc_valid_o && !acc_ready_i);
  word_waits: cover property (@(posedge clk_i) dat_valid_o && !dat_ready_i);
  end_both: cover property (@(posedge clk_i) done_valid_i && gave_valid_i);
  end_begins: cover property (@(posedge clk_i) done_valid_i && begins);
  end_waits: cover property (@(posedge clk_i) end_valid_o && !end_ready_i);
  take_waits: cover property (@(posedge clk_i) take_valid_o && !take_ready_i);
  fault_waits: cover property (@(posedge clk_i) fault_valid_o && !fault_ready_i);
  row_waits: cover property (@(posedge clk_i) row_valid_o && !row_ready_i);
  flag_of_get: cover property (@(posedge clk_i) end_valid_o && end_ready_i && end_flag_i && gets);
  flag_of_give: cover property (@(posedge clk_i) end_valid_o && end_ready_i && end_flag_i && gives);
  flag_fails: cover property (@(posedge clk_i) end_valid_o && is_flag && failed);
  get_fails: cover property (@(posedge clk_i) end_valid_o && gets && failed);
  lost: cover property (@(posedge clk_i) lost_q != '0);
  quiet_amid_jobs: cover property (@(posedge clk_i) quiet_o && used_q != '0);
  results_of_others: cover property (@(posedge clk_i) written_o && (used_q & gets_q) != '0);
  result_of_group: cover property (@(posedge clk_i) !written_o);
endmodule

bind tally_local_jobs local_jobs_cover #(.Jobs(Jobs), .Reads(Reads)) u_cover (
  .reads(32'(reads_q)), .*
);
