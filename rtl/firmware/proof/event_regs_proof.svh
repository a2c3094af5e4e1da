// SPDX-License-Identifier: BSD-2-Clause
// Each read has one answer, which stays until it is taken. An event is taken once for each read of
// `next`, and by no other read; the registers change with it alone. An OPEN is compared only for a
// read of `open`.
`include "tally_proof.svh"

logic due_q, next_q, open_read_q, took_q, compared_q, held_q, stays_q, refused_q;
logic [31:0] data_was_q, open_was_q, offset;
logic [1:0] resp_was_q;
tally_events_pkg::event_t event_was_q, take_was_q;
logic reads, answered, in_window;
assign reads = axil_arvalid_i && axil_arready_o;
assign answered = axil_rvalid_o && axil_rready_i;
assign offset = axil_araddr_i - tally_fw_pkg::EventBase;
assign in_window = axil_araddr_i >= tally_fw_pkg::EventBase && axil_araddr_i[1:0] == 2'b00 &&
    (offset <= tally_fw_pkg::EventQpOffset || (offset >= tally_fw_pkg::EventDataOffset &&
     offset < tally_fw_pkg::EventDataOffset + 4 * tally_fw_pkg::DataWords));

always_ff @(posedge clk_i) begin
  due_q <= started_q && (reads || (due_q && !answered));
  if (reads) begin
    next_q <= in_window && offset == tally_fw_pkg::EventNextOffset;
    open_read_q <= in_window && offset == tally_fw_pkg::EventOpenOffset;
    refused_q <= !in_window;
  end
  took_q <= take_valid_o && take_ready_i;
  compared_q <= open_valid_o && open_ready_i;
  held_q <= started_q && axil_rvalid_o && !axil_rready_i;
  stays_q <= started_q && !(take_valid_o && take_ready_i);
  data_was_q <= axil_rdata_o;
  resp_was_q <= axil_rresp_o;
  event_was_q <= event_o;
  take_was_q <= take_i;
  open_was_q <= open_i;
end

always_comb begin
  if (started_q) begin
    assert (due_q == (axil_rvalid_o || take_valid_o || open_valid_o));
    assert (busy_o == due_q && axil_arready_o == !due_q);
    assert (32'(axil_rvalid_o) + 32'(take_valid_o) + 32'(open_valid_o) <= 1);
    if (take_valid_o) assert (next_q);
    if (open_valid_o) begin
      assert (open_read_q && event_o.packet.type_ == 8'(tally_fw_pkg::EvOpen));
    end
    if (axil_rvalid_o) begin
      assert (axil_rresp_o == (refused_q ? RespSlvErr : RespOkay));
      if (refused_q) assert (axil_rdata_o == '0);
      if (next_q && !held_q) assert (took_q && event_o == take_was_q);
      if (next_q) assert (axil_rdata_o == {event_o.packet.context_, event_o.packet.edge_,
                                           event_o.packet.type_});
      if (open_read_q && event_o.packet.type_ != 8'(tally_fw_pkg::EvOpen)) begin
        assert (axil_rdata_o == '0);
      end
      if (open_read_q && compared_q) assert (axil_rdata_o == open_was_q);
    end
    if (open_q != '0) assert (event_o.packet.type_ == 8'(tally_fw_pkg::EvOpen));
    if (held_q) begin
      assert (axil_rvalid_o && axil_rdata_o == data_was_q && axil_rresp_o == resp_was_q);
    end
    if (stays_q) assert (event_o == event_was_q);
    cover (axil_rvalid_o && next_q && axil_rdata_o == 32'h12345678);
    cover (axil_rvalid_o && open_read_q && compared_q && axil_rdata_o == 32'h800);
    cover (axil_rvalid_o && axil_rresp_o == RespSlvErr);
  end
end
