// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <getopt.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "verilated_cov.h"

// Verilator calls this function for the time. The benches have none.
double sc_time_stamp()
{
	return 0;
}

// Verilator calls this function when an assertion in a block or in its rules has failed. It has printed which.
void vl_stop(const char *file, int line, const char *)
{
	tally::fail("the assertion of %s:%d", file, line);
}

namespace tally {

Place place = { "bench", 0, 0 };

uint64_t Rng::next()
{
	uint64_t z = state_ += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void Rng::fill(void *to, size_t len)
{
	auto *bytes = static_cast<uint8_t *>(to);

	for (size_t i = 0; i < len; i++)
		bytes[i] = static_cast<uint8_t>(next());
}

bool Throttle::go()
{
	static const unsigned int percents[] = { 100, 100, 0, 80, 50, 10 };

	if (!left_) {
		percent_ = percents[rng_.below(sizeof(percents) / sizeof(*percents))];
		left_ = 1 + rng_.below(40);
	}
	left_--;
	return rng_.below(100) < percent_;
}

static const struct option known[] = {
	{ "seed", required_argument, nullptr, 's' },
	{ "long", no_argument, nullptr, 'l' },
	{ "coverage", required_argument, nullptr, 'c' },
	{ "trace", required_argument, nullptr, 't' },
	{ nullptr, 0, nullptr, 0 },
};

static uint64_t number(const char *text, const char *program)
{
	char *end;
	uint64_t value = std::strtoull(text, &end, 0);

	if (!*text || *end) {
		std::fprintf(stderr, "%s: --seed: '%s' is no number\n", program, text);
		std::exit(2);
	}
	return value;
}

Options parse(int argc, char **argv)
{
	Options options;
	bool known_all = true;
	int c;

	while (known_all && (c = getopt_long(argc, argv, "", known, nullptr)) != -1) {
		if (c == 's')
			options.seed = number(optarg, argv[0]);
		else if (c == 'l')
			options.long_run = true;
		else if (c == 'c')
			options.coverage = optarg;
		else if (c == 't')
			options.trace = optarg;
		else
			known_all = false;
	}
	if (!known_all || optind != argc) {
		std::fprintf(stderr, "usage: %s [--seed N] [--long] [--coverage FILE] [--trace FILE]\n", argv[0]);
		std::exit(2);
	}
	Verilated::randReset(2);
	// Zero would take the seed from the time.
	Verilated::randSeed(static_cast<int>(options.seed % INT32_MAX + 1));
	return options;
}

void fail(const char *format, ...)
{
	va_list args;

	std::fprintf(stderr, "%s: seed %llu, cycle %llu: ", place.name,
		     static_cast<unsigned long long>(place.seed),
		     static_cast<unsigned long long>(place.cycle));
	va_start(args, format);
	std::vfprintf(stderr, format, args);
	va_end(args);
	std::fputc('\n', stderr);
	std::_Exit(1);
}

void write_coverage(const std::string &file)
{
	std::filesystem::create_directories(std::filesystem::path(file).parent_path());
	Verilated::threadContextp()->coveragep()->write(file.c_str());
}

} // namespace tally
