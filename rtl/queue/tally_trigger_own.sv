// SPDX-License-Identifier: BSD-2-Clause
// Own data of descriptors, from the memory of the process or from the request itself to the place
// where they are needed (trigger_data() of sim/engine/trigger.c). tally_local_data has the answers
// of memory, takes inline data, and expands values.
//
// note_*: a descriptor has own data, note_i. note_none_i: its access is none, because there are no
// bytes, or because they are in the request (line_*, inl_*). At most Reads accesses are in flight.
// out_*: their answers, always taken. ready_*: a pulse, when the data of a descriptor are where
// they belong, or memory has refused them (ready_failed_o): for one that takes an intermediate
// result, in tally_rmq by tally_trigger_in (own_*), otherwise in its place (wr_*). Data are passed
// on only when they are complete, so nobody waits for memory then.
//
// Time: that of tally_local_data, a clock for each word, and three.
module tally_trigger_own #(
  parameter int unsigned Descs = 256,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  parameter int unsigned Reads = 8,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned Words = tally_pkg::MaxMtu / 64,
  localparam int unsigned IndexW = $clog2(Words),
  localparam int unsigned WordBits = 512
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          note_valid_i,
  output logic                          note_ready_o,
  input  logic [DescW-1:0]              note_desc_i,
  input  logic                          note_none_i,
  input  logic [EntryW-1:0]             note_entry_i,
  input  tally_trigger_pkg::own_t       note_i,
  output logic                          ready_valid_o,
  output logic [DescW-1:0]              ready_desc_o,
  output logic                          ready_failed_o,

  input  logic                          out_valid_i,
  input  logic [WordBits-1:0]           out_data_i,
  input  logic                          out_last_i,
  input  logic [DescW-1:0]              out_desc_i,
  input  logic                          out_error_i,
  output logic                          line_valid_o,
  input  logic                          line_ready_i,
  output logic [EntryW-1:0]             line_entry_o,
  output logic [12:0]                   line_from_o,
  output logic [12:0]                   line_len_o,
  input  logic                          inl_valid_i,
  output logic                          inl_ready_o,
  input  logic [WordBits-1:0]           inl_data_i,

  output logic                          own_valid_o,
  input  logic                          own_ready_i,
  output logic [GroupW-1:0]             own_group_o,
  output logic [QpW-1:0]                own_qp_o,
  output tally_trigger_pkg::message_t   own_o,
  output logic                          own_tvalid_o,
  input  logic                          own_tready_i,
  output logic [WordBits-1:0]           own_tdata_o,
  output logic                          wr_valid_o,
  input  logic                          wr_ready_i,
  output logic [PlaceW-1:0]             wr_place_o,
  output logic [IndexW-1:0]             wr_word_o,
  output logic [WordBits-1:0]           wr_data_o
);
  localparam int unsigned OwnW = 166;

  // ---- tally_local_data: what it calls a message of the store is what is known of the data ----
  tally_local_pkg::chunk_t chunk;
  tally_store_pkg::operation_t op;
  tally_trigger_pkg::own_t own, first;  // the latter: what comes in the clock of StIdle
  logic op_valid, op_ready, op_last, answers, unused_keep;
  logic [63:0] op_keep;
  logic [OwnW-1:0] note_raw, op_raw, own_raw_q;
  logic [15:0] unused_err;
  tally_local_pkg::gave_e gave;
  logic [WordBits-1:0] op_data;
  assign note_raw = note_i;
  always_comb begin
    chunk = '0;
    chunk.values = note_i.values;
    chunk.give_log = note_i.give_log;
    chunk.index = note_i.index;
    chunk.group_ = note_i.group_;
    chunk.message = 248'(note_raw);
    chunk.bytes = note_i.bytes;
    chunk.len = note_i.len;
  end
  tally_local_data #(.Jobs(Descs), .Reads(Reads), .Entries(Entries)) u_data (
    .clk_i, .rst_ni, .busy_o, .note_valid_i, .note_ready_o, .note_job_i(note_desc_i), .note_none_i,
    .note_asked_i(1'b0), .note_entry_i, .note_i(chunk), .out_valid_i, .out_data_i, .out_last_i,
    .out_job_i(out_desc_i),
    .out_error_i, .line_valid_o, .line_ready_i, .line_entry_o, .line_from_o, .line_len_o,
    .inl_valid_i, .inl_ready_o, .inl_data_i, .op_valid_o(op_valid), .op_ready_i(op_ready),
    .op_o(op), .op_tdata_o(op_data), .op_tkeep_o(op_keep), .op_tlast_o(op_last),
    .ans_valid_i(answers), .ans_answer_i(8'(tally_fw_pkg::StoreAnswerStored)),
    .ans_err_vector_i('0), .gave_valid_o(ready_valid_o), .gave_job_o(ready_desc_o), .gave_o(gave),
    .gave_err_vector_o(unused_err)
  );
  assign ready_failed_o = gave == tally_local_pkg::GaveRefused;

  // ---- Where they go ----
  typedef enum logic [2:0] {
    StIdle,
    StOwn,    // tally_trigger_in takes them
    StPlace,  // they are written
    StDrop,   // the word that stands for no bytes
    StAnswer
  } state_e;
  state_e state_d, state_q;
  logic empty, ends_own, whole_q;
  logic [IndexW-1:0] word_q;

  // What is known of the data is kept, as others come behind their last word (whole_q).
  assign op_raw = op.message[OwnW-1:0];
  assign first = op_raw;
  assign own = own_raw_q;
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      own_raw_q <= op_raw;
      empty <= first.bytes == '0;
    end
    whole_q <= state_q != StIdle && (whole_q || (op_valid && op_ready && op_last));
  end
  assign ends_own = own_valid_o && own_ready_i;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (op_valid) state_d = first.swaps ? StOwn : first.bytes == '0 ? StDrop : StPlace;
      StOwn: if (ends_own) state_d = empty ? StDrop : StAnswer;
      StPlace: if (op_valid && op_ready && op_last) state_d = StAnswer;
      StDrop: state_d = StAnswer;
      default: state_d = StIdle;  // StAnswer
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) word_q <= state_q == StPlace ? word_q + IndexW'(wr_ready_i && op_valid)
                                                          : '0;
  assign answers = state_q == StAnswer;

  assign own_valid_o = state_q == StOwn;
  assign own_group_o = GroupW'(own.group_);
  assign own_qp_o = QpW'(own.qp);
  always_comb begin
    own_o = '0;
    own_o.swp_mp = 1'b1;
    own_o.op = own.op;
    own_o.dtype = own.dtype;
    own_o.count = own.count;
    own_o.len = own.bytes;
    own_o.counter = own.counter;
  end
  assign own_tvalid_o = state_q == StOwn && op_valid && !empty && !whole_q;
  assign own_tdata_o = op_data;
  assign wr_valid_o = state_q == StPlace && op_valid;
  assign wr_place_o = PlaceW'(own.place);
  assign wr_word_o = word_q;
  assign wr_data_o = op_data;
  always_comb begin
    op_ready = state_q == StDrop;
    if (state_q == StOwn) op_ready = own_tready_i && !empty && !whole_q;
    else if (state_q == StPlace) op_ready = wr_ready_i;
  end
  assign unused_keep = ^{op_keep, op, unused_err, own, first};
endmodule
