// SPDX-License-Identifier: BSD-2-Clause
/* Tests the whole program as a user runs it; TALLYSIM in the environment is its path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/test_peer.h"

#define VMS		2
#define NICS		2
#define MEM_MB		64

/* Time after which a step counts as hung. */
#define PATIENCE_MS	20000
#define TICK_MS		5

struct fixture {
	char dir[64];
	pid_t pid;		/* of tallysim; 0: not running */
	char *err;		/* path of the file with its stderr */
};

static void tick(void)
{
	const struct timespec ts = { .tv_nsec = TICK_MS * 1000 * 1000 };

	nanosleep(&ts, NULL);
}

/* Waits for @condition; fails the test at this line after PATIENCE_MS. */
#define WAIT_FOR(condition)	do {							\
	int left = PATIENCE_MS / TICK_MS;						\
											\
	while (!(condition) && left-- > 0)						\
		tick();									\
	assert_true(condition);								\
} while (0)

static char *file_in(const struct fixture *f, const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned int next;
	char *p = path[next++ % 4];

	snprintf(p, PATH_MAX, "%s/%s", f->dir, name);
	return p;
}

static bool exists(const struct fixture *f, const char *name)
{
	struct stat st;

	return !lstat(file_in(f, name), &st);
}

/* Returns the number in the file @name, or 0. */
static pid_t pid_in(const struct fixture *f, const char *name)
{
	FILE *file = fopen(file_in(f, name), "r");
	int pid = 0;

	if (file) {
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
	}
	return pid;
}

/* Starts tallysim with @args (NULL at the end, no program), stderr in the file err. */
static pid_t start(const struct fixture *f, const char *const *args)
{
	const char *program = getenv("TALLYSIM"), *argv[32] = { program };
	pid_t pid;
	int fd;

	assert_non_null(program);
	for (int i = 0; args[i]; i++) {
		assert_true(i < 30);
		argv[i + 1] = args[i];
	}
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	fd = open(f->err, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execv(program, (char *const *)argv);
	_exit(127);
}

static int exit_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Returns the text printed so far; valid until the next call. */
static const char *printed(const struct fixture *f)
{
	static char text[16384];
	int fd = open(f->err, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return text;
}

/* Waits for the end of @pid; fails with the printed text unless it ends with @status. */
static void expect_exit(const struct fixture *f, pid_t pid, int status)
{
	int got = 0;
	pid_t ended = waitpid(pid, &got, 0);

	if (ended != pid)
		fail_msg("waiting for %d: %s", pid, strerror(errno));
	if (!WIFEXITED(got) || WEXITSTATUS(got) != status)
		fail_msg("%s %d, not status %d: %s", WIFEXITED(got) ? "status" : "signal",
			 WIFEXITED(got) ? WEXITSTATUS(got) : WTERMSIG(got), status, printed(f));
}

static void serve_with(struct fixture *f, unsigned int vms, unsigned int nics, const char *more,
		       const char *value)
{
	char v[8], n[8], m[8];

	snprintf(v, sizeof(v), "%u", vms);
	snprintf(n, sizeof(n), "%u", nics);
	snprintf(m, sizeof(m), "%u", MEM_MB);
	f->pid = start(f, (const char *const[]){ "serve", "--dir", f->dir, "--vms", v, "--nics", n,
						 "--mem-mb", m, more, value, NULL });
	WAIT_FOR(exists(f, "ready"));
	assert_int_equal(pid_in(f, "ready"), f->pid);
}

static void serve(struct fixture *f)
{
	serve_with(f, VMS, NICS, NULL, NULL);
}

static int stop(struct fixture *f, int signal)
{
	pid_t pid = f->pid;

	f->pid = 0;
	assert_int_equal(kill(pid, signal), 0);
	return exit_status(pid);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/tallysim-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_true(asprintf(&f->err, "%s/err", f->dir) > 0);
	*state = f;
	return 0;
}

/* Also removes files that a failed test has left. */
static void remove_folder(const struct fixture *f)
{
	DIR *list = opendir(f->dir);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(f->dir);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->pid) {
		print_message("%s", printed(f));
		kill(f->pid, SIGTERM);
		waitpid(f->pid, NULL, 0);
	}
	remove_folder(f);
	free(f->err);
	free(f);
	return 0;
}

static void attach(const struct fixture *f, struct test_peer *peer, const char *socket)
{
	assert_int_equal(test_peer_connect(peer, file_in(f, socket)), 0);
	assert_int_equal(test_peer_handshake(peer), 0);
}

static const struct tally_ident *ident_of(const struct test_peer *peer)
{
	return (const void *)(peer->bar + TALLY_BAR_IDENT_OFFSET);
}

static struct tally_control *control_of(const struct test_peer *peer)
{
	return (void *)(peer->bar + TALLY_BAR_CONTROL_OFFSET);
}

static uint32_t load32(const __le32 *p)
{
	return le32toh(__atomic_load_n(p, __ATOMIC_SEQ_CST));
}

static bool is_stopped(const struct test_peer *peer, uint32_t epoch)
{
	const struct tally_ident *id = ident_of(peer);

	return __atomic_load_n(&id->magic, __ATOMIC_SEQ_CST) == htole64(TALLY_MAGIC) &&
	       load32(&id->epoch) > epoch && load32(&id->state) == TALLY_DEVICE_NEEDS_RESET;
}

/* Resets the device as a driver's probe does, with the admin queue in the first pages of memory. */
static void reset_device(const struct test_peer *peer)
{
	struct tally_control *c = control_of(peer);
	uint32_t req = load32(&ident_of(peer)->reset_ack) + 1;

	c->driver_abi = htole32(TALLY_ABI_VERSION);
	c->aq_depth = htole32(16);
	c->aq_sq_addr = htole64(1 << 20);
	c->aq_cq_addr = htole64(2 << 20);
	__atomic_store_n(&c->reset_req, htole32(req), __ATOMIC_SEQ_CST);
	assert_int_equal(eventfd_write(test_peer_doorbell(peer, 0), 1), 0);
	WAIT_FOR(load32(&ident_of(peer)->reset_ack) == req);
	assert_int_equal(load32(&ident_of(peer)->state), TALLY_DEVICE_READY);
}

/* Returns the number of files in /dev/shm of the run of process @pid. */
static int memory_files(pid_t pid)
{
	DIR *list = opendir("/dev/shm");
	struct dirent *entry;
	char prefix[32];
	int n = 0;

	assert_non_null(list);
	snprintf(prefix, sizeof(prefix), "tallysim-%d-", pid);
	while ((entry = readdir(list)))
		n += !strncmp(entry->d_name, prefix, strlen(prefix));
	closedir(list);
	return n;
}

/* Returns the number of files in the folder, without the file of the printed text. */
static int files_left(const struct fixture *f)
{
	DIR *list = opendir(f->dir);
	int n = 0;

	assert_non_null(list);
	while (readdir(list))
		n++;
	closedir(list);
	return n - 3;
}

static void kill_worker(const struct fixture *f)
{
	pid_t worker = pid_in(f, "worker.pid");

	assert_true(worker > 0);
	assert_int_equal(kill(worker, SIGKILL), 0);
	WAIT_FOR(pid_in(f, "worker.pid") != worker);
}

/* ---- Command line ---- */

static void bad_command_lines_exit_with_2(void **state)
{
	struct fixture *f = *state;
	char too_long[120];
	const struct {
		const char *named;
		const char *args[14];
	} cases[] = {
		{ "no command", { NULL } },
		{ "fly", { "fly" } },
		{ "--frobnicate", { "serve", "--frobnicate" } },
		{ "vms", { "serve", "--vms" } },
		{ "--dir is missing", { "serve", "--vms", "1", "--nics", "1", "--mem-mb", "64" } },
		{ "--vms is missing", { "serve", "--dir", f->dir, "--nics", "1", "--mem-mb", "64" } },
		{ "--nics is missing", { "serve", "--dir", f->dir, "--vms", "1", "--mem-mb", "64" } },
		{ "--mem-mb is missing", { "serve", "--dir", f->dir, "--vms", "1", "--nics", "1" } },
		{ "--vms 0:", { "serve", "--vms", "0" } },
		{ "--vms 65:", { "serve", "--vms", "65" } },
		{ "--vms -1:", { "serve", "--vms", "-1" } },
		{ "--vms 2x:", { "serve", "--vms", "2x" } },
		{ "--vms :", { "serve", "--vms", "" } },
		{ "--nics 17:", { "serve", "--nics", "17" } },
		{ "--mem-mb 63:", { "serve", "--mem-mb", "63" } },
		{ "--mem-mb 99999999999999999999:", { "serve", "--mem-mb", "99999999999999999999" } },
		{ "--seed  1:", { "serve", "--seed", " 1" } },
		{ "--engine warp:", { "serve", "--engine", "warp" } },
		{ "--fault drop:rate=7: rate=7:", { "serve", "--fault", "drop:rate=7" } },
		{ "--fault : \"\": unknown fault", { "serve", "--fault", "" } },
		{ "stray", { "serve", "stray" } },
		/* not even root can create a folder there */
		{ "--dir /proc/nonexistent:", { "serve", "--dir", "/proc/nonexistent", "--vms", "1",
						"--nics", "1", "--mem-mb", "64" } },
		{ "--dir /dev/null:", { "serve", "--dir", "/dev/null", "--vms", "1", "--nics", "1",
					"--mem-mb", "64" } },
		{ "--pcap /proc/nonexistent:", { "serve", "--dir", f->dir, "--vms", "1", "--nics", "1",
						 "--mem-mb", "64", "--pcap",
						 "/proc/nonexistent" } },
		{ "too long", { "serve", "--dir", too_long, "--vms", "1", "--nics", "1",
				"--mem-mb", "64" } },
	};

	strcpy(too_long, "/");
	while (strlen(too_long) < 100)
		strcat(too_long, "./");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unlink(f->err);
		expect_exit(f, start(f, cases[i].args), 2);
		if (!strstr(printed(f), cases[i].named))
			fail_msg("'%s' is not in: %s", cases[i].named, printed(f));
		assert_non_null(strstr(printed(f), "Try 'tallysim "));
		assert_null(strstr(printed(f), "Usage:"));
	}
	assert_int_equal(files_left(f), 0);
}

static void help_is_given(void **state)
{
	struct fixture *f = *state;

	expect_exit(f, start(f, (const char *const[]){ "--help", NULL }), 0);
	expect_exit(f, start(f, (const char *const[]){ "serve", "--help", NULL }), 0);
	assert_non_null(strstr(printed(f), "--die-with-parent"));
}

static void a_foreign_file_is_named_and_stays(void **state)
{
	struct fixture *f = *state;
	int fd = open(file_in(f, "vm0-nic0.sock"), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	pid_t pid;

	assert_true(fd >= 0);
	close(fd);
	pid = start(f, (const char *const[]){ "serve", "--dir", f->dir, "--vms", "1", "--nics", "1",
					      "--mem-mb", "64", NULL });
	expect_exit(f, pid, 1);
	assert_non_null(strstr(printed(f), "vm0-nic0.sock"));
	assert_int_equal(files_left(f), 1);
	assert_int_equal(memory_files(pid), 0);
	unlink(file_in(f, "vm0-nic0.sock"));
}

/* ---- A run ---- */

static void a_run_makes_its_files_and_removes_them(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		serve(f);
		pid = f->pid;
		for (int vm = 0; vm < VMS; vm++) {
			char name[32];

			snprintf(name, sizeof(name), "vm%d.mem", vm);
			assert_int_equal(stat(file_in(f, name), &st), 0);
			assert_int_equal(st.st_size, MEM_MB << 20);
			assert_int_equal(st.st_mode & 07777, 0600);
			assert_int_equal(lstat(file_in(f, name), &st), 0);
			assert_true(S_ISLNK(st.st_mode));
			for (int nic = 0; nic < NICS; nic++) {
				snprintf(name, sizeof(name), "vm%d-nic%d.sock", vm, nic);
				assert_int_equal(lstat(file_in(f, name), &st), 0);
				assert_int_equal(st.st_mode & 077, 0);
			}
		}
		assert_int_equal(files_left(f), VMS + VMS * NICS + 3);
		assert_int_equal(memory_files(pid), VMS);
		assert_int_equal(stop(f, signals[i]), 0);
		assert_int_equal(files_left(f), 0);
		assert_int_equal(memory_files(pid), 0);
		assert_string_equal(printed(f), "");
	}
}

static void every_nic_has_its_own_identity(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer[VMS * NICS];

	serve(f);
	for (int i = 0; i < VMS * NICS; i++) {
		const uint8_t mac[6] = { 0x02, 0x54, 0x41, i / NICS, 0, i % NICS };
		char name[32];

		snprintf(name, sizeof(name), "vm%d-nic%d.sock", i / NICS, i % NICS);
		attach(f, &peer[i], name);
		assert_true(is_stopped(&peer[i], 0));
		assert_memory_equal(ident_of(&peer[i])->mac, mac, 6);
		assert_int_equal(ident_of(&peer[i])->port_state, 1);
	}
	for (int i = 0; i < VMS * NICS; i++)
		test_peer_close(&peer[i]);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* Tests reset, an admin command that the device does not know, its completion and its interrupt. */
static void a_doorbell_is_served(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	struct pollfd vector = { .events = POLLIN };
	struct tally_admin_cmd cmd = { .opcode = htole16(0xffff), .id = htole16(77) };
	struct tally_admin_cqe cqe;
	int mem;

	serve(f);
	mem = open(file_in(f, "vm1.mem"), O_RDWR | O_CLOEXEC);
	assert_true(mem >= 0);
	attach(f, &peer, "vm1-nic1.sock");
	reset_device(&peer);
	assert_int_equal(pwrite(mem, &cmd, sizeof(cmd), 1 << 20), sizeof(cmd));
	__atomic_store_n(&control_of(&peer)->aq_db, htole64(1), __ATOMIC_SEQ_CST);
	eventfd_write(test_peer_doorbell(&peer, 0), 1);

	vector.fd = test_peer_vector(&peer, 0);
	assert_int_equal(poll(&vector, 1, PATIENCE_MS), 1);
	assert_int_equal(pread(mem, &cqe, sizeof(cqe), 2 << 20), sizeof(cqe));
	assert_int_equal(le16toh(cqe.id), 77);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_BAD_OPCODE);
	assert_int_equal(cqe.owner, TALLY_OWNER_PHASE);
	close(mem);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void a_bad_peer_harms_nobody_else(void **state)
{
	struct fixture *f = *state;
	struct test_peer good, bad;

	serve(f);
	attach(f, &good, "vm0-nic0.sock");
	for (int i = 0; i < 20; i++) {
		assert_int_equal(test_peer_connect(&bad, file_in(f, "vm0-nic1.sock")), 0);
		if (i % 2)
			test_peer_receive(&bad, true);
		test_peer_close(&bad);
	}
	reset_device(&good);
	attach(f, &bad, "vm0-nic1.sock");
	test_peer_close(&bad);
	test_peer_close(&good);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* The next VM must not meet a device that still works for the previous one. */
static void a_vm_that_leaves_cuts_its_nics_power(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	uint32_t epoch;

	serve(f);
	attach(f, &peer, "vm0-nic0.sock");
	reset_device(&peer);
	epoch = load32(&ident_of(&peer)->epoch);
	control_of(&peer)->aq_db = htole64(12345);
	test_peer_close(&peer);

	attach(f, &peer, "vm0-nic0.sock");
	WAIT_FOR(is_stopped(&peer, epoch));
	assert_int_equal(control_of(&peer)->aq_db, 0);
	assert_int_equal(load32(&control_of(&peer)->reset_req), load32(&ident_of(&peer)->reset_ack));
	reset_device(&peer);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void a_killed_worker_is_replaced_under_its_vms(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer, other;
	struct pollfd end = { .events = POLLIN };
	uint32_t epoch;

	serve(f);
	attach(f, &peer, "vm0-nic0.sock");
	end.fd = peer.sock;
	reset_device(&peer);
	for (int i = 0; i < 3; i++) {
		epoch = load32(&ident_of(&peer)->epoch);
		kill_worker(f);
		WAIT_FOR(is_stopped(&peer, epoch));
		assert_int_equal(test_peer_receive(&peer, false), -EAGAIN);
		reset_device(&peer);
		attach(f, &other, "vm1-nic0.sock");
		reset_device(&other);
		test_peer_close(&other);
	}
	assert_non_null(strstr(printed(f), "killed by signal 9"));

	/* A worker forked meanwhile must not keep the connection open. */
	assert_int_equal(send(peer.sock, "x", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
	assert_int_equal(files_left(f), 0);
}

static void workers_that_keep_dying_are_given_up(void **state)
{
	struct fixture *f = *state;
	pid_t pid, worker;

	serve(f);
	for (int i = 0; i < 4; i++)
		kill_worker(f);
	worker = pid_in(f, "worker.pid");
	pid = f->pid;
	f->pid = 0;
	assert_int_equal(kill(worker, SIGKILL), 0);
	expect_exit(f, pid, 1);
	assert_non_null(strstr(printed(f), "giving up"));
	assert_int_equal(files_left(f), 0);
	assert_int_equal(memory_files(pid), 0);
}

static void a_stopped_worker_does_not_hold_up_the_end(void **state)
{
	struct fixture *f = *state;

	serve(f);
	assert_int_equal(kill(pid_in(f, "worker.pid"), SIGSTOP), 0);
	assert_int_equal(stop(f, SIGTERM), 0);
	assert_non_null(strstr(printed(f), "does not end"));
	assert_int_equal(files_left(f), 0);
}

/* The worker ends with its supervisor, and the next run in the folder cleans up. */
static void a_killed_supervisor_leaves_no_worker(void **state)
{
	struct fixture *f = *state;
	pid_t pid, worker;
	int status;

	serve(f);
	pid = f->pid;
	worker = pid_in(f, "worker.pid");
	f->pid = 0;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(waitpid(worker, &status, 0), worker);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(memory_files(pid), VMS);

	assert_int_equal(unlink(file_in(f, "ready")), 0);
	serve_with(f, 1, 1, NULL, NULL);
	assert_int_equal(memory_files(pid), 0);
	assert_int_equal(files_left(f), 1 + 1 + 3);
	assert_int_equal(stop(f, SIGTERM), 0);
	assert_int_equal(files_left(f), 0);
}

static void a_folder_that_is_removed_leaves_no_memory(void **state)
{
	struct fixture *f = *state;
	const char *const names[] = { "vm0.mem", "vm0-nic0.sock", "worker.pid",
					"control.sock", "ready", "err" };
	pid_t pid;

	serve_with(f, 1, 1, NULL, NULL);
	pid = f->pid;
	for (int i = 0; i < 6; i++)
		assert_int_equal(unlink(file_in(f, names[i])), 0);
	assert_int_equal(rmdir(f->dir), 0);
	assert_int_equal(memory_files(pid), 1);
	assert_int_equal(stop(f, SIGTERM), 0);
	assert_int_equal(memory_files(pid), 0);
}

static void a_folder_serves_one_run(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	serve(f);
	expect_exit(f, start(f, (const char *const[]){
		"serve", "--dir", f->dir, "--vms", "1", "--nics", "1", "--mem-mb", "64", NULL }), 1);
	assert_non_null(strstr(printed(f), "another tallysim"));
	attach(f, &peer, "vm1-nic1.sock");
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* A process starts tallysim and is then killed. */
static void it_dies_with_its_parent_if_told(void **state)
{
	struct fixture *f = *state;
	pid_t parent = fork(), pid;

	assert_true(parent >= 0);
	if (!parent) {
		start(f, (const char *const[]){ "serve", "--dir", f->dir, "--vms", "1", "--nics", "1",
						"--mem-mb", "64", "--die-with-parent", NULL });
		pause();
		_exit(0);
	}
	WAIT_FOR(exists(f, "ready"));
	pid = pid_in(f, "ready");
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	expect_exit(f, pid, 0);
	assert_int_equal(files_left(f), 0);
}

/* ---- The control socket ---- */

/* Sends @sent unchanged and returns the answer, which is valid until the next call. */
static const char *request_bytes(const struct fixture *f, const char *sent, size_t sent_len)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *path = file_in(f, "control.sock");
	static char answer[16384];
	size_t len = 0;
	ssize_t n;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(strlen(path) < sizeof(addr.sun_path));
	strcpy(addr.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(send(fd, sent, sent_len, MSG_NOSIGNAL), sent_len);
	while ((n = recv(fd, answer + len, sizeof(answer) - 1 - len, 0)) > 0)
		len += n;
	answer[len] = '\0';
	close(fd);
	return answer;
}

static const char *request(const struct fixture *f, const char *line)
{
	return request_bytes(f, line, strlen(line));
}

/* Sends a request, and fails unless @expected is in the answer. */
static void expect_answer(const struct fixture *f, const char *line, const char *expected)
{
	const char *answer = request(f, line);

	if (!strstr(answer, expected))
		fail_msg("%s'%s' is not in: %s", line, expected, answer);
}

static void faults_are_added_listed_and_cleared(void **state)
{
	struct fixture *f = *state;

	serve_with(f, 1, 2, "--fault", "drop:rate=0.5,link=nic1");
	expect_answer(f, "fault list\n", "\"fault\":\"drop:rate=0.5,link=nic1\",\"state\":\"active\"");
	expect_answer(f, "fault add down:link=vm0-nic0,at=1s\n", "{\"id\":2}");
	expect_answer(f, "fault list\n", "\"state\":\"waiting\"");
	expect_answer(f, "fault add drop:link=nic2\n", "link=nic2: no such link");
	expect_answer(f, "fault add drop:rate=2\n", "rate=2:");
	expect_answer(f, "fault add\n", "specification is missing");
	expect_answer(f, "fault clear 7\n", "there is no such fault");
	expect_answer(f, "fault clear 1x\n", "not the number of a fault");
	expect_answer(f, "fault clear 1\n", "{\"cleared\":1}");
	expect_answer(f, "fault clear\n", "{\"cleared\":1}");
	expect_answer(f, "fault list\n", "\"faults\":[]");
	expect_answer(f, "links\n", "\"port\":\"vm0-nic1\",\"peer\":\"switch\",\"up\":true");
	expect_answer(f, "switches\n", "\"alive\":true");
	expect_answer(f, "nics\n", "\"mac\":\"02:54:41:00:00:01\",\"state\":\"NEEDS_RESET\"");
	expect_answer(f, "linksx\n", "unknown request");
	expect_answer(f, "links all\n", "links: takes no more words, so not all");
	expect_answer(f, "fault list 1\n", "fault list: takes no more words, so not 1");
	expect_answer(f, "\n", "unknown request");
	assert_int_equal(stop(f, SIGTERM), 0);
	assert_string_equal(printed(f), "");
}

static void a_link_goes_down_and_a_switch_dies_on_request(void **state)
{
	struct fixture *f = *state;

	serve_with(f, 1, 1, NULL, NULL);
	expect_answer(f, "fault add down:link=nic0,dir=rx\n", "\"id\":1");
	WAIT_FOR(strstr(request(f, "links\n"), "\"port\":\"switch\",\"peer\":\"vm0-nic0\",\"up\":false"));
	expect_answer(f, "links\n", "\"port\":\"vm0-nic0\",\"peer\":\"switch\",\"up\":true");
	expect_answer(f, "fault add switch-death\n", "\"id\":2");
	WAIT_FOR(strstr(request(f, "switches\n"), "\"alive\":false"));
	expect_answer(f, "fault clear\n", "\"cleared\":2");
	expect_answer(f, "switches\n", "\"alive\":true");
	assert_null(strstr(request(f, "links\n"), "\"up\":false"));
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void a_nic_is_reset_on_request(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer[2];
	uint32_t epoch;

	serve(f);
	attach(f, &peer[0], "vm0-nic0.sock");
	attach(f, &peer[1], "vm1-nic0.sock");
	for (int i = 0; i < 2; i++)
		reset_device(&peer[i]);
	epoch = load32(&ident_of(&peer[1])->epoch);
	expect_answer(f, "fault add nic-reset:nic=vm1-nic0\n", "\"id\":1");
	WAIT_FOR(is_stopped(&peer[1], epoch));
	assert_int_equal(load32(&ident_of(&peer[0])->state), TALLY_DEVICE_READY);
	reset_device(&peer[1]);
	for (int i = 0; i < 2; i++)
		test_peer_close(&peer[i]);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* The admin queue is the first object in host memory that a device reads. */
static void accesses_to_memory_fail_on_request(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	serve_with(f, 1, 1, "--fault", "dma-error:nic=0,count=1");
	attach(f, &peer, "vm0-nic0.sock");
	control_of(&peer)->driver_abi = htole32(TALLY_ABI_VERSION);
	control_of(&peer)->aq_depth = htole32(16);
	control_of(&peer)->aq_sq_addr = htole64(1 << 20);
	control_of(&peer)->aq_cq_addr = htole64(2 << 20);
	__atomic_store_n(&control_of(&peer)->reset_req, htole32(1), __ATOMIC_SEQ_CST);
	assert_int_equal(eventfd_write(test_peer_doorbell(&peer, 0), 1), 0);
	WAIT_FOR(load32(&ident_of(&peer)->reset_ack) == 1);
	assert_int_equal(load32(&ident_of(&peer)->state), TALLY_DEVICE_FATAL);
	expect_answer(f, "fault list\n", "\"state\":\"spent\",\"seen\":1,\"hits\":1");
	reset_device(&peer);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void faults_survive_the_worker(void **state)
{
	struct fixture *f = *state;

	serve_with(f, 1, 2, "--fault", "corrupt:nth=3");
	expect_answer(f, "fault add down:link=nic1\n", "\"id\":2");
	expect_answer(f, "fault add drop\n", "\"id\":3");
	expect_answer(f, "fault clear 1\n", "\"cleared\":1");
	expect_answer(f, "fault add delay:by=1us\n", "\"id\":4");
	kill_worker(f);
	expect_answer(f, "fault list\n", "\"id\":2,\"fault\":\"down:link=nic1\"");
	expect_answer(f, "fault list\n", "\"id\":4,\"fault\":\"delay:by=1us\"");
	WAIT_FOR(strstr(request(f, "links\n"), "\"up\":false"));
	assert_null(strstr(request(f, "fault list\n"), "corrupt"));
	expect_answer(f, "fault add drop\n", "\"id\":5");
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* A fault that occurred once does not occur again with the replacement worker. */
static void a_fault_that_is_over_stays_so(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	uint32_t epoch;

	serve(f);
	attach(f, &peer, "vm0-nic0.sock");
	reset_device(&peer);
	epoch = load32(&ident_of(&peer)->epoch);
	expect_answer(f, "fault add nic-reset:nic=vm0-nic0\n", "\"id\":1");
	WAIT_FOR(is_stopped(&peer, epoch));
	reset_device(&peer);
	epoch = load32(&ident_of(&peer)->epoch);
	kill_worker(f);
	WAIT_FOR(is_stopped(&peer, epoch));
	expect_answer(f, "fault list\n", "\"state\":\"spent\",\"seen\":0,\"hits\":1");
	assert_int_equal(load32(&ident_of(&peer)->epoch), epoch + 1);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* Clients that hang, leave or send too much do not block others. */
static void bad_clients_harm_nobody(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct fixture *f = *state;
	char *flood;
	int fd[20];

	serve_with(f, 1, 1, NULL, NULL);
	strcpy(addr.sun_path, file_in(f, "control.sock"));
	for (int i = 0; i < 20; i++) {
		fd[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(connect(fd[i], (struct sockaddr *)&addr, sizeof(addr)), 0);
		if (i % 2)
			assert_int_equal(send(fd[i], "fault", 5, MSG_NOSIGNAL), 5);
		expect_answer(f, "fault list\n", "\"faults\":[]");
	}
	for (int i = 0; i < 20; i++)
		close(fd[i]);
	flood = malloc(1001);
	assert_non_null(flood);
	memset(flood, 'x', 1000);
	flood[1000] = '\0';
	expect_answer(f, flood, "too long");
	free(flood);
	expect_answer(f, "nics\xff\n", "byte 4 of the request is 0xff");
	expect_answer(f, "fault add drop:link=\tx\n", "byte 20 of the request is 0x9");
	assert_non_null(strstr(request_bytes(f, "ni\0cs\n", 6), "byte 2 of the request is 0,"));
	expect_answer(f, "switches\n", "\"alive\":true");
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void a_fault_about_nothing_ends_the_run(void **state)
{
	struct fixture *f = *state;
	pid_t pid = start(f, (const char *const[]){ "serve", "--dir", f->dir, "--vms", "1", "--nics",
						    "2", "--mem-mb", "64", "--fault",
						    "drop:link=nic2", NULL });

	expect_exit(f, pid, 1);
	assert_non_null(strstr(printed(f), "drop:link=nic2: link=nic2: no such link"));
	assert_int_equal(files_left(f), 0);
}

/* ---- Cost ---- */

/* Returns the number after @key in /proc/@pid/status. */
static long proc_status(pid_t pid, const char *key)
{
	char path[64], line[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = atol(line + strlen(key));
	fclose(file);
	assert_true(value >= 0);
	return value;
}

static bool is_asleep(const struct test_peer *peer)
{
	const struct tally_status_page *page = (const void *)(peer->bar + TALLY_BAR_STATUS_OFFSET);

	return load32(&page->need_wake) == 1;
}

/* With devices in operation but without work, the worker never wakes up; a ring still wakes it. */
static void idle_costs_nothing(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	long before, wakeups;
	pid_t worker;

	serve(f);
	worker = pid_in(f, "worker.pid");
	attach(f, &peer, "vm0-nic0.sock");
	reset_device(&peer);
	WAIT_FOR(is_asleep(&peer));
	before = proc_status(worker, "voluntary_ctxt_switches:");
	for (int i = 0; i < 100; i++)
		tick();
	wakeups = proc_status(worker, "voluntary_ctxt_switches:") - before;
	assert_in_range(wakeups, 0, 2);
	reset_device(&peer);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Virtual time began after the test, so it leads if it exceeds the time since then. */
static void virtual_time_follows_the_wall_clock(void **state)
{
	struct fixture *f = *state;
	const struct tally_status_page *page;
	const uint64_t begin = now_ns();
	struct test_peer peer;
	uint64_t clock;

	serve(f);
	attach(f, &peer, "vm0-nic0.sock");
	page = (const void *)(peer.bar + TALLY_BAR_STATUS_OFFSET);
	do {
		eventfd_write(test_peer_doorbell(&peer, 0), 1);
		tick();
		clock = le64toh(__atomic_load_n(&page->clock, __ATOMIC_SEQ_CST));
		assert_true(clock <= now_ns() - begin);
		assert_true(now_ns() - begin < UINT64_C(1000000) * PATIENCE_MS);
	} while (clock < 50 * 1000 * 1000);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

/* Rings without doorbells are spurious wake-ups, at most one each. */
static void a_stray_ring_wakes_once(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	long before, wakeups;
	pid_t worker;

	serve(f);
	worker = pid_in(f, "worker.pid");
	attach(f, &peer, "vm0-nic0.sock");
	before = proc_status(worker, "voluntary_ctxt_switches:");
	for (int i = 0; i < 10; i++) {
		WAIT_FOR(is_asleep(&peer));
		eventfd_write(test_peer_doorbell(&peer, i % TALLY_NUM_VECTORS), 1);
		tick();
	}
	wakeups = proc_status(worker, "voluntary_ctxt_switches:") - before;
	assert_in_range(wakeups, 1, 20);
	test_peer_close(&peer);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void sixteen_nics_fit_into_300_mb(void **state)
{
	struct fixture *f = *state;
	pid_t worker;

	serve_with(f, 1, 16, NULL, NULL);
	worker = pid_in(f, "worker.pid");
	assert_in_range(proc_status(worker, "VmRSS:") + proc_status(f->pid, "VmRSS:"), 1, 300 * 1024);
	assert_int_equal(stop(f, SIGTERM), 0);
}

static void links_are_captured(void **state)
{
	struct fixture *f = *state;
	const char *const names[] = {
		"link-vm0-nic0-switch.pcap", "link-vm0-nic1-switch.pcap",
		"link-vm0-nic0-switch.1.pcap", "link-vm0-nic1-switch.1.pcap",
	};
	struct stat st;

	serve_with(f, 1, 2, "--pcap", f->dir);
	kill_worker(f);
	WAIT_FOR(exists(f, names[3]));
	assert_int_equal(stop(f, SIGTERM), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(stat(file_in(f, names[i]), &st), 0);
		if (i >= 2)
			assert_true(st.st_size > 0);
		assert_int_equal(unlink(file_in(f, names[i])), 0);
	}
	assert_int_equal(files_left(f), 0);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bad_command_lines_exit_with_2),
		TEST(help_is_given),
		TEST(a_foreign_file_is_named_and_stays),
		TEST(a_run_makes_its_files_and_removes_them),
		TEST(every_nic_has_its_own_identity),
		TEST(a_doorbell_is_served),
		TEST(a_bad_peer_harms_nobody_else),
		TEST(a_vm_that_leaves_cuts_its_nics_power),
		TEST(a_killed_worker_is_replaced_under_its_vms),
		TEST(workers_that_keep_dying_are_given_up),
		TEST(a_stopped_worker_does_not_hold_up_the_end),
		TEST(a_killed_supervisor_leaves_no_worker),
		TEST(a_folder_that_is_removed_leaves_no_memory),
		TEST(a_folder_serves_one_run),
		TEST(it_dies_with_its_parent_if_told),
		TEST(faults_are_added_listed_and_cleared),
		TEST(a_link_goes_down_and_a_switch_dies_on_request),
		TEST(a_nic_is_reset_on_request),
		TEST(accesses_to_memory_fail_on_request),
		TEST(faults_survive_the_worker),
		TEST(a_fault_that_is_over_stays_so),
		TEST(bad_clients_harm_nobody),
		TEST(a_fault_about_nothing_ends_the_run),
		TEST(idle_costs_nothing),
		TEST(virtual_time_follows_the_wall_clock),
		TEST(a_stray_ring_wakes_once),
		TEST(sixteen_nics_fit_into_300_mb),
		TEST(links_are_captured),
	};

	/* Orphans become children of this process, so that it can wait for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
