// SPDX-License-Identifier: BSD-2-Clause
// What ends epochs in the NIC (docs/rtl-firmware.md, "Exceptions"): tally_exceptions with its
// sources, each behind a register slice, so nothing of a unit's logic reaches another one.
//
// disagree_*: of tally_store_unit. fault_*: memory has refused something of a local rank
// (tally_local_unit). desc_fault_*, desc_late_*: the same of a descriptor, and what ends its epoch
// (fault_* and exc_* of tally_trigger_unit), which tells one at a time, with desc_*. exc_*: an
// exception of a unit beyond the boundary; drained_* likewise: a group that is destroyed has
// finished its chunks. fenced_*: of tally_local_unit. set_*: commands of the firmware, which come
// behind the exceptions that are here already, as those are of the epoch before.
//
// freeze_*: a pulse: the epoch of a group runs no more. raise_*: an event of a group, for
// tally_events.
//
// All but the slices stands still while nothing is for it. busy_o is low if no clock is needed but
// for an input.
module tally_nic_exceptions #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            busy_o,

  input  logic                            disagree_valid_i,
  output logic                            disagree_ready_o,
  input  logic [GroupW-1:0]               disagree_group_i,
  input  logic [15:0]                     disagree_status_i,
  input  logic [31:0]                     disagree_mid_i,
  input  logic [31:0]                     disagree_sid_i,
  input  logic [63:0]                     disagree_contributors_i,
  input  logic [63:0]                     disagree_ranks_i,

  input  logic                            fault_valid_i,
  output logic                            fault_ready_o,
  input  logic [GroupW-1:0]               fault_group_i,
  input  logic [63:0]                     fault_ranks_i,
  input  logic [31:0]                     fault_mid_i,

  input  logic                            desc_fault_valid_i,
  output logic                            desc_fault_ready_o,
  input  logic                            desc_late_valid_i,
  output logic                            desc_late_ready_o,
  input  logic [GroupW-1:0]               desc_group_i,
  input  logic [15:0]                     desc_status_i,        // of desc_late_*
  input  logic [63:0]                     desc_contributors_i,  // likewise
  input  logic [63:0]                     desc_ranks_i,
  input  logic [31:0]                     desc_mid_i,

  input  logic                            exc_valid_i,
  output logic                            exc_ready_o,
  input  logic [GroupW-1:0]               exc_group_i,
  input  tally_events_pkg::exception_t    exc_i,
  input  logic                            drained_valid_i,
  output logic                            drained_ready_o,
  input  logic [GroupW-1:0]               drained_group_i,
  input  logic                            fenced_valid_i,
  output logic                            fenced_ready_o,
  input  logic [GroupW-1:0]               fenced_group_i,

  input  logic                            set_valid_i,
  output logic                            set_ready_o,
  input  logic                            set_begins_i,
  input  logic [GroupW-1:0]               set_group_i,

  output logic                            freeze_valid_o,
  output logic [GroupW-1:0]               freeze_group_o,
  output logic                            raise_valid_o,
  input  logic                            raise_ready_i,
  output tally_events_pkg::group_kind_e   raise_kind_o,
  output logic [GroupW-1:0]               raise_group_o,
  output tally_events_pkg::exception_t    raise_exception_o
);
  localparam int unsigned Sources = 4;
  localparam int unsigned OfStore = 0;
  localparam int unsigned OfLocal = 1;
  localparam int unsigned OfDesc = 2;
  localparam int unsigned OfOthers = 3;
  localparam int unsigned RowW = $bits(exc_i);
  localparam int unsigned SourceW = GroupW + RowW;

  // ---- What the sources say ----
  tally_events_pkg::exception_t disagree, fault, desc;
  logic [Sources-1:0] valid, ready;
  logic [Sources-1:0][GroupW-1:0] group;
  logic [Sources-1:0][RowW-1:0] row;
  always_comb begin
    disagree = '0;
    disagree.cause = 2'(tally_fw_pkg::CauseKnown);
    disagree.status = disagree_status_i;
    disagree.mid = disagree_mid_i;
    disagree.sid = disagree_sid_i;
    disagree.contributors = disagree_contributors_i;
    disagree.ranks = disagree_ranks_i;
    fault = '0;
    fault.cause = 2'(tally_fw_pkg::CauseKnown);
    fault.status = 16'(tally_pkg::CollDmaError);
    fault.mid = fault_mid_i;
    fault.ranks = fault_ranks_i;
    desc = '0;
    desc.cause = 2'(tally_fw_pkg::CauseKnown);
    desc.mid = desc_mid_i;
    desc.ranks = desc_ranks_i;
    if (desc_fault_valid_i) begin
      desc.status = 16'(tally_pkg::CollDmaError);
    end else begin
      desc.status = desc_status_i;
      desc.contributors = desc_contributors_i;
      desc.sid = '1;  // of no chunk
    end
  end
  assign valid = {exc_valid_i, desc_fault_valid_i || desc_late_valid_i, fault_valid_i,
                  disagree_valid_i};
  assign group = {exc_group_i, desc_group_i, fault_group_i, disagree_group_i};
  assign row = {exc_i, desc, fault, disagree};
  assign disagree_ready_o = ready[OfStore];
  assign fault_ready_o = ready[OfLocal];
  assign desc_fault_ready_o = ready[OfDesc] && desc_fault_valid_i;
  assign desc_late_ready_o = ready[OfDesc] && !desc_fault_valid_i;
  assign exc_ready_o = ready[OfOthers];

  // ---- Register slices ----
  logic [Sources-1:0] exc_valid, exc_ready;
  logic [Sources-1:0][GroupW-1:0] exc_group;
  logic [Sources-1:0][RowW-1:0] exc_row;
  for (genvar i = 0; i < Sources; i++) begin : gen_sources
    tally_skid #(.Width(SourceW)) u_skid (
      .clk_i, .rst_ni, .in_valid_i(valid[i]), .in_ready_o(ready[i]), .in_i({group[i], row[i]}),
      .out_valid_o(exc_valid[i]), .out_ready_i(exc_ready[i]),
      .out_o({exc_group[i], exc_row[i]})
    );
  end

  // ---- Clock ----
  logic needed, starts_q, exceptions_busy, exc_clk;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) starts_q <= 1'b1;
    else starts_q <= 1'b0;
  end
  assign needed = exceptions_busy || exc_valid != '0 || set_valid_i || fenced_valid_i ||
                  drained_valid_i;
  tally_clock_gate u_gate (.clk_i, .en_i(needed || starts_q), .clk_o(exc_clk));

  // What is offered to tally_exceptions stays.
  logic set_valid, set_offered_q, freeze_ready;
  assign set_valid = set_valid_i && (exc_valid == '0 || set_offered_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) set_offered_q <= 1'b0;
    else set_offered_q <= set_valid && !set_ready_o;
  end
  assign freeze_ready = 1'b1;
  tally_exceptions #(.Groups(Groups), .Sources(Sources)) u_exceptions (
    .clk_i(exc_clk), .rst_ni, .busy_o(exceptions_busy),
    .set_valid_i(set_valid), .set_ready_o, .set_begins_i, .set_group_i,
    .exc_valid_i(exc_valid), .exc_ready_o(exc_ready), .exc_group_i(exc_group), .exc_i(exc_row),
    .fenced_valid_i, .fenced_ready_o, .fenced_group_i,
    .drained_valid_i, .drained_ready_o, .drained_group_i,
    .freeze_valid_o, .freeze_ready_i(freeze_ready), .freeze_group_o,
    .raise_valid_o, .raise_ready_i, .raise_kind_o, .raise_group_o, .raise_exception_o
  );
  assign busy_o = exceptions_busy || exc_valid != '0;
endmodule
