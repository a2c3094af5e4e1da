// SPDX-License-Identifier: BSD-2-Clause
// The message queue of the request processor with all that enters it: messages of neighbours and of
// this node (tally_trigger_in, _ports), and own data (_own). tally_trigger has the descriptors.
//
// link_*, port_*, works_*: see tally_trigger_ports. rec_*, pay_*, end_*, busy_*, self_*, quiet_o:
// see tally_trigger_in. arm_*, give_up_*, flush_*, buffer_*, release_*, fire_*, lacks_*, rd_*,
// rdata_*, cells_* (its group_*), alu_*: see tally_rmq. note_*, ready_*, out_*, line_*, inl_*: see
// tally_trigger_own. room_o: a message to this node that found no room may try again.
module tally_trigger_queue #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Descs = 256,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Flights = 8,
  parameter int unsigned Reads = 8,
  parameter int unsigned AluLatency = tally_alu_pkg::Latency,
  localparam int unsigned Places = Cells + Descs,
  localparam int unsigned PlaceW = $clog2(Places),
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned CpcntW = 7,
  localparam int unsigned FlagsW = tally_pkg::ErrMismatchBit,
  localparam int unsigned WordBits = 512,
  localparam int unsigned WordW = $clog2(tally_pkg::MaxMtu * 8 / WordBits)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  output logic                                   busy_o,

  // Registers.
  input  logic                                   link_valid_i,
  output logic                                   link_ready_o,
  input  logic                                   link_first_i,
  input  logic [IndexW-1:0]                      link_index_i,
  input  logic                                   link_end_i,
  input  logic [QpW-1:0]                         link_qp_i,
  input  logic                                   port_valid_i,
  output logic                                   port_ready_o,
  input  logic [QpW-1:0]                         port_qp_i,
  input  logic [15:0]                            port_i,
  input  logic                                   works_valid_i,
  output logic                                   works_ready_o,
  input  logic                                   works_i,
  input  logic                                   group_write_i,
  input  logic [GroupW-1:0]                      group_index_i,
  input  logic [12:0]                            mtu_i,
  input  logic                                   cells_valid_i,
  output logic                                   cells_ready_o,
  input  logic [GroupW-1:0]                      cells_group_i,
  input  logic [UsedW-1:0]                       cells_i,
  input  logic [UsedW-1:0]                       cells_keep_i,
  output logic                                   cells_done_o,
  output logic                                   cells_given_o,

  // Packets, and messages to this node.
  input  logic                                   rec_valid_i,
  output logic                                   rec_ready_o,
  input  tally_net_pkg::rx_hdr_t                 rec_i,
  input  tally_admission_pkg::admission_t        adm_i,
  input  logic [FlightW-1:0]                     flight_i,
  input  logic                                   pay_tvalid_i,
  output logic                                   pay_tready_o,
  input  logic [WordBits-1:0]                    pay_tdata_i,
  output logic                                   end_flight_valid_o,
  input  logic                                   end_flight_ready_i,
  output logic [FlightW-1:0]                     end_flight_o,
  output logic                                   end_stored_o,
  output logic                                   dropped_o,
  output logic                                   unsaid_o,
  output logic                                   busy_valid_o,
  input  logic                                   busy_ready_i,
  output tally_trigger_pkg::busy_t               busy_reply_o,
  input  logic                                   self_valid_i,
  output logic                                   self_ready_o,
  output tally_trigger_pkg::self_e               self_o,
  input  logic [GroupW-1:0]                      self_group_i,
  input  logic [15:0]                            self_port_i,
  input  tally_trigger_pkg::message_t            self_i,
  output logic                                   self_wants_o,
  input  logic                                   self_tvalid_i,
  output logic                                   self_tready_o,
  input  logic [WordBits-1:0]                    self_tdata_i,

  // The descriptor of the step: its queue pair, group, entry, number, counter and CPCnt.
  input  logic [QpW-1:0]                         qp_i,
  input  logic [GroupW-1:0]                      group_i,
  input  logic [EntryW-1:0]                      entry_i,
  input  logic [DescW-1:0]                       desc_i,
  input  logic [1:0]                             counter_i,
  input  logic [CpcntW-1:0]                      cpcnt_i,
  input  logic                                   swaps_i,
  input  logic                                   gives_i,
  output logic                                   quiet_o,
  input  logic                                   arm_valid_i,
  output logic                                   arm_ready_o,
  input  logic                                   give_up_valid_i,
  output logic                                   give_up_ready_o,
  input  logic                                   flush_valid_i,
  output logic                                   flush_ready_o,
  output logic                                   flush_done_o,
  input  logic                                   buffer_valid_i,
  output logic                                   buffer_ready_o,
  output logic                                   buffer_done_o,
  output logic [PlaceW-1:0]                      buffer_place_o,
  input  logic                                   release_valid_i,
  output logic                                   release_ready_o,
  input  logic [PlaceW-1:0]                      release_place_i,

  // Its own data.
  input  logic                                   note_valid_i,
  output logic                                   note_ready_o,
  input  logic                                   note_none_i,
  input  tally_trigger_pkg::own_t                note_i,
  output logic                                   ready_valid_o,
  output logic [DescW-1:0]                       ready_desc_o,
  output logic                                   ready_failed_o,
  input  logic                                   out_valid_i,
  input  logic [WordBits-1:0]                    out_data_i,
  input  logic                                   out_last_i,
  input  logic [DescW-1:0]                       out_desc_i,
  input  logic                                   out_error_i,
  output logic                                   line_valid_o,
  input  logic                                   line_ready_i,
  output logic [EntryW-1:0]                      line_entry_o,
  output logic [12:0]                            line_from_o,
  output logic [12:0]                            line_len_o,
  input  logic                                   inl_valid_i,
  output logic                                   inl_ready_o,
  input  logic [WordBits-1:0]                    inl_data_i,

  // What has fired, and lacks messages; words of places.
  output logic                                   fire_valid_o,
  output tally_trigger_pkg::fire_t               fire_o,
  output logic [DescW-1:0]                       fire_desc_o,
  output logic                                   lacks_valid_o,
  output logic [DescW-1:0]                       lacks_desc_o,
  output logic                                   room_o,
  input  logic                                   rd_valid_i,
  output logic                                   rd_ready_o,
  input  logic [PlaceW-1:0]                      rd_place_i,
  input  logic [WordW-1:0]                       rd_word_i,
  output logic                                   rdata_valid_o,
  output logic [WordBits-1:0]                    rdata_o,

  // The reduce ALU.
  output logic                                   alu_valid_o,
  output logic [7:0]                             alu_op_o,
  output logic [7:0]                             alu_dtype_o,
  output logic [WordBits-1:0]                    alu_a_o,
  output logic [WordBits-1:0]                    alu_b_o,
  input  logic [WordBits-1:0]                    alu_result_i,
  input  logic [FlagsW-1:0]                      alu_flags_i
);
  localparam int unsigned Cap = Cells < tally_pkg::RmqPortCap ? Cells : tally_pkg::RmqPortCap;

  // ---- What enters, but own data ----
  logic in_valid, in_ready, in_own, verdict, verdict_stored, dat_valid, dat_ready, find_valid,
      find_ready, found, found_works, own_valid, own_ready, own_tvalid, own_tready, in_busy,
      ports_busy, own_busy, rmq_busy;
  logic [QpW-1:0] in_qp, found_qp, own_qp;
  logic [GroupW-1:0] in_group, find_group, own_group;
  logic [6:0] in_contributor;
  logic [15:0] find_port;
  tally_trigger_pkg::message_t in_message, own_message;
  logic [WordBits-1:0] in_data, own_data;
  tally_trigger_ports #(.Groups(Groups), .Qps(Qps)) u_ports (
    .clk_i, .rst_ni, .busy_o(ports_busy), .link_valid_i, .link_ready_o, .link_first_i,
    .link_index_i, .link_end_i, .link_qp_i, .port_valid_i, .port_ready_o, .port_qp_i, .port_i,
    .works_valid_i, .works_ready_o, .works_qp_i(qp_i), .works_i, .find_valid_i(find_valid),
    .find_ready_o(find_ready), .find_group_i(find_group), .find_port_i(find_port), .found_o(found),
    .found_works_o(found_works), .found_qp_o(found_qp)
  );
  tally_trigger_in #(.Groups(Groups), .Qps(Qps), .Flights(Flights)) u_in (
    .clk_i, .rst_ni, .busy_o(in_busy), .group_write_i, .group_index_i, .group_mtu_i(mtu_i),
    .rec_valid_i, .rec_ready_o, .rec_i, .adm_i, .flight_i, .pay_tvalid_i, .pay_tready_o,
    .pay_tdata_i, .end_valid_o(end_flight_valid_o), .end_ready_i(end_flight_ready_i), .end_flight_o,
    .end_stored_o, .dropped_o, .unsaid_o, .busy_valid_o, .busy_ready_i, .busy_reply_o,
    .self_valid_i, .self_ready_o, .self_o, .self_group_i, .self_port_i, .self_i, .self_wants_o,
    .self_tvalid_i, .self_tready_o, .self_tdata_i, .own_valid_i(own_valid), .own_ready_o(own_ready),
    .own_group_i(own_group), .own_qp_i(own_qp), .own_i(own_message), .own_tvalid_i(word_tvalid),
    .own_tready_o(word_tready), .own_tdata_i(word_data), .find_valid_o(find_valid),
    .find_ready_i(find_ready), .find_group_o(find_group), .find_port_o(find_port), .found_i(found),
    .found_works_i(found_works), .found_qp_i(found_qp), .in_valid_o(in_valid),
    .in_ready_i(in_ready), .in_own_o(in_own), .in_qp_o(in_qp), .in_group_o(in_group),
    .in_contributor_o(in_contributor), .in_o(in_message), .verdict_valid_i(verdict),
    .verdict_stored_i(verdict_stored), .dat_valid_o(dat_valid), .dat_ready_i(dat_ready),
    .dat_o(in_data), .quiet_qp_i(qp_i), .quiet_o
  );


  // ---- Own data. Their words pass a register, so that the way from tally_rmq to the buffers of
  // what was read, and to inline data, is not one path. tally_trigger_own is busy until tally_rmq
  // has taken the last one ----
  logic word_tvalid, word_tready;
  logic [WordBits-1:0] word_data;
  tally_skid #(.Width(WordBits)) u_words (
    .clk_i, .rst_ni, .in_valid_i(own_tvalid), .in_ready_o(own_tready), .in_i(own_data),
    .out_valid_o(word_tvalid), .out_ready_i(word_tready), .out_o(word_data)
  );

  logic wr_valid, wr_ready;
  logic [PlaceW-1:0] wr_place;
  logic [WordW-1:0] wr_word;
  logic [WordBits-1:0] wr_data;
  tally_trigger_own #(
    .Descs(Descs), .Groups(Groups), .Qps(Qps), .Entries(Entries), .Places(Places), .Reads(Reads)
  ) u_own (
    .clk_i, .rst_ni, .busy_o(own_busy), .note_valid_i, .note_ready_o, .note_desc_i(desc_i),
    .note_none_i, .note_entry_i(entry_i), .note_i, .ready_valid_o, .ready_desc_o, .ready_failed_o,
    .out_valid_i, .out_data_i, .out_last_i, .out_desc_i, .out_error_i, .line_valid_o,
    .line_ready_i, .line_entry_o, .line_from_o, .line_len_o, .inl_valid_i, .inl_ready_o,
    .inl_data_i, .own_valid_o(own_valid), .own_ready_i(own_ready), .own_group_o(own_group),
    .own_qp_o(own_qp), .own_o(own_message), .own_tvalid_o(own_tvalid),
    .own_tready_i(own_tready), .own_tdata_o(own_data), .wr_valid_o(wr_valid),
    .wr_ready_i(wr_ready), .wr_place_o(wr_place), .wr_word_o(wr_word), .wr_data_o(wr_data)
  );


  // ---- The queue ----
  logic [QpW-1:0] fire_port, lacks_port;
  logic [1:0] fire_counter;
  logic [UsedW-1:0] show_used, show_own, shared_free;
  logic [PlaceW-1:0] cell_place_unused, fire_place;
  logic cell_ready, cell_done, cell_given, fire_filled, fire_swaps, fire_many;
  logic [7:0] fire_op, fire_dtype;
  logic [31:0] fire_count;
  logic [63:0] fire_disagree;
  logic [15:0] fire_err;
  tally_rmq #(
    .Ports(Qps), .Groups(Groups), .Cells(Cells), .Buffers(Descs), .Cap(Cap), .TagW(DescW),
    .AluLatency(AluLatency)
  ) u_rmq (
    .clk_i, .rst_ni, .busy_o(rmq_busy), .in_valid_i(in_valid), .in_ready_o(in_ready),
    .in_own_i(in_own), .in_port_i(in_qp), .in_group_i(in_group),
    .in_counter_i(in_message.counter[1:0]),
    .in_contributor_i(in_contributor), .in_swp_mp_i(in_message.swp_mp), .in_cp_i(in_message.cp),
    .in_branch_i(in_message.branch), .in_op_i(in_message.op), .in_dtype_i(in_message.dtype),
    .in_count_i(in_message.count), .in_err_vector_i(in_message.err_vector),
    .in_len_i(in_message.len), .verdict_valid_o(verdict), .verdict_stored_o(verdict_stored),
    .data_valid_i(dat_valid), .data_ready_o(dat_ready), .data_i(in_data), .arm_valid_i,
    .arm_ready_o, .arm_port_i(qp_i), .arm_group_i(group_i), .arm_counter_i(counter_i),
    .arm_cpcnt_i(cpcnt_i), .arm_swaps_i(swaps_i), .arm_own_i(swaps_i && gives_i),
    .arm_tag_i(desc_i), .give_up_valid_i, .give_up_ready_o, .give_up_port_i(qp_i),
    .give_up_group_i(group_i), .give_up_counter_i(counter_i), .lacks_valid_o,
    .lacks_port_o(lacks_port), .lacks_tag_o(lacks_desc_o), .fire_valid_o, .fire_ready_i(1'b1),
    .fire_port_o(fire_port), .fire_counter_o(fire_counter), .fire_tag_o(fire_desc_o),
    .fire_swaps_o(fire_swaps), .fire_place_o(fire_place), .fire_filled_o(fire_filled),
    .fire_many_o(fire_many), .fire_op_o(fire_op), .fire_dtype_o(fire_dtype),
    .fire_count_o(fire_count), .fire_disagree_o(fire_disagree), .fire_err_vector_o(fire_err),
    .rd_valid_i, .rd_ready_o, .rd_place_i, .rd_word_i, .rdata_valid_o, .rdata_o,
    .wr_valid_i(wr_valid), .wr_ready_o(wr_ready), .wr_place_i(wr_place), .wr_word_i(wr_word),
    .wr_data_i(wr_data), .release_valid_i, .release_ready_o, .release_place_i, .alu_valid_o,
    .alu_op_o, .alu_dtype_o, .alu_a_o, .alu_b_o, .alu_result_i, .alu_flags_i, .flush_valid_i,
    .flush_ready_o, .flush_port_i(qp_i), .flush_group_i(group_i), .flush_done_o,
    .group_valid_i(cells_valid_i), .group_ready_o(cells_ready_o), .group_i(cells_group_i),
    .group_cells_i(cells_i), .group_keep_i(cells_keep_i), .group_done_o(cells_done_o),
    .group_given_o(cells_given_o), .cell_valid_i(1'b0), .cell_ready_o(cell_ready),
    .cell_group_i(cells_group_i), .cell_back_i(1'b0), .cell_place_i(release_place_i),
    .cell_oldest_i(1'b0), .cell_done_o(cell_done), .cell_given_o(cell_given),
    .cell_place_o(cell_place_unused), .buffer_valid_i, .buffer_ready_o, .buffer_done_o,
    .buffer_place_o, .show_port_i(qp_i), .show_used_o(show_used), .show_group_i(cells_group_i),
    .show_own_o(show_own), .shared_free_o(shared_free)
  );
  always_comb begin
    fire_o.swaps = fire_swaps;
    fire_o.many = fire_many;
    fire_o.place = 16'(fire_place);
    fire_o.op = fire_op;
    fire_o.dtype = fire_dtype;
    fire_o.count = fire_count;
    fire_o.disagree = fire_disagree;
    fire_o.err_vector = fire_err;
  end
  assign room_o = arm_ready_o || fire_valid_o || flush_done_o || (verdict && !verdict_stored);
  assign busy_o = in_busy || ports_busy || own_busy || rmq_busy;

  logic unused;
  assign unused = ^{fire_port, fire_counter, fire_filled, lacks_port, show_used, show_own,
                    shared_free, cell_ready, cell_done, cell_given, cell_place_unused};
endmodule
