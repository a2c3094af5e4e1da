// SPDX-License-Identifier: BSD-2-Clause
// Registers of the sending side of edges, in front of those of tally_admission_tables: what the
// firmware's map (docs/registers.md) has of time-outs and first numbers, and commands that open or
// close edges.
//
// axil_*: the write channels of an AXI4-Lite slave; address and data of a write are taken together.
// Kept here: rto, max_backoff and retry_limit of struct group, the 64-bit ones complete with the
// write of their high word. A write of own_first_seq of struct edge opens the edge for sending,
// with the values of its group at that time. In struct command, a write to `go` with CmdFreeze
// closes all edges of a group, and so does CmdRelease, which also takes their rows and then goes on
// to the tables. These registers exist for groups only. All other writes go on unchanged; before
// one of an edge of a group does, the edge gets a row, if it has none. If there is no row for it, a
// write of an edge is answered with SLVERR and does not go on. next_*: those that go on, and their
// answers; next_row_o: the row, if it is of an edge of a group.
//
// What a write is for is decoded a clock before it is carried out.
//
// set_*: see tally_edge_send. busy_o: a write is being carried out, or its answer is not taken.
module tally_edge_regs #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     busy_o,

  input  logic                     axil_awvalid_i,
  output logic                     axil_awready_o,
  input  logic [31:0]              axil_awaddr_i,
  input  logic                     axil_wvalid_i,
  output logic                     axil_wready_o,
  input  logic [31:0]              axil_wdata_i,
  input  logic [3:0]               axil_wstrb_i,
  output logic                     axil_bvalid_o,
  input  logic                     axil_bready_i,
  output logic [1:0]               axil_bresp_o,

  output logic                     next_valid_o,
  input  logic                     next_ready_i,
  output logic [RowW-1:0]          next_row_o,
  input  logic                     next_bvalid_i,
  output logic                     next_bready_o,
  input  logic [1:0]               next_bresp_i,

  output logic                     set_valid_o,
  input  logic                     set_ready_i,
  input  logic                     set_failed_i,
  input  logic [RowW-1:0]          set_row_i,
  output tally_edge_pkg::set_op_e  set_op_o,
  output logic [GroupW-1:0]        set_group_o,
  output logic [EdgeW-1:0]         set_edge_o,
  output logic [31:0]              set_seq_o,
  output logic [63:0]              set_rto_o,
  output logic [63:0]              set_cap_o,
  output logic [8:0]               set_limit_o
);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam int unsigned FirstPage = tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride;
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef enum logic [2:0] {
    Ready = 3'd0,   // writes are taken
    Open = 3'd1,    // an edge is being opened
    All = 3'd2,     // all edges of a group are closed
    Row = 3'd3,     // the row of an edge is found
    Known = 3'd4,   // others hear of the row, and may hold up the write
    Next = 3'd5     // RELEASE, or the write of an edge, goes on
  } state_e;

  state_e state_q, state_d;
  logic bvalid_q, due_q, failed_q, all_done;
  logic [EdgeW-1:0] edge_q;

  // ---- Which register a write is for ----
  logic [31:0] in_groups;
  logic [GroupShift-1:0] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic whole, of_group, of_edge, is_go, of_go, opens, releases, freezes;
  logic offered, asked_q, known, own, unused;
  logic [1:0] set_rto, set_cap, set_rto_q, set_cap_q;
  logic set_limit, set_limit_q, opens_q, finds_q, releases_q, freezes_q;
  logic [GroupW-1:0] reg_group, go_group;

  assign in_groups = axil_awaddr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign page = at[GroupShift-1:EdgeShift];
  assign reg_group = GroupW'(in_groups >> GroupShift);
  assign go_group = GroupW'(axil_wdata_i[31:16]);
  assign whole = axil_wstrb_i == 4'b1111;
  assign of_group = whole && axil_awaddr_i >= tally_fw_pkg::GroupBase &&
      in_groups >> GroupShift < Groups;
  assign of_edge = of_group && 32'(at) >= tally_fw_pkg::EdgeOffset &&
      32'(page) < FirstPage + EdgesOf;
  assign is_go = whole && axil_awaddr_i == tally_fw_pkg::CommandBase +
                 tally_fw_pkg::CommandGoOffset;
  assign of_go = is_go && 32'(axil_wdata_i[31:16]) < Groups;
  assign releases = of_go && axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdRelease);
  assign freezes = of_go && axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdFreeze);
  assign unused = ^axil_wdata_i[15:8];  // the edge of a command

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      set_rto[i] = of_group && 32'(at) == tally_fw_pkg::GroupRtoOffset + 4 * i;
      set_cap[i] = of_group && 32'(at) == tally_fw_pkg::GroupMaxBackoffOffset + 4 * i;
    end
  end
  assign set_limit = of_group && 32'(at) == tally_fw_pkg::GroupRetryLimitOffset;
  assign opens = of_edge &&
      32'(at[EdgeShift-1:0]) == tally_fw_pkg::EdgeOwnFirstSeqOffset;
  always_ff @(posedge clk_i) begin
    set_rto_q <= set_rto;
    set_cap_q <= set_cap;
    set_limit_q <= set_limit;
    opens_q <= opens;
    finds_q <= of_edge && !opens;
    releases_q <= releases;
    freezes_q <= freezes;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= offered && !axil_awready_o;
  end
  assign offered = axil_awvalid_i && axil_wvalid_i;
  assign known = offered && asked_q;
  assign own = set_rto_q != '0 || set_cap_q != '0 || set_limit_q || opens_q || freezes_q;

  // ---- Steps ----
  //
  // One write at a time: the next one is taken when the answer of the one before has been.
  logic free, take, forwards, walks, no_row;

  assign walks = releases_q || freezes_q;
  assign no_row = state_q == Row && set_ready_i && set_failed_i;
  assign free = !bvalid_q && !due_q;
  assign take = state_q == Ready && free && known && own && !opens_q && !freezes_q;
  assign forwards = free && known && !own &&
      (state_q == Next || (state_q == Ready && !walks && !finds_q));
  assign all_done = set_ready_i && edge_q == EdgeW'(EdgesOf - 1);

  always_comb begin
    unique case (state_q)
      Ready: begin
        state_d = Ready;
        if (free && known) state_d = opens_q ? Open : walks ? All : finds_q ? Row : Ready;
      end
      Open: state_d = set_ready_i ? Ready : Open;
      All: state_d = !all_done ? All : freezes_q ? Ready : Next;
      Row: state_d = !set_ready_i ? Row : set_failed_i ? Ready : Known;
      Known: state_d = Next;
      default: state_d = next_ready_i ? Ready : Next;  // Next
    endcase
  end

  assign axil_awready_o = take || (state_q == Open && set_ready_i) ||
      (state_q == All && all_done && freezes_q) || no_row || (forwards && next_ready_i);
  assign axil_wready_o = axil_awready_o;
  assign next_valid_o = forwards;
  assign axil_bvalid_o = bvalid_q || next_bvalid_i;
  assign axil_bresp_o = !bvalid_q ? next_bresp_i : failed_q ? RespSlvErr : RespOkay;
  assign next_bready_o = axil_bready_i && !bvalid_q;

  assign set_valid_o = state_q == Open || state_q == All || state_q == Row;
  always_comb begin
    unique case (state_q)
      Open: set_op_o = tally_edge_pkg::SetOpen;
      Row: set_op_o = tally_edge_pkg::SetRow;
      default: set_op_o = freezes_q ? tally_edge_pkg::SetStop : tally_edge_pkg::SetClose;
    endcase
  end
  assign set_group_o = state_q == All ? go_group : reg_group;
  assign set_edge_o = state_q == All ? edge_q : EdgeW'(32'(page) - FirstPage);
  assign set_seq_o = axil_wdata_i;

  // ---- Time-outs of the groups ----
  logic [63:0] rtos_q [Groups];
  logic [63:0] caps_q [Groups];
  logic [8:0] limits_q [Groups];
  logic [31:0] low_q;
  logic [63:0] rto_q, cap_q;
  logic [8:0] limit_q;

  always_ff @(posedge clk_i) begin
    if (take && (set_rto_q[0] || set_cap_q[0])) low_q <= axil_wdata_i;
    if (take && set_rto_q[1]) rtos_q[reg_group] <= {axil_wdata_i, low_q};
    if (take && set_cap_q[1]) caps_q[reg_group] <= {axil_wdata_i, low_q};
    if (take && set_limit_q) limits_q[reg_group] <= axil_wdata_i[8:0];
    rto_q <= rtos_q[reg_group];
    cap_q <= caps_q[reg_group];
    limit_q <= limits_q[reg_group];
    if (take) failed_q <= 1'b0;
    else if (set_ready_i) failed_q <= set_failed_i;
    if (state_q == Row && set_ready_i) next_row_o <= set_row_i;
  end
  assign set_rto_o = rto_q;
  assign set_cap_o = cap_q;
  assign set_limit_o = limit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Ready;
      edge_q <= '0;
      bvalid_q <= 1'b0;
      due_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == All && set_ready_i) edge_q <= all_done ? '0 : edge_q + 1'b1;
      bvalid_q <= (axil_awready_o && !forwards) || (bvalid_q && !axil_bready_i);
      due_q <= (forwards && next_ready_i) || (due_q && !(next_bvalid_i && next_bready_o));
    end
  end
  assign busy_o = state_q != Ready || bvalid_q;

`ifdef FORMAL
  `include "edge_regs_proof.svh"
`endif
endmodule
