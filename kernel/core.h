/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the files of tally.ko share. Nothing outside tally.ko includes this. */
#ifndef TALLY_CORE_H
#define TALLY_CORE_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "inject.h"
#include "tally.h"

#ifndef CONFIG_64BIT
#error "Doorbells are 64-bit counters that must be stored whole: a 64-bit kernel is needed"
#endif

/* Entries of the admin queue. A command's id is its slot, in the lower byte, and a generation. */
#define TALLY_AQ_DEPTH 64
/* Entries of every event queue: an event of every object fits several times. */
#define TALLY_EQ_DEPTH TALLY_MAX_EQ_DEPTH

struct tally_pf;

/**
 * struct tally_attach - How a kind of board is attached, by PCI id.
 * @ring_bar: BAR with the wake-up register
 * @ring_offset: the register in that BAR
 * @ring_value: what to store there; 0: the device never sleeps and there is no register
 * @ring_page: the page with the register, if a process may map it; 0, reported, if not
 */
struct tally_attach {
	int ring_bar;
	u32 ring_offset;
	u32 ring_value;
	phys_addr_t (*ring_page)(struct tally_pf *pf);
};

/**
 * struct tally_aq_slot - A command on its way.
 * @done: completed by the answer, or when the device is given up
 * @answer: copy of the answer
 * @gen: generation, so that a late answer to the slot's last user is not taken for this one's
 * @busy: the slot is taken; after a time-out it stays so until the device is reset
 * @answered: answer is valid
 */
struct tally_aq_slot {
	struct completion done;
	struct tally_admin_cqe answer;
	u8 gen;
	bool busy;
	bool answered;
};

/**
 * struct tally_adminq - The admin queue.
 * @lock: guards everything below, also from interrupts
 * @wait: for a free slot
 * @sq: command ring
 * @cq: completion ring
 * @sq_dma: its bus address
 * @cq_dma: its bus address
 * @posted: commands posted since the last reset
 * @consumed: completions consumed since the last reset
 * @waiting: commands that somebody waits for
 * @open: commands are taken
 * @slots: one for each entry of the command ring
 */
struct tally_adminq {
	spinlock_t lock;
	wait_queue_head_t wait;
	struct tally_admin_cmd *sq;
	struct tally_admin_cqe *cq;
	dma_addr_t sq_dma;
	dma_addr_t cq_dma;
	u64 posted;
	u64 consumed;
	unsigned int waiting;
	bool open;
	struct tally_aq_slot slots[TALLY_AQ_DEPTH];
};

/**
 * struct tally_eq - An event queue and its interrupt.
 * @pf: device
 * @num: number, and MSI-X vector
 * @irq: Linux interrupt
 * @lock: guards ring and consumed, also from interrupts
 * @ring: the ring, NULL before eq_setup()
 * @ring_dma: its bus address
 * @consumed: entries consumed since the last reset
 * @irq_name: as shown in /proc/interrupts
 */
struct tally_eq {
	struct tally_pf *pf;
	unsigned int num;
	int irq;
	spinlock_t lock;
	struct tally_eqe *ring;
	dma_addr_t ring_dma;
	u64 consumed;
	char irq_name[2 * TALLY_NAME_SIZE];
};

/**
 * struct tally_client - Who gets the events.
 * @events: handlers
 * @ctx: their first argument
 */
struct tally_client {
	const struct tally_events *events;
	void *ctx;
};

struct tally_group;

/**
 * struct tally_owner - Who made an object, for people to read.
 * @pid: process
 * @comm: its name when it did
 */
struct tally_owner {
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

static inline void tally_owner_is_current(struct tally_owner *owner)
{
	owner->pid = task_tgid_nr(current);
	get_task_comm(owner->comm, current->group_leader);
}

/**
 * struct tally_segs_view - A range of segments, or a free block of them.
 * @base: first segment
 * @count: segments
 * @taken: it is a range
 * @grouped: a group uses it
 * @group: that group
 * @jid: its job id
 * @owner: who allocated the range
 */
struct tally_segs_view {
	u32 base;
	u32 count;
	bool taken;
	bool grouped;
	u32 group;
	u32 jid;
	struct tally_owner owner;
};

/* Where a group stands in its life, as far as the driver is concerned. */
enum group_life {
	LIFE_CREATING,		/* the command is on its way; nobody may attach */
	LIFE_LIVE,
	LIFE_DRAINING,		/* no handle is left */
};

/**
 * struct tally_group_view - What the driver knows of a group.
 * @num: number
 * @life: where it stands
 * @held: local ranks of all handles
 * @owner: who created it
 * @cfg: configuration
 * @edges: cfg.num_edges neighbours; of a live group, which stays alive while inspecting is held
 */
struct tally_group_view {
	u32 num;
	enum group_life life;
	u64 held;
	struct tally_owner owner;
	struct tally_group_cfg cfg;
	const struct tally_group_edge *edges;
};

/* Where a device stands; docs/recovery.md shows what leads from one to another. */
enum pf_state {
	PF_QUIET,		/* takes no command, and accesses no memory */
	PF_UP,			/* in service */
	PF_FAILED,		/* takes no command, but may still access memory */
};

/**
 * struct tally_failure - Why a device failed, for people to read.
 * @why: the reason, a static text
 * @state: enum tally_device_state, as the identification page said then
 * @fatal_code: as that page said
 * @epoch: as that page said
 */
struct tally_failure {
	const char *why;
	u32 state;
	u32 fatal_code;
	u32 epoch;
};

/**
 * struct tally_recovery - How a device that failed comes back into service.
 * @lock: held while the device is taken down or brought back; guards all but failures and last
 * @leaving: the driver lets go of the device, which is not brought back any more
 * @reported: of the failure, devlink was told
 * @automatic: devlink said then that the device is to come back without being asked
 * @backoff: what the last attempt that failed made the next one wait, in jiffies
 * @retry_at: when to try next, in jiffies
 * @recoveries: how often the device came back
 * @failures: how often it failed
 * @last: why it failed last; why is NULL if it never did
 */
struct tally_recovery {
	struct mutex lock;
	bool leaving;
	bool reported;
	bool automatic;
	unsigned long backoff;
	unsigned long retry_at;
	unsigned int recoveries;
	unsigned int failures;
	struct tally_failure last;
};

struct devlink;
struct devlink_health_reporter;

/**
 * struct tally_pf - A PCI function; pub is what its users see.
 * @pub: the public part
 * @attach: how it is attached
 * @bar2: BAR2, mapped
 * @ring: the wake-up register, mapped; NULL if there is none
 * @aq: admin queue
 * @eqs: event queues
 * @num_eqs: how many
 * @client: who gets the events
 * @aux: device on the auxiliary bus; NULL while there is none
 * @health: looks for a restarted or silent device, and brings back one that failed
 * @last_health: the device's health counter when that last looked
 * @silent_periods: how often the counter has stood still since it moved
 * @state: where it stands
 * @settled: woken when it is not PF_FAILED any more
 * @fail_work: makes a device that failed quiet
 * @recovery: how it comes back
 * @devlink: the device in devlink; NULL if the kernel has none
 * @reporter: its health reporter there
 * @resetting: serializes resets
 * @group_lock: guards groups, segs and seg_map, also from interrupts
 * @groups: by number
 * @segs: ranges of segments, by their first one
 * @seg_map: segments in use
 * @inspecting: held while a group is looked at that must live on meanwhile
 * @debugfs: folder of the device
 * @faults: faults to inject
 */
struct tally_pf {
	struct tally_dev pub;
	const struct tally_attach *attach;
	u8 __iomem *bar2;
	void __iomem *ring;
	struct tally_adminq aq;
	struct tally_eq eqs[TALLY_MAX_EQ];
	unsigned int num_eqs;
	struct tally_client __rcu *client;
	struct tally_aux *aux;
	struct delayed_work health;
	u64 last_health;
	unsigned int silent_periods;
	enum pf_state state;
	wait_queue_head_t settled;
	struct work_struct fail_work;
	struct tally_recovery recovery;
	struct devlink *devlink;
	struct devlink_health_reporter *reporter;
	struct mutex resetting;
	spinlock_t group_lock;
	struct tally_group *groups[TALLY_MAX_GROUP];
	struct tally_segs *segs[TALLY_MAX_SEG];
	DECLARE_BITMAP(seg_map, TALLY_MAX_SEG);
	struct mutex inspecting;
	struct dentry *debugfs;
	struct tally_faults faults;
};

static inline struct tally_pf *to_pf(struct tally_dev *tdev)
{
	return container_of(tdev, struct tally_pf, pub);
}

static inline struct device *pf_dev(struct tally_pf *pf)
{
	return &pf->pub.pdev->dev;
}

static inline struct tally_ident __iomem *pf_ident(struct tally_pf *pf)
{
	return (struct tally_ident __iomem *)(pf->bar2 + TALLY_BAR_IDENT_OFFSET);
}

static inline struct tally_control __iomem *pf_control(struct tally_pf *pf)
{
	return (struct tally_control __iomem *)(pf->bar2 + TALLY_BAR_CONTROL_OFFSET);
}

static inline struct tally_status_page __iomem *pf_status(struct tally_pf *pf)
{
	return (struct tally_status_page __iomem *)(pf->bar2 + TALLY_BAR_STATUS_OFFSET);
}

/* Phase that the owner byte of a ring's entry number @count, from 0, has once it is written. */
static inline u8 ring_phase(u64 count, u32 depth)
{
	return count & depth ? 0 : TALLY_OWNER_PHASE;
}

/* main.c */
unsigned long tally_cmd_timeout(void);

/* attach.c: mapping of BARs, wake-up */
int tally_map_bars(struct tally_pf *pf);
void tally_unmap_bars(struct tally_pf *pf);
void tally_map_ring(struct tally_pf *pf);
void tally_ring(struct tally_pf *pf);

/* attach_sim.c */
extern const struct tally_attach tally_attach_sim;

/* ident.c */
int tally_read_ident(struct tally_pf *pf);
int tally_check_ident(struct tally_pf *pf);

/* reset.c */
int tally_reset(struct tally_pf *pf);
void tally_fail(struct tally_pf *pf, const char *why);
void tally_quiet(struct tally_pf *pf);
void tally_fail_work(struct work_struct *work);
void tally_wait_quiet(struct tally_pf *pf);

/* service.c */
int tally_start(struct tally_pf *pf);
void tally_stop(struct tally_pf *pf);
int tally_aux_add(struct tally_pf *pf);
void tally_aux_remove(struct tally_pf *pf);

/* recover.c */
int tally_recover(struct tally_pf *pf, bool automatic);
void tally_repair(struct tally_pf *pf);
void tally_leave(struct tally_pf *pf);

/* devlink.c */
#if IS_ENABLED(CONFIG_NET_DEVLINK)
int tally_devlink_add(struct tally_pf *pf);
void tally_devlink_register(struct tally_pf *pf);
void tally_devlink_unregister(struct tally_pf *pf);
void tally_devlink_remove(struct tally_pf *pf);
void tally_devlink_report(struct tally_pf *pf);
void tally_devlink_recovered(struct tally_pf *pf);
#else
static inline int tally_devlink_add(struct tally_pf *pf)
{
	return 0;
}

static inline void tally_devlink_register(struct tally_pf *pf)
{
}

static inline void tally_devlink_unregister(struct tally_pf *pf)
{
}

static inline void tally_devlink_remove(struct tally_pf *pf)
{
}

static inline void tally_devlink_report(struct tally_pf *pf)
{
	tally_recover(pf, true);
}

static inline void tally_devlink_recovered(struct tally_pf *pf)
{
}
#endif

/* health.c */
void tally_health_start(struct tally_pf *pf);
void tally_health_stop(struct tally_pf *pf);

/* adminq.c */
int tally_adminq_alloc(struct tally_pf *pf);
void tally_adminq_free(struct tally_pf *pf);
void tally_adminq_open(struct tally_pf *pf);
void tally_adminq_close(struct tally_pf *pf);
void tally_adminq_poll(struct tally_pf *pf);
int tally_adminq_exec(struct tally_pf *pf, const struct tally_admin_cmd *cmd,
		      struct tally_admin_cqe *answer);

/* cmd.c */
const char *tally_opcode_name(enum tally_admin_opcode opcode);
int tally_exec(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, const void *body,
	       size_t size);
int tally_exec_blame(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object,
		     const void *body, size_t size, struct tally_blame *blame);
int tally_exec_query(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, void *to,
		     size_t size);
void tally_exec_destroy(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object);
int tally_cmd_inject(struct tally_pf *pf, const struct tally_cmd_inject *cmd, u64 *count);

/* eq.c */
int tally_eqs_setup(struct tally_pf *pf);
void tally_eqs_free(struct tally_pf *pf);
int tally_eqs_create(struct tally_pf *pf);
void tally_event_fatal(struct tally_pf *pf);

/* quota.c */
struct tally_quota *tally_quota_create(struct tally_dev *tdev);
void tally_quota_get(struct tally_quota *quota);
bool tally_quota_charge_segs(struct tally_quota *quota, u32 count);
void tally_quota_uncharge_segs(struct tally_quota *quota, u32 count);
bool tally_quota_charge_group(struct tally_quota *quota, u32 cells);
void tally_quota_uncharge_group(struct tally_quota *quota, u32 cells);
void tally_quota_group_drains(struct tally_quota *quota);
void tally_quota_group_drained(struct tally_quota *quota);

/**
 * struct tally_drain_wait - Patience with groups of the own process that drain.
 * @quota: of the process
 * @seen: how many had drained when the last attempt began
 * @left: how long to wait at most, in jiffies
 */
struct tally_drain_wait {
	struct tally_quota *quota;
	u32 seen;
	unsigned long left;
};

void tally_drain_wait_init(struct tally_drain_wait *wait, struct tally_quota *quota);
bool tally_drain_wait(struct tally_drain_wait *wait, int *err);

/* seg.c */
bool tally_segs_claim(struct tally_segs *segs);
void tally_segs_release(struct tally_segs *segs);
unsigned int tally_segs_look(struct tally_pf *pf, struct tally_segs_view *views);

/* group.c */
void tally_group_drained(struct tally_pf *pf, u32 num);
void tally_groups_forget(struct tally_pf *pf);

/* group_query.c */
bool tally_group_of_segs(struct tally_pf *pf, const struct tally_segs *segs, u32 *num, u32 *jid);
bool tally_group_look(struct tally_pf *pf, u32 num, struct tally_group_view *view);

/* group_cmd.c: the commands about groups */
int tally_cmd_create_group(struct tally_pf *pf, u32 num, const struct tally_group_cfg *cfg,
			   const struct tally_group_edge *edges, struct tally_blame *blame);
int tally_cmd_group_ranks(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 num, u64 ranks);
int tally_cmd_reset_group(struct tally_pf *pf, u32 num, u32 epoch);
int tally_cmd_query_group(struct tally_pf *pf, u32 num, struct tally_group_info *info);
int tally_cmd_query_edges(struct tally_pf *pf, u32 num, struct tally_edge_info *edges);
int tally_cmd_query_segs(struct tally_pf *pf, u32 num, struct tally_seg_info *segs, u32 count);
int tally_cmd_query_arrivals(struct tally_pf *pf, u32 num, struct tally_arrival *arrivals);

/* debugfs.c */
void tally_debugfs_init(void);
void tally_debugfs_exit(void);
void tally_debugfs_add(struct tally_pf *pf);
void tally_debugfs_remove(struct tally_pf *pf);

#endif
