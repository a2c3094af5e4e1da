// SPDX-License-Identifier: BSD-2-Clause
#include "serve/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "attach/server.h"
#include "core/log.h"
#include "fabric/fault.h"
#include "rtl/rtl.h"

enum {
	OPT_DIR = 256, OPT_VMS, OPT_NICS, OPT_MEM, OPT_PCAP, OPT_ENGINE, OPT_WAVE, OPT_SEED, OPT_FAULT,
	OPT_DIE, OPT_HELP,
};

static const struct option long_options[] = {
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "vms", required_argument, NULL, OPT_VMS },
	{ "nics", required_argument, NULL, OPT_NICS },
	{ "mem-mb", required_argument, NULL, OPT_MEM },
	{ "pcap", required_argument, NULL, OPT_PCAP },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "wave", required_argument, NULL, OPT_WAVE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "die-with-parent", no_argument, NULL, OPT_DIE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

void options_usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim serve --dir DIR --vms V --nics N --mem-mb MB [options]\n"
"Simulates V * N Tally NICs on one switch and attaches them to V virtual machines.\n"
"\n"
"  --dir DIR          existing folder for vm<i>.mem (the VM's memory), vm<i>-nic<j>.sock\n"
"                     (for ivshmem-doorbell), worker.pid, control.sock (for tallyctl), and ready,\n"
"                     which appears when everything is served\n"
"  --vms V            number of virtual machines, 1 to %d\n"
"  --nics N           number of NICs of each virtual machine, 1 to %d\n"
"  --mem-mb MB        memory of each virtual machine in MiB, at least %d\n"
"  --pcap DIR         write a capture of each link to this existing folder\n"
"  --engine KIND      model (the default), or rtl: the Verilated hardware, as far as it is built\n"
"  --wave DIR[,nic=NAME][,from=TIME][,to=TIME]  with --engine rtl: write the wave forms of each NIC,\n"
"                     or of one, to DIR/NAME.fst, from one virtual time to another\n"
"  --seed S           seed of all random numbers; drawn at random if absent\n"
"  --fault SPEC       add a fault, such as drop:rate=0.05,link=vm0-nic0,kind=result; may be given\n"
"                     up to %d times; tallysim(1) has the grammar\n"
"  --die-with-parent  end when the thread that started this program ends\n"
"  --help             print this text\n"
"\n"
"During the run, tallyctl(8) shows its links and NICs and adds faults, through DIR/control.sock.\n"
"The run ends on SIGTERM, SIGINT or SIGHUP and removes its files. Exit status: 0 ended by signal,\n"
"1 failure, %d bad command line.\n", MAX_VMS, MAX_VM_NICS, MIN_MEM_MB, FAB_RULES_MAX, EXIT_USAGE);
}

/* strtoull() alone accepts signs, blanks and trailing text. */
static bool parse_number(const char *option, const char *text, uint64_t min, uint64_t max,
			 uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out >= min && *out <= max)
		return true;
	sim_warn("--%s %s: not a whole number from %ju to %ju", option, text, (uintmax_t)min,
		 (uintmax_t)max);
	return false;
}

static bool parse_unsigned(const char *option, unsigned int min, unsigned int max,
			   unsigned int *out)
{
	uint64_t value;

	if (!parse_number(option, optarg, min, max, &value))
		return false;
	*out = value;
	return true;
}

static bool parse_mem(struct options *opt)
{
	uint64_t mb;

	if (!parse_number("mem-mb", optarg, MIN_MEM_MB, MAX_MEM_MB, &mb))
		return false;
	opt->mem_bytes = mb << 20;
	return true;
}

static bool take_fault(struct options *opt)
{
	struct fault fault;
	char err[256];

	if (opt->num_faults == FAB_RULES_MAX) {
		sim_warn("--fault %s: there are %d faults already", optarg, FAB_RULES_MAX);
		return false;
	}
	if (fault_parse(&fault, optarg, err, sizeof(err))) {
		sim_warn("--fault %s: %s", optarg, err);
		return false;
	}
	opt->faults[opt->num_faults++] = optarg;
	return true;
}

static bool is_folder(const char *option, const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		sim_warn("--%s %s: %s", option, path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		sim_warn("--%s %s: not a folder", option, path);
		return false;
	}
	return true;
}

/* The longest name in the folder is that of a socket, whose length is limited by its address. */
static bool socket_paths_fit(const char *dir)
{
	char *path;
	bool fits;

	if (asprintf(&path, "%s/vm%d-nic%d.sock", dir, MAX_VMS - 1, MAX_VM_NICS - 1) < 0)
		return false;
	fits = ivshmem_path_fits(path);
	free(path);
	if (!fits)
		sim_warn("--dir %s: path is too long for the sockets in it", dir);
	return fits;
}

static bool missing(const char *option)
{
	sim_warn("--%s is missing", option);
	return false;
}

static bool check_all(const struct options *opt)
{
	if (!opt->dir)
		return missing("dir");
	if (!opt->vms)
		return missing("vms");
	if (!opt->nics)
		return missing("nics");
	if (!opt->mem_bytes)
		return missing("mem-mb");
	return is_folder("dir", opt->dir) && socket_paths_fit(opt->dir) &&
	       (!opt->pcap_dir || is_folder("pcap", opt->pcap_dir));
}

static bool take_option(struct options *opt, int option)
{
	switch (option) {
	case OPT_DIR:
		opt->dir = optarg;
		return true;
	case OPT_VMS:
		return parse_unsigned("vms", 1, MAX_VMS, &opt->vms);
	case OPT_NICS:
		return parse_unsigned("nics", 1, MAX_VM_NICS, &opt->nics);
	case OPT_MEM:
		return parse_mem(opt);
	case OPT_PCAP:
		opt->pcap_dir = optarg;
		return true;
	case OPT_ENGINE:
		return rtl_take_engine(optarg, &opt->units);
	case OPT_WAVE:
		return rtl_take_wave(optarg);
	case OPT_SEED:
		return parse_number("seed", optarg, 0, UINT64_MAX, &opt->seed);
	case OPT_FAULT:
		return take_fault(opt);
	case OPT_DIE:
		opt->die_with_parent = true;
		return true;
	default:
		return false;	/* getopt_long() has printed the error */
	}
}

enum options_result options_parse(struct options *opt, int argc, char **argv)
{
	int option;

	*opt = (struct options){ 0 };
	if (getrandom(&opt->seed, sizeof(opt->seed), 0) != sizeof(opt->seed)) {
		sim_warn("no random seed: %s", strerror(errno));
		return OPTIONS_BAD;
	}
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == OPT_HELP)
			return OPTIONS_HELP;
		if (!take_option(opt, option))
			return OPTIONS_BAD;
	}
	if (optind < argc) {
		sim_warn("%s: not an option", argv[optind]);
		return OPTIONS_BAD;
	}
	return check_all(opt) && rtl_check_wave(opt->units) ? OPTIONS_OK : OPTIONS_BAD;
}
