// SPDX-License-Identifier: BSD-2-Clause
// What follows when a descriptor has fired (fire(), agrees(), fill_tch() of sim/engine/trigger.c).
//
// req_i: the descriptor. fire_*: what tally_rmq says of it; those behind fire_swaps_i are of the
// intermediate result that it takes. A descriptor that disagrees with it is spoilt: its message has
// no data, and nothing is written to memory.
//
// message_o: its message, as it is sent to receivers_o (contributors, the parent, this node), and
// to queue pair port_o there; opcode_o and mid_o belong to its header. disagree_o: contributors
// that disagree, if it is spoilt. writes_o: its result goes to memory.
//
// Time: one clock.
module tally_trigger_fired #(
  localparam int unsigned Contributors = tally_pkg::MaxContributors,
  localparam int unsigned Receivers = Contributors + 2
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  tally_request_pkg::request_t   req_i,
  input  logic                          fire_swaps_i,
  input  logic                          fire_many_i,
  input  logic [7:0]                    fire_op_i,
  input  logic [7:0]                    fire_dtype_i,
  input  logic [31:0]                   fire_count_i,
  input  logic [Contributors-1:0]       fire_disagree_i,
  input  logic [15:0]                   fire_err_vector_i,

  output logic                          spoilt_o,
  output logic [Contributors-1:0]       disagree_o,
  output logic                          writes_o,
  output logic [Receivers-1:0]          receivers_o,
  output tally_trigger_pkg::message_t   message_o,
  output logic [15:0]                   port_o,
  output logic [7:0]                    opcode_o,
  output logic [31:0]                   mid_o
);
  localparam int unsigned MessageW = 95;

  // ---- Agreement ----
  logic loc, op_matters, agrees, spoilt, sends_data;
  logic [2:0] size;  // log2 of the bytes of an element of the intermediate result
  logic [15:0] err, err_all;

  // MINLOC and MAXLOC have a value and an index of at least four bytes.
  assign loc = fire_op_i == 8'(tally_pkg::OpMinloc) || fire_op_i == 8'(tally_pkg::OpMaxloc);
  assign size = loc ? (fire_dtype_i[1:0] == 2'd3 ? 3'd4 : 3'd3) : {1'b0, fire_dtype_i[1:0]};
  assign op_matters = req_i.opcode == 8'(tally_pkg::OpcodeReduceMp) ||
                      (fire_many_i && req_i.op != 8'(tally_pkg::OpNone));
  assign agrees = fire_dtype_i == req_i.dtype && fire_count_i == req_i.count &&
                  size == req_i.elem_log && (!op_matters || fire_op_i == req_i.op);
  assign err = req_i.err_vector | fire_err_vector_i;
  assign spoilt = err[tally_pkg::ErrMismatchBit] || (fire_swaps_i && !agrees);
  always_comb begin
    err_all = err;
    if (spoilt) err_all[tally_pkg::ErrMismatchBit] = 1'b1;
  end

  // ---- The message: only one that the target keeps has data ----
  tally_trigger_pkg::message_t message;
  logic [MessageW-1:0] message_q;
  assign sends_data = !spoilt && req_i.flags[tally_pkg::WqeFSwpMpBit];
  always_comb begin
    message.swp_mp = req_i.flags[tally_pkg::WqeFSwpMpBit];
    message.cp = req_i.flags[tally_pkg::WqeFCpBit];
    message.branch = req_i.branch;
    message.op = req_i.op;
    message.dtype = req_i.dtype;
    message.count = sends_data ? req_i.count : '0;
    message.err_vector = err_all;
    message.len = sends_data ? 13'(req_i.count[12:0] << req_i.elem_log) : '0;
    message.counter = req_i.dest_counter;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      spoilt_o <= 1'b0;
      writes_o <= 1'b0;
      receivers_o <= '0;
    end else begin
      spoilt_o <= spoilt;
      writes_o <= req_i.num_result != '0 && !spoilt;
      receivers_o <= {req_i.flags[tally_pkg::WqeFToSelfBit],
                      req_i.flags[tally_pkg::WqeFToParentBit], req_i.edges};
    end
  end
  always_ff @(posedge clk_i) begin
    disagree_o <= spoilt && fire_swaps_i ? fire_disagree_i : '0;
    message_q <= message;
    port_o <= req_i.dest_port;
    opcode_o <= req_i.opcode;
    mid_o <= req_i.mid;
  end
  assign message_o = message_q;

  logic unused;
  assign unused = ^req_i;
endmodule
