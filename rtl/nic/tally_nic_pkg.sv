// SPDX-License-Identifier: BSD-2-Clause
// Units of tally_nic that have registers which the firmware writes.
package tally_nic_pkg;
  typedef enum logic [3:0] {
    ToRegs = 4'd0,
    ToTables = 4'd1,
    ToMemory = 4'd2,
    ToStore = 4'd3,
    ToRequests = 4'd4,
    ToStatus = 4'd5,
    ToSender = 4'd6,
    ToTrigger = 4'd7,
    ToPool = 4'd8,
    ToEvents = 4'd9,
    ToFirmware = 4'd10
  } target_e;
  localparam int unsigned Targets = 11;
endpackage
