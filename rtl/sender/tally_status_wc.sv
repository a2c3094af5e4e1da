// SPDX-License-Identifier: BSD-2-Clause
// The status of verbs (wc_status_e of tally_pkg) that belongs to the status of a request:
// coll_status_wc(), or coll_status_wc_of_end() for one that fails because of another's fault. The
// answer comes in the next clock.
module tally_status_wc (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] status_i,   // tally_pkg::coll_status_e
  input  logic        other_i,    // the fault is another's
  output logic [7:0]  wc_o
);
  logic is_local;  // coll_status_is_local()
  logic [7:0] wc;

  always_comb begin
    unique case (status_i)
      tally_pkg::CollOk: wc = tally_pkg::WcSuccess;
      tally_pkg::CollBadCount, tally_pkg::CollTooLong, tally_pkg::CollBadSgeLength,
      tally_pkg::CollBadInline, tally_pkg::CollBadChunk: wc = tally_pkg::WcLocLenErr;
      tally_pkg::CollBadLkey, tally_pkg::CollMrRange,
      tally_pkg::CollMrAccess: wc = tally_pkg::WcLocProtErr;
      tally_pkg::CollWqeFetch, tally_pkg::CollDmaError: wc = tally_pkg::WcLocAccessErr;
      tally_pkg::CollTimeout, tally_pkg::CollNoHandshake,
      tally_pkg::CollRmqOverflow: wc = tally_pkg::WcRespTimeoutErr;
      tally_pkg::CollRetryExceeded: wc = tally_pkg::WcRetryExcErr;
      tally_pkg::CollFlushed: wc = tally_pkg::WcWrFlushErr;
      tally_pkg::CollRankGone, tally_pkg::CollAborted, tally_pkg::CollMismatch,
      tally_pkg::CollOpcodeMismatch, tally_pkg::CollOpMismatch, tally_pkg::CollTypeMismatch,
      tally_pkg::CollCountMismatch, tally_pkg::CollRootMismatch, tally_pkg::CollChunkMismatch,
      tally_pkg::CollMaskMismatch, tally_pkg::CollModeMismatch, tally_pkg::CollPeerGone,
      tally_pkg::CollEpochChanged, tally_pkg::CollConfigMismatch: wc = tally_pkg::WcRemAbortErr;
      default: wc = status_i < tally_pkg::CollTimeout ? tally_pkg::WcLocQpOpErr :
                                                        tally_pkg::WcGeneralErr;
    endcase
  end
  assign is_local = (status_i != tally_pkg::CollOk && status_i < tally_pkg::CollTimeout) ||
                    status_i == tally_pkg::CollDmaError;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wc_o <= tally_pkg::WcSuccess;
    else wc_o <= other_i && is_local ? tally_pkg::WcRemAbortErr : wc;
  end

`ifdef FORMAL
  `include "status_wc_proof.svh"
`endif
endmodule
