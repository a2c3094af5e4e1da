// SPDX-License-Identifier: BSD-2-Clause
// The request processor in the NIC: tally_trigger with a reduce ALU of its own, and its registers,
// struct trigger of tally_fw_pkg (tally_trigger_regs). It notes the group of each queue pair, which
// CommandCreate tells.
//
// All other ports are those of tally_trigger. busy_o is low if nothing happens without an input,
// and before the deadline, and while BUSY waits; it is a register, which falls one clock after the
// block has come to rest. After a reset it is high until the tables are empty.
module tally_trigger_unit #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Descs = 256,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Flights = 8,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned FlagsW = tally_pkg::ErrMismatchBit,
  localparam int unsigned WordBits = 512,
  localparam int unsigned WordBytes = WordBits / 8
) (
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
  // ---- Registers ----
  logic regs_busy, group_write, cells_valid, cells_ready, cells_done, cells_given, port_valid,
      port_ready, link_valid, link_ready, link_first, link_end;
  logic [GroupW-1:0] group_index, cells_group;
  logic [63:0] limit;
  logic [12:0] mtu;
  logic [UsedW-1:0] cells, cells_keep;
  logic [QpW-1:0] port_qp, link_qp;
  logic [15:0] port;
  logic [IndexW-1:0] link_index;
  tally_trigger_regs #(.Groups(Groups), .Qps(Qps), .Cells(Cells)) u_regs (
    .clk_i, .rst_ni, .busy_o(regs_busy),
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i, .axil_wready_o,
    .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .group_write_o(group_write), .group_index_o(group_index), .limit_o(limit), .mtu_o(mtu),
    .cells_valid_o(cells_valid), .cells_ready_i(cells_ready), .cells_group_o(cells_group),
    .cells_o(cells), .cells_keep_o(cells_keep), .cells_done_i(cells_done),
    .cells_given_i(cells_given), .port_valid_o(port_valid), .port_ready_i(port_ready),
    .port_qp_o(port_qp), .port_o(port), .link_valid_o(link_valid), .link_ready_i(link_ready),
    .link_first_o(link_first), .link_index_o(link_index), .link_end_o(link_end),
    .link_qp_o(link_qp)
  );

  // ---- The group of a queue pair: one is looked up in a clock, that of a command first ----
  logic [GroupW-1:0] group_mem_q [2**QpW];
  logic [GroupW-1:0] group_q;
  logic begins, commands, creates, of_cmd_q, of_begin_q;
  assign creates = cmd_valid_i && cmd_i == tally_sender_pkg::CommandCreate && cmd_ready_o;
  always_ff @(posedge clk_i) begin
    group_q <= group_mem_q[cmd_valid_i ? cmd_qp_i : begin_qp_i];
    if (creates) group_mem_q[cmd_qp_i] <= cmd_group_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      of_cmd_q <= 1'b0;
      of_begin_q <= 1'b0;
    end else begin
      of_cmd_q <= cmd_valid_i && !cmd_ready_o;
      of_begin_q <= begin_valid_i && !cmd_valid_i && !begin_ready_o;
    end
  end
  assign commands = cmd_valid_i && of_cmd_q;
  assign begins = begin_valid_i && of_begin_q;

  // ---- The ALU, whose clock runs while a word is inside ----
  logic alu_valid, alu_clk;
  logic [tally_alu_pkg::Latency-1:0] inside_q;
  logic [7:0] alu_op, alu_dtype;
  logic [WordBits-1:0] alu_a, alu_b, alu_result;
  logic [15:0] alu_flags;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else inside_q <= {inside_q[tally_alu_pkg::Latency-2:0], alu_valid};
  end
  tally_clock_gate u_gate (.clk_i, .en_i(alu_valid || inside_q != '0), .clk_o(alu_clk));
  // tally_rmq counts the latency itself, and only reduces what the ALU has.
  // verilator lint_off PINCONNECTEMPTY
  tally_alu #(.Width(WordBits)) u_alu (
    .clk_i(alu_clk), .rst_ni, .valid_i(alu_valid), .op_i(alu_op), .type_i(alu_dtype), .a_i(alu_a),
    .b_i(alu_b), .tag_i(1'b0), .valid_o(), .error_o(), .result_o(alu_result), .flags_o(alu_flags),
    .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- Answers of memory: in a register, since many tables are looked up with their number ----
  logic done_q, done_failed_q, out_q, out_last_q, out_error_q;
  logic [DescW-1:0] done_desc_q, out_desc_q;
  logic [WordBits-1:0] out_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
      out_q <= 1'b0;
    end else begin
      done_q <= done_valid_i;
      out_q <= out_valid_i;
    end
  end
  always_ff @(posedge clk_i) begin
    done_desc_q <= done_desc_i;
    done_failed_q <= done_failed_i;
    out_desc_q <= out_desc_i;
    out_data_q <= out_data_i;
    out_last_q <= out_last_i;
    out_error_q <= out_error_i;
  end

  // ---- Payloads: whoever sends them does not see how tally_rmq moves words ----
  logic pay_tvalid, pay_tready;
  logic [WordBits-1:0] pay_tdata;
  tally_skid #(.Width(WordBits)) u_payloads (
    .clk_i, .rst_ni, .in_valid_i(pay_tvalid_i), .in_ready_o(pay_tready_o), .in_i(pay_tdata_i),
    .out_valid_o(pay_tvalid), .out_ready_i(pay_tready), .out_o(pay_tdata)
  );

  // ---- What leaves: words, behind their header, and ends of flights ----
  logic txp_tvalid, txp_tready, txp_tlast, flies_valid, flies_ready, flies_stored;
  logic [WordBits-1:0] txp_tdata;
  logic [WordBytes-1:0] txp_tkeep;
  logic [FlightW-1:0] flies;
  tally_skid #(.Width(1 + WordBytes + WordBits)) u_leaving (
    .clk_i, .rst_ni, .in_valid_i(txp_tvalid), .in_ready_o(txp_tready),
    .in_i({txp_tlast, txp_tkeep, txp_tdata}), .out_valid_o(txp_tvalid_o),
    .out_ready_i(txp_tready_i), .out_o({txp_tlast_o, txp_tkeep_o, txp_tdata_o})
  );
  tally_skid #(.Width(1 + FlightW)) u_flights (
    .clk_i, .rst_ni, .in_valid_i(flies_valid), .in_ready_o(flies_ready),
    .in_i({flies_stored, flies}), .out_valid_o(end_flight_valid_o),
    .out_ready_i(end_flight_ready_i), .out_o({end_stored_o, end_flight_o})
  );

  logic trigger_busy;
  tally_trigger #(
    .Groups(Groups), .Qps(Qps), .Entries(Entries), .Descs(Descs), .Cells(Cells), .Flights(Flights)
  ) u_trigger (
    .clk_i, .rst_ni, .now_i, .busy_o(trigger_busy), .deadline_valid_o, .deadline_o,
    .begin_valid_i(begins), .begin_ready_o, .begin_took_o, .begin_qp_i, .begin_entry_i,
    .begin_group_i(group_q), .mark_valid_o, .mark_qp_o, .fired_o, .upd_valid_o, .upd_ready_i,
    .upd_qp_o, .upd_entry_o, .upd_o, .end_valid_o, .end_ready_i, .end_qp_o, .end_entry_o, .end_o,
    .end_flag_i, .flag_valid_o, .flag_ready_i, .flag_qp_o, .flag_entry_o, .cmd_valid_i(commands),
    .cmd_ready_o, .cmd_i, .cmd_qp_i, .cmd_group_i(group_q), .cmd_state_i, .cmd_valid_o,
    .cmd_ready_i, .row_valid_o, .row_ready_i, .row_entry_o, .got_valid_i, .got_i, .got_row_i,
    .line_valid_o, .line_ready_i, .line_entry_o, .line_from_o, .line_len_o, .inl_valid_i,
    .inl_ready_o, .inl_data_i, .acc_valid_o, .acc_ready_i, .acc_o, .acc_desc_o, .dat_valid_o,
    .dat_ready_i, .dat_o, .done_valid_i(done_q), .done_desc_i(done_desc_q),
    .done_failed_i(done_failed_q), .out_valid_i(out_q), .out_data_i(out_data_q),
    .out_last_i(out_last_q), .out_desc_i(out_desc_q), .out_error_i(out_error_q),
    .fault_valid_o, .fault_ready_i, .exc_valid_o, .exc_ready_i, .exc_status_o,
    .exc_contributors_o, .exc_lacks_o, .exc_group_o, .exc_ranks_o, .exc_mid_o, .rec_valid_i,
    .rec_ready_o, .rec_i, .adm_i, .flight_i, .pay_tvalid_i(pay_tvalid),
    .pay_tready_o(pay_tready), .pay_tdata_i(pay_tdata), .end_flight_valid_o(flies_valid),
    .end_flight_ready_i(flies_ready), .end_flight_o(flies), .end_stored_o(flies_stored),
    .dropped_o, .unsaid_o, .busy_valid_o, .busy_ready_i, .busy_reply_o,
    .head_valid_o, .head_ready_i, .head_end_i, .head_o, .txp_tvalid_o(txp_tvalid),
    .txp_tready_i(txp_tready), .txp_tdata_o(txp_tdata), .txp_tkeep_o(txp_tkeep),
    .txp_tlast_o(txp_tlast), .acked_valid_i, .acked_ready_o, .acked_i, .again_valid_i,
    .again_ready_o, .again_i, .wake_i, .link_valid_i(link_valid), .link_ready_o(link_ready),
    .link_first_i(link_first), .link_index_i(link_index), .link_end_i(link_end),
    .link_qp_i(link_qp), .port_valid_i(port_valid), .port_ready_o(port_ready), .port_qp_i(port_qp),
    .port_i(port), .group_write_i(group_write), .group_index_i(group_index), .limit_i(limit),
    .mtu_i(mtu), .cells_valid_i(cells_valid), .cells_ready_o(cells_ready),
    .cells_group_i(cells_group), .cells_i(cells), .cells_keep_i(cells_keep),
    .cells_done_o(cells_done), .cells_given_o(cells_given), .alu_valid_o(alu_valid),
    .alu_op_o(alu_op), .alu_dtype_o(alu_dtype), .alu_a_o(alu_a), .alu_b_o(alu_b),
    .alu_result_i(alu_result), .alu_flags_i(alu_flags[FlagsW-1:0])
  );

  // What is inside, or enters, makes the block busy in the next clock, so this is a register.
  logic busy_q, enters;
  assign enters = axil_awvalid_i || axil_wvalid_i || begin_valid_i || cmd_valid_i || got_valid_i ||
                  inl_valid_i || done_valid_i || out_valid_i || rec_valid_i || pay_tvalid_i ||
                  acked_valid_i || again_valid_i || wake_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b1;
    else busy_q <= regs_busy || trigger_busy || busy_valid_o || done_q || out_q || enters ||
                   pay_tvalid || txp_tvalid_o || end_flight_valid_o;
  end
  assign busy_o = busy_q;
  logic unused;
  assign unused = ^alu_flags;
endmodule
