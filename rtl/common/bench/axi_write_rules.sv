// SPDX-License-Identifier: BSD-2-Clause
// Rules of the data channel of an AXI4 master that writes: an offer stays, unchanged, until it is
// taken; data come after the address of their burst, wlast is at its end, and each word has a
// strobe.
module axi_write_rules #(
  parameter int unsigned Bytes = 64
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               awvalid_i,
  input logic               awready_i,
  input logic [7:0]         awlen_i,
  input logic               wvalid_i,
  input logic               wready_i,
  input logic [8*Bytes-1:0] wdata_i,
  input logic [Bytes-1:0]   wstrb_i,
  input logic               wlast_i
);
  // The lengths of the bursts whose address was taken and whose data were not.
  localparam int unsigned Most = 256;
  logic [7:0] lens_q [Most];
  logic [7:0] write_q, read_q, at_q, len;
  assign len = lens_q[read_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      at_q <= '0;
    end else begin
      if (awvalid_i && awready_i) write_q <= write_q + 1'b1;
      if (wvalid_i && wready_i) begin
        at_q <= wlast_i ? '0 : at_q + 1'b1;
        if (wlast_i) read_q <= read_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) if (awvalid_i && awready_i) lens_q[write_q] <= awlen_i;

  stream_rules #(
    .Width(9 * Bytes + 1)
  ) u_stream (
    .clk_i, .rst_ni,
    .valid_i(wvalid_i),
    .ready_i(wready_i),
    .data_i({wlast_i, wstrb_i, wdata_i})
  );

  behind: assert property (@(posedge clk_i) disable iff (!rst_ni)
                           wvalid_i |-> write_q != read_q)
    else $error("data without an address");
  ends: assert property (@(posedge clk_i) disable iff (!rst_ni)
                         wvalid_i |-> wlast_i == (at_q == len))
    else $error("wlast is not at the end of a burst");
  some: assert property (@(posedge clk_i) disable iff (!rst_ni) wvalid_i |-> wstrb_i != '0)
    else $error("a word without a strobe");
endmodule
