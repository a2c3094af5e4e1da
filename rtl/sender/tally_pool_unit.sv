// SPDX-License-Identifier: BSD-2-Clause
// The pool of segments in the NIC: tally_pool with its registers, struct pool of tally_fw_pkg, as
// an AXI4-Lite slave that can only be written (tally_command_regs), in front of the commands of the
// segment store. A command of the firmware is refused if it is unknown, or names a group or a
// number of segments that there cannot be.
//
// ask_*, moved_*, lends_o, owes_o, grant_* and peek_* are those of tally_pool; those but ask_* and
// peek_* pass a register. in_*: commands of the engine for the store, out_*: these and those of the
// pool, which go first. So what out_* offers may change until it is taken.
//
// busy_o is low if nothing happens without an input, and depends on registers only.
module tally_pool_unit #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Segs = tally_pkg::MaxSeg,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned SegW = $clog2(Segs + 1),
  localparam int unsigned OwnW = $clog2(tally_pkg::MaxGroupSegs + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic                         axil_awvalid_i,
  output logic                         axil_awready_o,
  input  logic [31:0]                  axil_awaddr_i,
  input  logic                         axil_wvalid_i,
  output logic                         axil_wready_o,
  input  logic [31:0]                  axil_wdata_i,
  input  logic [3:0]                   axil_wstrb_i,
  output logic                         axil_bvalid_o,
  input  logic                         axil_bready_i,
  output logic [1:0]                   axil_bresp_o,

  input  logic                         ask_valid_i,
  input  logic [GroupW-1:0]            ask_group_i,
  input  logic [31:0]                  ask_top_i,
  input  logic                         moved_valid_i,
  input  logic                         moved_ended_i,
  input  logic [GroupW-1:0]            moved_group_i,
  input  logic [31:0]                  moved_done_i,

  input  logic                         in_valid_i,
  output logic                         in_ready_o,
  input  tally_store_pkg::command_t    in_i,
  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output tally_store_pkg::command_t    out_o,
  output logic                         lends_o,
  output logic                         owes_o,
  output logic                         grant_valid_o,
  output logic [GroupW-1:0]            grant_group_o,
  output logic [OwnW-1:0]              grant_num_o,

  input  logic                         peek_valid_i,
  output logic                         peek_ready_o,
  input  logic [GroupW-1:0]            peek_group_i,
  output logic                         peeked_valid_o,
  output logic [OwnW-1:0]              peeked_owed_o
);
  logic [15:0][31:0] words;
  tally_fw_pkg::pool_t value;
  logic [31:0] go, group;
  tally_fw_pkg::pool_code_e code;
  logic regs_busy, pool_busy, unused_judge, good, give_valid, give_ready;
  tally_command_regs #(
    .Base(tally_fw_pkg::PoolBase), .Last(tally_fw_pkg::PoolSegsOffset)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy), .value_o(words), .go_o(go), .judge_o(unused_judge), .good_i(good),
    .give_valid_o(give_valid), .give_ready_i(give_ready), .give_bad_i(1'b0)
  );
  assign value = words;
  assign code = tally_fw_pkg::pool_code_e'(32'(go[7:0]));
  assign group = 32'(go[31:16]);

  // ---- Whether a command is good ----
  logic [SegW-1:0] left;
  logic known;
  always_comb begin
    unique case (code)
      tally_fw_pkg::PoolSetLimits: known = value.groups <= Groups && value.segs <= Segs;
      tally_fw_pkg::PoolJoin: begin
        known = value.num != '0 && value.num <= 32'(left) && value.num <= value.max &&
                value.max <= tally_pkg::MaxGroupSegs;
      end
      tally_fw_pkg::PoolLeave, tally_fw_pkg::PoolBegin, tally_fw_pkg::PoolEnd,
      tally_fw_pkg::PoolBorrow: known = 1'b1;
      default: known = 1'b0;
    endcase
  end
  assign good = go[15:8] == '0 && known && group < Groups;

  // ---- Limits of the device ----
  logic sets_limits;
  logic [GroupW:0] groups_q;
  logic [SegW-1:0] segs_q;
  assign sets_limits = code == tally_fw_pkg::PoolSetLimits;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      groups_q <= (GroupW + 1)'(Groups);
      segs_q <= SegW'(Segs);
    end else if (give_valid && sets_limits) begin
      groups_q <= value.groups[GroupW:0];
      segs_q <= value.segs[SegW-1:0];
    end
  end

  // ---- The pool ----
  logic op_ready, cmd_valid, moved_q, moved_ended_q, lends, owes, grant_valid;
  logic [GroupW-1:0] moved_group_q, grant_group;
  logic [31:0] moved_done_q;
  logic [OwnW-1:0] grant_num;
  tally_fw_pkg::store_command_e cmd;
  logic [GroupW-1:0] cmd_group;
  assign give_ready = sets_limits || op_ready;
  tally_pool #(.Groups(Groups), .Segs(Segs)) u_pool (
    .clk_i, .rst_ni, .busy_o(pool_busy), .groups_i(groups_q), .segs_i(segs_q),
    .op_valid_i(give_valid && !sets_limits), .op_ready_o(op_ready), .op_i(code),
    .op_group_i(group[GroupW-1:0]), .op_num_i(value.num[OwnW-1:0]), .op_max_i(value.max[OwnW-1:0]),
    .op_top_i(value.top), .left_o(left), .ask_valid_i, .ask_group_i, .ask_top_i,
    .moved_valid_i(moved_q), .moved_ended_i(moved_ended_q), .moved_group_i(moved_group_q),
    .moved_done_i(moved_done_q), .cmd_valid_o(cmd_valid), .cmd_ready_i(out_ready_i),
    .cmd_o(cmd), .cmd_group_o(cmd_group), .lends_o(lends), .owes_o(owes),
    .grant_valid_o(grant_valid), .grant_group_o(grant_group),
    .grant_num_o(grant_num),
    .peek_valid_i, .peek_ready_o, .peek_group_i, .peeked_valid_o, .peeked_owed_o
  );

  // The pool is busy in the clock in which it decides; what it has decided follows.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      moved_q <= 1'b0;
      {lends_o, owes_o, grant_valid_o} <= '0;
    end else begin
      moved_q <= moved_valid_i;
      {lends_o, owes_o, grant_valid_o} <= {lends, owes, grant_valid};
    end
  end
  always_ff @(posedge clk_i) begin
    {moved_ended_q, moved_group_q, moved_done_q} <= {moved_ended_i, moved_group_i, moved_done_i};
    {grant_group_o, grant_num_o} <= {grant_group, grant_num};
  end
  assign busy_o = regs_busy || pool_busy || moved_q || lends_o || grant_valid_o;

  // ---- Commands for the store ----
  assign out_valid_o = cmd_valid || in_valid_i;
  assign in_ready_o = out_ready_i && !cmd_valid;
  always_comb begin
    out_o = in_i;
    if (cmd_valid) begin
      out_o = '0;
      out_o.cmd = 8'(cmd);
      out_o.group_ = 16'(cmd_group);
    end
  end

  // The registers are wider than what they hold, and that of `go` is not kept.
  logic unused;
  assign unused = ^{value, go, unused_judge};
endmodule
