// SPDX-License-Identifier: BSD-2-Clause
// Records of the blocks that access the memory of local ranks (docs/rtl-sender.md).
package tally_local_pkg;
  // What a job is for.
  typedef enum logic [1:0] {
    JobGive = 2'd0,  // the data of a rank go to the store
    JobGet = 2'd1,   // a result goes to a rank
    JobFlag = 2'd2   // the flag word of a request is written
  } kind_e;

  // A job of a rank in a chunk. At most one of its access is in flight.
  typedef struct packed {
    logic [1:0]  kind;
    logic        tells;       // with the end of the job the rank has finished the chunk
    logic [15:0] group_;
    logic [31:0] num;         // of the chunk
    logic [5:0]  rank;
    logic [12:0] bytes;       // of a result
    logic [15:0] err_vector;  // of a result
  } job_t;

  // An access to memory, or none, if there are no bytes.
  typedef struct packed {
    logic        none;
    logic        write;
    logic [15:0] pd;
    logic [31:0] lkey;
    logic [63:0] addr;
    logic [12:0] len;
  } access_t;

  // What has become of the data of a rank.
  typedef enum logic [1:0] {
    GaveStored = 2'd0,  // the store has them
    GaveLost = 2'd1,    // the store does not want them: its answer says why
    GaveRefused = 2'd2  // memory has refused the read
  } gave_e;

  // An entry of a gather or result list. All entries of a list have the same length.
  typedef struct packed {
    logic [63:0] addr;
    logic [31:0] lkey;
  } entry_t;

  // What the row of a request has besides the request.
  typedef struct packed {
    logic [15:0] pd;
    logic        root;    // the root of its message is one of its ranks
    entry_t      gather;  // the first entry of each list
    entry_t      result;
  } row_t;

  // Ranks whose data are due. `message` is message_t of tally_segment_pkg, whose count is that of
  // a whole chunk: yosys does not know names of other packages here.
  typedef struct packed {
    logic [15:0]  group_;
    logic [247:0] message;
    logic [63:0]  ranks;
  } due_t;

  // The data of a rank, for their operation. `from` and `len` are bytes of its list entry.
  typedef struct packed {
    logic         values;    // become pairs with their indices
    logic [1:0]   give_log;  // log2 of the bytes of such a value
    logic [31:0]  index;     // of the first one
    logic [15:0]  group_;
    logic [247:0] message;
    logic [5:0]   rank;
    logic [12:0]  bytes;
    logic [12:0]  from;
    logic [12:0]  len;
  } chunk_t;
endpackage : tally_local_pkg
