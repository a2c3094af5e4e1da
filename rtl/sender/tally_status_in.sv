// SPDX-License-Identifier: BSD-2-Clause
// What tally_requests has of each queue pair, in the order of its indices, for tally_status: parsed
// requests, which wait, and those that were answered ahead of their turn (skip_*), which cannot be
// held up and are counted. What is answered ahead (req_ahead_i) has no turn, and passes.
//
// in_*: the request at req_*, which leaves when it is taken, or (in_skip_o) one that was answered.
// skip_*: pulses, of one queue pair at least two clocks apart, and of different ones six. While one
// with skip_passes_i has not left, all others of its queue pair have it, too.
//
// cmd_*: a command to a queue pair goes on; one that forgets its requests (cmd_forgets_i) when what
// was answered is forgotten here, and nothing of the queue pair is offered. There must be no
// request of it at req_* meanwhile.
//
// What was answered in front of a request has been told before the request comes.
//
// Time: a request is offered in the clock in which it comes if nothing that was answered waits,
// otherwise two clocks later; the next one three or four after it has been taken. busy_o is low if
// nothing happens without an input, and depends on registers only.
module tally_status_in #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Depth = tally_pkg::MaxSqDepth,  // requests of a queue pair at most
  parameter int unsigned IndexW = 32,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [QpW-1:0]    req_qp_i,
  input  logic [IndexW-1:0] req_index_i,
  input  logic              req_ahead_i,

  input  logic              skip_valid_i,
  input  logic [QpW-1:0]    skip_qp_i,
  input  logic [IndexW-1:0] skip_index_i,
  input  logic              skip_passes_i,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  logic [QpW-1:0]    cmd_qp_i,
  input  logic              cmd_forgets_i,
  output logic              cmd_valid_o,
  input  logic              cmd_ready_i,

  output logic              in_valid_o,
  input  logic              in_ready_i,
  output logic [QpW-1:0]    in_qp_o,
  output logic              in_skip_o,
  output logic              in_passes_o
);
  localparam int unsigned NumW = $clog2(Depth + 1);
  localparam int unsigned AllW = QpW + NumW;

  // Requests of a queue pair that were answered and have not left.
  typedef struct packed {
    logic [IndexW-1:0] next;    // index of what leaves next, unless num is 0
    logic [NumW-1:0]   num;
    logic              passes;
  } row_t;
  localparam int unsigned RowW = IndexW + NumW + 1;

  // One after the other, in this order if several wait. Each reads a row, and then writes it.
  typedef enum logic [1:0] {
    OpDone,    // what was offered has left
    OpAdd,     // further ones were answered
    OpForget,
    OpChoose   // what is offered next
  } op_e;

  logic [RowW-1:0] mem_q [2**QpW];
  logic [RowW-1:0] read_q;
  row_t row, row_d;
  logic row_q, written, wiping, any, by_req, write;
  op_e op, op_q;
  logic [QpW-1:0] qp, at_q;

  logic [AllW-1:0] all_q;  // what was answered and has not left

  // ---- What was answered, until it is in its row ----
  logic add_q, add_passes_q, adds;
  logic [QpW-1:0] add_qp_q;
  logic [IndexW-1:0] add_index_q;
  logic [NumW-1:0] add_num_q;
  assign adds = row_q && op_q == OpAdd;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) add_q <= 1'b0;
    else add_q <= skip_valid_i || (add_q && !adds);
  end
  always_ff @(posedge clk_i) begin
    if (skip_valid_i) begin
      add_num_q <= add_q && !adds ? add_num_q + 1'b1 : NumW'(1);
      if (!add_q || adds) add_index_q <= skip_index_i;
      add_qp_q <= skip_qp_i;
      add_passes_q <= skip_passes_i;
    end
  end

  // ---- What is offered ----
  logic offers_q, skip_q, ahead_q, done_q, forgot_q, takes;
  logic [QpW-1:0] offer_qp_q;
  logic [IndexW-1:0] done_index_q;
  logic passes_q, direct;
  assign direct = req_valid_i && all_q == '0 && !offers_q && !done_q && !row_q && !forgets &&
                  !wiping;
  assign takes = in_valid_o && in_ready_i;
  assign in_valid_o = offers_q || direct;
  assign in_qp_o = direct ? req_qp_i : offer_qp_q;
  assign in_skip_o = skip_q && !direct;
  assign in_passes_o = passes_q && !direct;
  assign req_ready_o = takes && !in_skip_o;

  // ---- Who is next ----
  logic mark_q, next_valid, next_ready, unused_searches, marks_busy, chosen_q, forgets;
  logic [QpW-1:0] next_qp, mark_at_q;
  assign forgets = cmd_valid_i && cmd_forgets_i && !forgot_q &&
                   !((offers_q || done_q) && offer_qp_q == cmd_qp_i);
  // A request and what was answered take turns.
  assign by_req = req_valid_i && (!next_valid || !chosen_q);
  always_comb begin
    any = !wiping;
    op = OpChoose;
    qp = by_req ? req_qp_i : next_qp;
    if (done_q) begin
      op = OpDone;
      qp = offer_qp_q;
    end else if (add_q) begin
      op = OpAdd;
      qp = add_qp_q;
    end else if (forgets) begin
      op = OpForget;
      qp = cmd_qp_i;
    end else begin
      any = !wiping && !offers_q && !direct && (req_valid_i || next_valid);
    end
  end

  // ---- The row ----
  logic of_req, waits, req_first, is_done_of, req_before;
  logic [IndexW-1:0] distance;
  assign row = written ? read_q : '0;
  // The request that has just left is before what was answered meanwhile, and the one at hand may
  // be.
  assign of_req = req_valid_i && !req_ahead_i && req_qp_i == at_q;
  assign is_done_of = done_q && !skip_q && !ahead_q && offer_qp_q == at_q;
  assign distance = req_index_i - add_index_q;
  assign req_before = of_req && distance[IndexW-1];
  assign waits = row.num != '0;
  assign req_first = of_req && (!waits || req_index_i == row.next);
  always_comb begin
    row_d = row;
    write = row_q;
    unique case (op_q)
      OpDone: begin
        row_d.next = row.next + 1'b1;
        if (skip_q) row_d.num = row.num - 1'b1;
        write = row_q && !ahead_q;
      end
      OpAdd: begin
        row_d.num = row.num + add_num_q;
        row_d.passes = add_passes_q;
        if (!waits) row_d.next = is_done_of ? done_index_q : req_before ? req_index_i : add_index_q;
      end
      OpForget: row_d.num = '0;
      default: write = 1'b0;  // OpChoose
    endcase
  end
  // Its mark follows a clock later.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mark_q <= 1'b0;
    else mark_q <= write && row_d.num != '0;
  end
  always_ff @(posedge clk_i) mark_at_q <= at_q;
  assign next_ready = row_q && op_q == OpChoose && chosen_q;

  logic chooses, chooses_req;
  // What has just been answered is counted first.
  assign chooses = row_q && op_q == OpChoose && !(add_q && add_qp_q == at_q);
  // What has a mark is offered, or gets another one when the request in front of it has left.
  assign chooses_req = req_first || (req_valid_i && req_ahead_i && !chosen_q);

  tally_marks #(.Num(Qps)) u_marks (
    .clk_i, .rst_ni, .busy_o(marks_busy),
    .mark_valid_i(mark_q), .mark_i(mark_at_q), .searches_o(unused_searches),
    .out_valid_o(next_valid), .out_ready_i(next_ready), .out_o(next_qp)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q <= 1'b0;
      offers_q <= 1'b0;
      done_q <= 1'b0;
      forgot_q <= 1'b0;
      chosen_q <= 1'b0;
    end else begin
      row_q <= any && !row_q;
      if (any && !row_q && op == OpChoose) chosen_q <= !by_req;
      offers_q <= (in_valid_o && !in_ready_i) || (chooses && (chooses_req || waits));
      done_q <= takes || (done_q && !(row_q && op_q == OpDone));
      forgot_q <= (forgot_q || (row_q && op_q == OpForget)) && !cmd_ready_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (any && !row_q) begin
      op_q <= op;
      at_q <= qp;
    end
    if (chooses) begin
      offer_qp_q <= at_q;
      skip_q <= !chooses_req;
      ahead_q <= chooses_req && req_ahead_i;
      passes_q <= row.passes;
    end else if (direct) begin
      offer_qp_q <= req_qp_i;
      skip_q <= 1'b0;
      ahead_q <= req_ahead_i;
      passes_q <= 1'b0;
    end
    if (takes) done_index_q <= req_index_i;
  end

  // ---- Commands ----
  assign cmd_valid_o = cmd_valid_i && (!cmd_forgets_i || forgot_q);
  assign cmd_ready_o = cmd_valid_o && cmd_ready_i;

  // ---- Memory ----
  always_ff @(posedge clk_i) begin
    if (any && !row_q) read_q <= mem_q[qp];
    if (write) mem_q[at_q] <= row_d;
  end
  tally_written #(.Rows(2**QpW)) u_written (
    .clk_i, .rst_ni, .busy_o(wiping), .write_i(write), .write_at_i(at_q),
    .read_i(any && !row_q), .read_at_i(qp), .written_o(written)
  );

  // ---- What has not left ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      all_q <= '0;
    end else begin
      all_q <= all_q + AllW'(skip_valid_i) - AllW'(takes && in_skip_o) -
               (row_q && op_q == OpForget ? AllW'(row.num) : '0);
    end
  end
  assign busy_o = wiping || row_q || offers_q || done_q || mark_q || marks_busy || all_q != '0;

  logic unused;
  assign unused = unused_searches;

`ifdef FORMAL
  `include "status_in_proof.svh"
`endif
endmodule
