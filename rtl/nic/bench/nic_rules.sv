// SPDX-License-Identifier: BSD-2-Clause
// Rules of tally_nic. Of its clocks, and of idle_o: a unit that takes something, gives something
// away or has something to do (does_i) has its clock, and the NIC is not idle meanwhile (runs_i).
module nic_rules #(
  parameter int unsigned Num = 1
) (
  input logic           clk_i,
  input logic           rst_ni,
  input logic           runs_i,
  input logic [Num-1:0] does_i
);
  runs: assert property (@(posedge clk_i) disable iff (!rst_ni) does_i != '0 |-> runs_i)
    else $error("%b without a clock", does_i);
endmodule

bind tally_nic nic_rules #(.Num(3)) u_rx_rules (
  .clk_i, .rst_ni, .runs_i(u_rx_gate.en_i),
  .does_i({rx_tvalid_i && rx_tready_o, in_valid && in_ready, in_tvalid && in_tready})
);
bind tally_nic nic_rules #(.Num(11)) u_send_rules (
  .clk_i, .rst_ni, .runs_i(u_send_gate.en_i),
  .does_i({
    set_valid && set_ready, taken, gone, stopped, look_valid && look_ready,
    reply_valid && reply_ready, ask_valid && ask_ready, acked_valid && acked_ready,
    again_valid && again_ready, expired_valid_o && expired_ready_i,
    send_deadline_valid && send_deadline <= now_i
  })
);
bind tally_nic nic_rules #(.Num(22)) u_head_rules (
  .clk_i, .rst_ni, .runs_i(u_head_gate.en_i),
  .does_i({
    head_write && head_ready, head_bvalid && next_bready, tables_taken_q, store_taken_q,
    renewed_q, taken, stopped, does_write, moved_valid_o && moved_here, peer_q && heard_ready,
    ack_valid && ack_ready, ack_valid_o && ack_ready_i, mhead_valid && mhead_ready,
    mtx_tvalid && mtx_tready, busy_valid && busy_ready, chunk_valid && chunk_ready,
    words_tvalid && words_tready, ones_valid && ones_ready, ones_tvalid && ones_tready,
    asks[1] && asks_ready[1], head_look && head_look_ready,
    head_deadline_valid && head_deadline <= now_i
  })
);
bind tally_nic nic_rules #(.Num(10)) u_tx_rules (
  .clk_i, .rst_ni, .runs_i(u_tx_gate.en_i),
  .does_i({
    ones_valid && ones_ready, heads_valid && heads_ready, sent_valid && sent_ready,
    sent_tvalid && sent_tready, hdr_valid_i && hdr_ready_o, dat_tvalid_i && dat_tready_o,
    asks[0] && asks_ready[0], enc_valid && enc_ready, tx_tvalid_o && tx_tready_i, err_valid_o
  })
);
bind tally_nic nic_rules #(.Num(15)) u_store_rules (
  .clk_i, .rst_ni, .runs_i(u_store_gate.en_i),
  .does_i({
    write[tally_nic_pkg::ToStore], tables_taken_q && !puts, pass_valid && pass_ready,
    loc_valid && loc_ready, post_valid && post_ready,
    cmd_valid && cmd_ready, ans_valid_o && ans_ready_i, moved_valid_o, does_write,
    res_tvalid && res_tready, chunk_valid && chunk_ready, words_tvalid && words_tready,
    acked_valid && acked_here && acked_ready, again_valid && again_here && again_ready, wake
  })
);
// tally_requests, tally_status_unit, tally_sender_unit and tally_pool_unit
bind tally_nic nic_rules #(.Num(22)) u_requests_rules (
  .clk_i, .rst_ni, .runs_i(u_requests_gate.en_i),
  .does_i({
    write[tally_nic_pkg::ToRequests], write[tally_nic_pkg::ToStatus],
    write[tally_nic_pkg::ToSender], write[tally_nic_pkg::ToPool],
    wrote && (requests_listen || status_listens), push_awvalid_i && push_awready_o,
    push_wvalid_i && push_wready_o, push_bvalid_o && push_bready_i,
    fetch_arvalid && fetch_arready, fetch_rvalid && fetch_rready, bell_valid && bell_ready,
    chk_valid && chk_ready, ans_valid, sta_valid && sta_ready, any_end && end_ready,
    any_upd && upd_ready, fail_valid_o && fail_ready_i, moved_valid_o, ans_of_post,
    post_valid && post_ready, hand_valid && hand_ready, want_valid
  })
);
bind tally_nic nic_rules #(.Num(15)) u_local_rules (
  .clk_i, .rst_ni, .runs_i(u_requests_gate.en_i),
  .does_i({
    fence_valid && fence_ready, fenced_valid && fenced_ready, ans_of_local,
    lac_valid && lac_ready, lac_dat_valid && lac_dat_ready, ace_valid_o && ace_of_local,
    acr_valid_o && acr_of_local, res_tvalid && res_tready, loc_valid && loc_ready,
    lfault_valid && lfault_ready, far_sge_valid_o && far_sge_ready_i, far_sgot_valid_i,
    far_read_valid_o && far_read_ready_i, far_word_valid_i && far_word_ready_o,
    due_valid && due_ready
  })
);
bind tally_nic nic_rules #(.Num(16)) u_trigger_rules (
  .clk_i, .rst_ni, .runs_i(u_requests_gate.en_i),
  .does_i({
    write[tally_nic_pkg::ToTrigger], mes_valid && mes_ready, mes_tvalid && mes_tready,
    acked_valid && acked_desc && acked_ready, again_valid && again_desc && again_ready, wake,
    dac_valid && dac_ready, dac_dat_valid && dac_dat_ready, ace_valid_o && ace_of_desc,
    acr_valid_o && acr_of_desc, mhead_valid && mhead_ready, mtx_tvalid && mtx_tready,
    busy_valid && busy_ready, fly_end_valid && fly_end_ready, dfault_valid && dfault_ready,
    desc_deadline_valid && desc_deadline <= now_i
  })
);
// What is on offer within is not for somebody outside to start again.
bind tally_nic nic_rules #(.Num(24)) u_idle_rules (
  .clk_i, .rst_ni, .runs_i(!idle_o),
  .does_i({
    rx_inside_q, in_valid, payloads_q != '0, adm_valid, others_valid, gate_valid, peer_q,
    pass_valid, mes_valid, chunk_valid, source_valid, ones_valid, heads_valid, heads_tvalid,
    sent_valid, tx_tvalid_o, set_offered, loc_valid, post_valid, lend_valid,
    dend_valid, sup_valid, dup_valid, gate_end_valid
  })
);
bind tally_nic nic_rules #(.Num(15)) u_busy_rules (
  .clk_i, .rst_ni, .runs_i(!idle_o),
  .does_i({
    regs_busy, writes_busy, edge_regs_busy, head_busy, memory_busy, requests_busy, status_busy,
    local_busy, sender_busy, trigger_busy, pool_busy, events_busy, exceptions_busy,
    firmware_busy, events_drop
  })
);
// No unit is due before deadline_o.
bind tally_nic nic_rules #(.Num(4)) u_deadline_rules (
  .clk_i, .rst_ni, .runs_i(1'b0),
  .does_i({
    acks_deadline_valid && !(deadline_valid_o && deadline_o <= acks_deadline),
    send_deadline_valid && !(deadline_valid_o && deadline_o <= send_deadline),
    head_deadline_valid && !(deadline_valid_o && deadline_o <= head_deadline),
    desc_deadline_valid && !(deadline_valid_o && deadline_o <= desc_deadline)
  })
);
// tally_send takes no write, and sees none, while one is carried out (tally_head_regs); one unit
// answers a write.
bind tally_nic nic_rules #(.Num(2)) u_write_rules (
  .clk_i, .rst_ni, .runs_i(1'b0),
  .does_i({u_head.taken_i && head_regs_busy, head_bvalid && tables_bvalid_next})
);
