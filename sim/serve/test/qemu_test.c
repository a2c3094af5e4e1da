// SPDX-License-Identifier: BSD-2-Clause
/*
 * A NIC attached to QEMU, which is driven by the qtest protocol instead of a guest: handshake,
 * BAR2, the trapped ring page, DMA above the PCI hole, and MSI-X are real.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <endian.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gen/tally_hw.h"

#define QEMU		"qemu-system-x86_64"
#define MEM_MB		"3072"		/* partly above the hole; allocated when touched */

#define PATIENCE_MS	20000
#define TICK_MS		5

/* Addresses that the test uses: low memory, and the device's rings above 4 GiB. */
#define MSI_ADDR	0x200000u
#define MSI_DATA	0x4d5349
#define AQ_SQ_ADDR	(UINT64_C(0x100000000) + 0x10000)
#define AQ_CQ_ADDR	(UINT64_C(0x100000000) + 0x20000)
#define AQ_DEPTH	16

/* PCI: the device is in slot 4 of bus 0; its BARs are at unused addresses. */
#define PCI_SLOT	"04.0"
#define PCI_CONFIG	0x80002000u
#define BAR0		0xe0000000u
#define BAR1		0xe0001000u
#define BAR2		0xe0400000u

struct fixture {
	char dir[64];
	pid_t sim, qemu;
	FILE *qtest;		/* to and from QEMU */
};

static void tick(void)
{
	const struct timespec ts = { .tv_nsec = TICK_MS * 1000 * 1000 };

	nanosleep(&ts, NULL);
}

#define WAIT_FOR(condition)	do {							\
	int left = PATIENCE_MS / TICK_MS;						\
											\
	while (!(condition) && left-- > 0)						\
		tick();									\
	assert_true(condition);								\
} while (0)

static pid_t run(const char *const *argv, int in_out)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (in_out >= 0) {
		dup2(in_out, STDIN_FILENO);
		dup2(in_out, STDOUT_FILENO);
	}
	execvp(argv[0], (char *const *)argv);
	perror(argv[0]);
	_exit(127);
}

static void start_sim(struct fixture *f)
{
	const char *argv[] = { getenv("TALLYSIM"), "serve", "--dir", f->dir, "--vms", "1",
			       "--nics", "1", "--mem-mb", MEM_MB, NULL };
	char ready[128];
	struct stat st;

	assert_non_null(argv[0]);
	f->sim = run(argv, -1);
	snprintf(ready, sizeof(ready), "%s/ready", f->dir);
	WAIT_FOR(!stat(ready, &st));
}

static void start_qemu(struct fixture *f)
{
	char mem[256], chardev[128];
	const char *argv[] = {
		QEMU, "-M", "q35,memory-backend=mem", "-accel", "tcg", "-S", "-m", MEM_MB "M",
		"-nodefaults", "-display", "none", "-qtest", "stdio", "-qtest-log", "/dev/null",
		"-object", mem, "-chardev", chardev,
		"-device", "ivshmem-doorbell,chardev=nic,vectors=8,addr=" PCI_SLOT, NULL,
	};
	int pair[2];

	_Static_assert(TALLY_NUM_VECTORS == 8, "as above");
	snprintf(mem, sizeof(mem), "memory-backend-file,id=mem,size=" MEM_MB "M,share=on,"
		 "mem-path=%s/vm0.mem", f->dir);
	snprintf(chardev, sizeof(chardev), "socket,id=nic,path=%s/vm0-nic0.sock", f->dir);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	f->qemu = run(argv, pair[1]);
	close(pair[1]);
	f->qtest = fdopen(pair[0], "r+");
	assert_non_null(f->qtest);
	setvbuf(f->qtest, NULL, _IONBF, 0);
}

/* Sends a command and returns the number in QEMU's answer, or 0. */
static uint64_t command(struct fixture *f, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(f->qtest, "%s\n", line);
	do
		assert_non_null(fgets(line, sizeof(line), f->qtest));
	while (!strncmp(line, "IRQ", 3));
	if (strncmp(line, "OK", 2))
		fail_msg("qtest: %s", line);
	return strtoull(line + 2, NULL, 0);
}

static void config_write(struct fixture *f, uint32_t reg, uint32_t value)
{
	command(f, "outl 0xcf8 0x%x", PCI_CONFIG | reg);
	command(f, "outl 0xcfc 0x%x", value);
}

static uint32_t config_read(struct fixture *f, uint32_t reg)
{
	command(f, "outl 0xcf8 0x%x", PCI_CONFIG | reg);
	return command(f, "inl 0xcfc");
}

/* Returns the offset of the MSI-X capability in configuration space. */
static uint32_t msix_capability(struct fixture *f)
{
	uint32_t at = config_read(f, 0x34) & 0xfc;

	while (at && (config_read(f, at) & 0xff) != 0x11)
		at = config_read(f, at) >> 8 & 0xfc;
	assert_int_not_equal(at, 0);
	return at;
}

/* Acts as firmware: addresses, memory, bus master; MSI-X vector 0 becomes a store to RAM. */
static void enable_device(struct fixture *f)
{
	uint32_t msix;

	assert_int_equal(config_read(f, 0), TALLY_IVSHMEM_DEVICE << 16 | TALLY_IVSHMEM_VENDOR);
	config_write(f, 0x10, BAR0);
	config_write(f, 0x14, BAR1);
	config_write(f, 0x18, BAR2);
	config_write(f, 0x1c, 0);
	config_write(f, 0x04, 0x6);
	msix = msix_capability(f);
	config_write(f, msix, config_read(f, msix) | 1u << 31);
	command(f, "writel 0x%x 0x%x", BAR1, MSI_ADDR);
	command(f, "writel 0x%x 0", BAR1 + 4);
	command(f, "writel 0x%x 0x%x", BAR1 + 8, MSI_DATA);
	command(f, "writel 0x%x 0", BAR1 + 12);
}

#define IDENT(field)	(BAR2 + TALLY_BAR_IDENT_OFFSET + \
			 (uint32_t)offsetof(struct tally_ident, field))
#define CONTROL(field)	(BAR2 + TALLY_BAR_CONTROL_OFFSET + \
			 (uint32_t)offsetof(struct tally_control, field))

static void ring(struct fixture *f)
{
	command(f, "writel 0x%x 0x%x", BAR0 + TALLY_RING_OFFSET, TALLY_RING_VALUE);
}

static void reset_device(struct fixture *f)
{
	uint32_t req = command(f, "readl 0x%x", IDENT(reset_ack)) + 1;

	command(f, "writel 0x%x %u", CONTROL(driver_abi), TALLY_ABI_VERSION);
	command(f, "writel 0x%x %u", CONTROL(aq_depth), AQ_DEPTH);
	command(f, "writeq 0x%x 0x%jx", CONTROL(aq_sq_addr), (uintmax_t)AQ_SQ_ADDR);
	command(f, "writeq 0x%x 0x%jx", CONTROL(aq_cq_addr), (uintmax_t)AQ_CQ_ADDR);
	command(f, "writeq 0x%x 0", CONTROL(aq_db));
	command(f, "writel 0x%x %u", CONTROL(reset_req), req);
	ring(f);
	WAIT_FOR(command(f, "readl 0x%x", IDENT(reset_ack)) == req);
	assert_int_equal(command(f, "readl 0x%x", IDENT(state)), TALLY_DEVICE_READY);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/tally-qemu-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static void end(pid_t *pid)
{
	if (*pid) {
		kill(*pid, SIGTERM);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->qtest)
		fclose(f->qtest);
	end(&f->qemu);
	end(&f->sim);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* An admin command that the device does not know is fetched, answered, and interrupts. */
static void one_command(struct fixture *f, uint64_t number)
{
	const uint64_t entry = (number - 1) % AQ_DEPTH;
	const uint64_t sq = AQ_SQ_ADDR + entry * sizeof(struct tally_admin_cmd);
	const uint64_t cq = AQ_CQ_ADDR + entry * sizeof(struct tally_admin_cqe);

	command(f, "writel 0x%x 0", MSI_ADDR);
	command(f, "writeb 0x%jx 0", (uintmax_t)(cq + offsetof(struct tally_admin_cqe, owner)));
	command(f, "writew 0x%jx 0xffff", (uintmax_t)sq);
	command(f, "writew 0x%jx %ju", (uintmax_t)(sq + offsetof(struct tally_admin_cmd, id)),
		(uintmax_t)number);
	command(f, "writeq 0x%x %ju", CONTROL(aq_db), (uintmax_t)number);
	ring(f);
	WAIT_FOR(command(f, "readl 0x%x", MSI_ADDR) == MSI_DATA);
	assert_int_equal(command(f, "readw 0x%jx", (uintmax_t)cq), number);
	assert_int_equal(command(f, "readw 0x%jx",
				 (uintmax_t)(cq + offsetof(struct tally_admin_cqe, status))),
			 TALLY_ADMIN_STATUS_BAD_OPCODE);
	assert_int_equal(command(f, "readb 0x%jx",
				 (uintmax_t)(cq + offsetof(struct tally_admin_cqe, owner))),
			 TALLY_OWNER_PHASE);
}

static void a_nic_works_in_qemu(void **state)
{
	struct fixture *f = *state;

	start_sim(f);
	start_qemu(f);
	enable_device(f);
	assert_true(command(f, "readq 0x%x", IDENT(magic)) == TALLY_MAGIC);
	reset_device(f);
	for (uint64_t i = 1; i <= 3; i++)
		one_command(f, i);
}

static void a_killed_worker_is_replaced_under_qemu(void **state)
{
	struct fixture *f = *state;
	char path[128];
	uint32_t epoch;
	int worker = 0;
	FILE *file;

	start_sim(f);
	start_qemu(f);
	enable_device(f);
	reset_device(f);
	epoch = command(f, "readl 0x%x", IDENT(epoch));

	snprintf(path, sizeof(path), "%s/worker.pid", f->dir);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &worker), 1);
	fclose(file);
	assert_int_equal(kill(worker, SIGKILL), 0);

	WAIT_FOR(command(f, "readl 0x%x", IDENT(epoch)) > epoch);
	WAIT_FOR(command(f, "readq 0x%x", IDENT(magic)) == TALLY_MAGIC);
	assert_int_equal(command(f, "readl 0x%x", IDENT(state)), TALLY_DEVICE_NEEDS_RESET);
	reset_device(f);
	one_command(f, 1);
}

static void qemu_may_be_started_again(void **state)
{
	struct fixture *f = *state;

	start_sim(f);
	for (int i = 0; i < 2; i++) {
		start_qemu(f);
		enable_device(f);
		reset_device(f);
		one_command(f, 1);
		fclose(f->qtest);
		f->qtest = NULL;
		end(&f->qemu);
	}
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_nic_works_in_qemu),
		TEST(a_killed_worker_is_replaced_under_qemu),
		TEST(qemu_may_be_started_again),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
