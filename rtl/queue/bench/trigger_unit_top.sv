// SPDX-License-Identifier: BSD-2-Clause
// tally_trigger_unit with the operations of its message queue as outputs, so that the bench lets
// the engine's message queue do the same in the same order. step_valid_o: an operation is decided.
// The clock runs when an input is offered, a time has come, or the unit says so.
module trigger_unit_top #(
  parameter int unsigned Groups = 2,
  parameter int unsigned Qps = 4,
  parameter int unsigned Entries = 64,
  parameter int unsigned Descs = 6,
  parameter int unsigned Cells = 24,
  localparam int unsigned DescW = $clog2(Descs),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned QpW = $clog2(Qps),
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned FlightW = 3,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned WordBits = 512,
  localparam int unsigned WordBytes = WordBits / 8
) (
  output logic                            step_valid_o,
  output logic [3:0]                      step_op_o,       // op_e of tally_rmq
  output logic [QpW-1:0]                  step_port_o,
  output logic [7:0]                      step_contributor_o,
  output logic                            step_stored_o,
  output logic [DescW-1:0]                step_self_o,     // whose message to this node it is
  output logic [DescW-1:0]                step_tag_o,      // of an arm
  output logic [DescW-1:0]                begin_desc_o,    // of one that begins
  output logic [UsedW-1:0]                free_o,          // cells
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [63:0]                     now_i,
  output logic                            busy_o,
  output logic                            deadline_valid_o,
  output logic [63:0]                     deadline_o,

  // Registers.
  input  logic                            axil_awvalid_i,
  output logic                            axil_awready_o,
  input  logic [31:0]                     axil_awaddr_i,
  input  logic                            axil_wvalid_i,
  output logic                            axil_wready_o,
  input  logic [31:0]                     axil_wdata_i,
  input  logic [3:0]                      axil_wstrb_i,
  output logic                            axil_bvalid_o,
  input  logic                            axil_bready_i,
  output logic [1:0]                      axil_bresp_o,

  // Sender and status update.
  input  logic                            begin_valid_i,
  output logic                            begin_ready_o,
  output logic                            begin_took_o,
  input  logic [QpW-1:0]                  begin_qp_i,
  input  logic [EntryW-1:0]               begin_entry_i,
  output logic                            mark_valid_o,
  output logic [QpW-1:0]                  mark_qp_o,
  output logic                            fired_o,       // it is that of upd_*
  output logic                            upd_valid_o,
  input  logic                            upd_ready_i,
  output logic [QpW-1:0]                  upd_qp_o,
  output logic [EntryW-1:0]               upd_entry_o,
  output tally_sender_pkg::update_t       upd_o,
  output logic                            end_valid_o,
  input  logic                            end_ready_i,
  output logic [QpW-1:0]                  end_qp_o,
  output logic [EntryW-1:0]               end_entry_o,
  output tally_sender_pkg::end_t          end_o,
  input  logic                            end_flag_i,
  output logic                            flag_valid_o,
  input  logic                            flag_ready_i,
  output logic [QpW-1:0]                  flag_qp_o,
  output logic [EntryW-1:0]               flag_entry_o,
  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  tally_sender_pkg::command_e      cmd_i,
  input  logic [QpW-1:0]                  cmd_qp_i,
  input  logic [GroupW-1:0]               cmd_group_i,   // of CommandCreate
  input  logic [7:0]                      cmd_state_i,
  output logic                            cmd_valid_o,
  input  logic                            cmd_ready_i,

  // Requests and memory.
  output logic                            row_valid_o,
  input  logic                            row_ready_i,
  output logic [EntryW-1:0]               row_entry_o,
  input  logic                            got_valid_i,
  input  tally_request_pkg::request_t     got_i,
  input  tally_local_pkg::row_t           got_row_i,
  output logic                            line_valid_o,
  input  logic                            line_ready_i,
  output logic [EntryW-1:0]               line_entry_o,
  output logic [12:0]                     line_from_o,
  output logic [12:0]                     line_len_o,
  input  logic                            inl_valid_i,
  output logic                            inl_ready_o,
  input  logic [WordBits-1:0]             inl_data_i,
  output logic                            acc_valid_o,
  input  logic                            acc_ready_i,
  output tally_local_pkg::access_t        acc_o,
  output logic [DescW-1:0]                acc_desc_o,
  output logic                            dat_valid_o,
  input  logic                            dat_ready_i,
  output logic [WordBits-1:0]             dat_o,
  input  logic                            done_valid_i,
  input  logic [DescW-1:0]                done_desc_i,
  input  logic                            done_failed_i,
  input  logic                            out_valid_i,
  input  logic [WordBits-1:0]             out_data_i,
  input  logic                            out_last_i,
  input  logic [DescW-1:0]                out_desc_i,
  input  logic                            out_error_i,

  // Exceptions.
  output logic                            fault_valid_o,
  input  logic                            fault_ready_i,
  output logic                            exc_valid_o,
  input  logic                            exc_ready_i,
  output logic [15:0]                     exc_status_o,
  output logic [63:0]                     exc_contributors_o,
  output logic                            exc_lacks_o,
  output logic [GroupW-1:0]               exc_group_o,   // these three: of fault_*, too
  output logic [63:0]                     exc_ranks_o,
  output logic [31:0]                     exc_mid_o,

  // Packets.
  input  logic                            rec_valid_i,
  output logic                            rec_ready_o,
  input  tally_net_pkg::rx_hdr_t          rec_i,
  input  tally_admission_pkg::admission_t adm_i,
  input  logic [FlightW-1:0]              flight_i,
  input  logic                            pay_tvalid_i,
  output logic                            pay_tready_o,
  input  logic [WordBits-1:0]             pay_tdata_i,
  output logic                            end_flight_valid_o,
  input  logic                            end_flight_ready_i,
  output logic [FlightW-1:0]              end_flight_o,
  output logic                            end_stored_o,
  output logic                            dropped_o,
  output logic                            unsaid_o,
  output logic                            busy_valid_o,
  input  logic                            busy_ready_i,
  output tally_trigger_pkg::busy_t        busy_reply_o,
  output logic                            head_valid_o,
  input  logic                            head_ready_i,
  input  tally_head_pkg::end_e            head_end_i,
  output tally_head_pkg::source_t         head_o,
  output logic                            txp_tvalid_o,
  input  logic                            txp_tready_i,
  output logic [WordBits-1:0]             txp_tdata_o,
  output logic [WordBytes-1:0]            txp_tkeep_o,
  output logic                            txp_tlast_o,
  input  logic                            acked_valid_i,
  output logic                            acked_ready_o,
  input  tally_edge_pkg::sent_t           acked_i,
  input  logic                            again_valid_i,
  output logic                            again_ready_o,
  input  tally_edge_pkg::sent_t           again_i,
  input  logic                            wake_i
);
  logic unit_clk, starts_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) starts_q <= 1'b1;
    else starts_q <= 1'b0;
  end
  tally_clock_gate u_gate (
    .clk_i,
    .en_i(busy_o || starts_q || axil_awvalid_i || begin_valid_i || cmd_valid_i || got_valid_i ||
          inl_valid_i || done_valid_i || out_valid_i || rec_valid_i || acked_valid_i ||
          again_valid_i || wake_i || (deadline_valid_o && deadline_o <= now_i)),
    .clk_o(unit_clk)
  );
  tally_trigger_unit #(
    .Groups(Groups), .Qps(Qps), .Entries(Entries), .Descs(Descs), .Cells(Cells)
  ) u_dut (.clk_i(unit_clk), .*);
  assign step_valid_o = u_dut.u_trigger.u_queue.u_rmq.decide;
  assign step_op_o = u_dut.u_trigger.u_queue.u_rmq.op_q;
  assign step_port_o = u_dut.u_trigger.u_queue.u_rmq.at_port_q;
  assign step_contributor_o = 8'(u_dut.u_trigger.u_queue.u_rmq.contributor_q);
  assign step_stored_o = u_dut.u_trigger.u_queue.u_rmq.stored;
  assign step_self_o = u_dut.u_trigger.u_out.u_leave.go_desc_i;
  assign step_tag_o = u_dut.u_trigger.u_queue.u_rmq.tag_q;
  assign begin_desc_o = u_dut.u_trigger.free;
  assign free_o = u_dut.u_trigger.u_queue.shared_free;
endmodule
