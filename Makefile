# SPDX-License-Identifier: BSD-2-Clause
# Names for the common commands. CMake builds user space (CMakeLists.txt), Kbuild the modules (kernel/Kbuild).

BUILD := $(CURDIR)/build

# Engine of the NICs of make demo: model, or rtl, the Verilated hardware as far as it is built (docs/rtl-nic.md).
ENGINE ?= model
rtl_only = $(if $(filter rtl,$(ENGINE)),$(1))

# Groups of tools/packages.txt that tools/setup installs for a target.
needs_demo := build lab
needs_demo-mpi := build lab mpi
needs_check-mpi := build lab mpi check-mpi
needs_check := build lab mpi tests kernel rtl fuzz deb deb-check
needs_coverage := build lab tests kernel rtl coverage
needs_mutants := build tests mutants
needs_fuzz := build lab tests kernel fuzz
needs_kunit := kernel
needs_bench := build
needs_rtl := build lab tests rtl
needs_deb := build deb
needs_deb-check := build lab deb deb-check
needs_demo += $(call rtl_only,tests rtl)
SETUPS := $(foreach name,demo demo-mpi check-mpi check coverage mutants fuzz kunit bench rtl deb deb-check,setup-$(name))

.NOTPARALLEL:
.PHONY: help demo demo-mpi check-mpi check coverage mutants fuzz bench build stack vm-programs kernel kernel-debug kunit kunit-kernel uapi rtl-check rtl-synth deb deb-check clean \
	setup $(SETUPS) with-stack with-tests with-rtl sanitized fuzzers

help:
	@echo "make demo    sets up, builds, and runs an offloaded collective over four simulated NICs in a VM; with ENGINE=rtl"
	@echo "             those units of the NICs that exist as hardware are Verilated"
	@echo "make demo-mpi  sets up, builds, and runs an MPI program over four NICs in a VM, with offload and without"
	@echo "make check   sets up, builds (also with sanitizers), and runs every test"
	@echo "make check-mpi  sets up, builds, and runs MPI programs of others over four NICs in a VM, with offload and without"
	@echo "make coverage  sets up, runs the tests, and writes the covered lines to docs/coverage.md and build/coverage/html"
	@echo "make mutants  sets up, plants some 6,000 bugs in the engine and the firmware one by one, and writes to"
	@echo "             build/mutants/report.tsv which ones the tests catch; takes hours"
	@echo "make fuzz    sets up, builds, and runs the fuzzers for TIME seconds in all (600)"
	@echo "make kunit   sets up, and runs the drivers' unit tests on User Mode Linux. If that kernel is not in the cache, it"
	@echo "             is built first, which takes six minutes on two cores"
	@echo "make bench   sets up, builds, and writes the tables and plots of docs/bench.md"
	@echo "make build   builds user space into build/, including all its tests and those of the hardware"
	@echo "make kernel  builds the kernel modules into build/kernel-stock/; kernel-debug: for the debug kernel, which it"
	@echo "             builds first if it is not in the cache, in ten minutes on two cores"
	@echo "make rtl-check  sets up, builds, and runs all cases of the VM tests and 100,000 random collectives on the hardware,"
	@echo "             its long benches and proofs and its benches on the netlists of yosys, and plants bugs in it"
	@echo "make rtl-synth  sets up, builds, and writes the size and the longest paths of the hardware to docs/synthesis.md"
	@echo "make deb     sets up, and builds Debian packages into build/deb/"
	@echo "make deb-check  sets up, and tests these packages on a plain Debian in a VM"
	@echo "make uapi    regenerates the files that are generated from uapi/tally.yaml"
	@echo "make clean   removes build/"
	@echo "make setup   installs the packages that these commands need; tools/setup --help lists its groups"

demo: setup-demo stack kernel
	@tools/lab run --nics 4 --engine $(ENGINE) -- build/bin/tally_demo
	@echo "The same over a fabric that drops, duplicates and corrupts packets. All frames are captured in build/pcap:"
	@tools/lab run --nics 4 --engine $(ENGINE) --pcap build/pcap --fault drop:rate=0.02 --fault duplicate:rate=0.02 \
		--fault corrupt:rate=0.01 -- build/bin/tally_demo --short

demo-mpi: export OMPI_MCA_mca_base_component_path = SYS_DEFAULT:$(BUILD)/lib/openmpi
demo-mpi: export TALLY_COLL_SUMMARY = 1
demo-mpi: setup-demo-mpi stack kernel
	@cmake --build $(BUILD) --target mca_coll_tally mpi_demo
	@echo "Open MPI, 8 ranks on 4 NICs. The table shows what the NICs performed:"
	@tools/lab mpirun --nics 4 -np 8 build/bin/mpi_demo
	@echo "The same with TALLY_COLL=off, without the NICs:"
	@TALLY_COLL=off tools/lab mpirun --nics 4 -np 8 build/bin/mpi_demo

check-mpi: setup-check-mpi stack kernel
	@cmake --build $(BUILD) --target mca_coll_tally tallycoll_mpich
	@tools/check-mpi

check: setup-check build kernel kernel-debug kunit-kernel sanitized fuzzers
	@tools/check

coverage: setup-coverage
	@tools/lab.d/debug-kernel build
	@tools/coverage

mutants: setup-mutants
	@tools/mutants

TIME ?= 600

fuzz: setup-fuzz fuzzers stack with-tests kernel-debug
	@cmake --build $(BUILD) --target test_fuzz_uverbs
	@tests/fuzz/run --guest --time $(TIME) $(BUILD)/fuzz

bench: setup-bench with-stack
	@cmake --build $(BUILD) --target tallysim
	@tools/bench

setup:
	@tools/setup

$(SETUPS): setup-%:
	@tools/setup $(needs_$*)

build: with-rtl
	@cmake --build $(BUILD)

# Programs that a VM with NICs needs, without the tests.
stack: $(or $(call rtl_only,with-rtl),with-stack)
	@cmake --build $(BUILD) --target tallysim libtally libtallycoll tally_demo tally_cluster tallyctl

# Programs that the tests in VMs need.
vm-programs: $(or $(call rtl_only,with-rtl),with-tests)
	@cmake --build $(BUILD) --target vm_programs

sanitized: $(BUILD)/asan/build.ninja
	@cmake --build $(BUILD)/asan

fuzzers: $(BUILD)/fuzz/build.ninja
	@cmake --build $(BUILD)/fuzz --target fuzz

# Adds parts to build/, and keeps those that were requested before.
has = [ -e $(BUILD)/build.ninja ] && grep -qx '$(1):BOOL=ON' $(BUILD)/CMakeCache.txt
configure = cmake -G Ninja -S $(CURDIR) -B $(BUILD)
new = $(if $(wildcard $(BUILD)/build.ninja),,$(1))

with-stack:
	@[ -e $(BUILD)/build.ninja ] || $(configure) -DTALLY_TESTS=OFF -DTALLY_RTL=OFF

with-tests:
	@{ $(call has,TALLY_TESTS); } || $(configure) -DTALLY_TESTS=ON $(call new,-DTALLY_RTL=OFF)

with-rtl:
	@{ $(call has,TALLY_TESTS) && $(call has,TALLY_RTL); } || $(configure) -DTALLY_TESTS=ON -DTALLY_RTL=ON

$(BUILD)/asan/build.ninja:
	@cmake -G Ninja -S $(CURDIR) -B $(BUILD)/asan -DTALLY_SANITIZE=ON

$(BUILD)/fuzz/build.ninja:
	@CC=clang cmake -G Ninja -S $(CURDIR) -B $(BUILD)/fuzz -DTALLY_FUZZ=ON -DTALLY_RTL=OFF

kernel:
	+@tools/lab.d/build-modules stock $(BUILD)/kernel-stock

kernel-debug:
	+@tools/lab.d/build-modules debug $(BUILD)/kernel-debug

kunit: setup-kunit
	@tools/check kunit/

kunit-kernel:
	@tools/lab.d/kunit build

uapi: with-tests
	@cmake --build $(BUILD) --target uapi-gen

rtl-check: setup-rtl build kernel
	@TALLY_ALL_CASES=1 tools/check vm-rtl/
	@tools/campaigns
	@tools/rtl elaborate
	@tools/rtl bench
	@tools/rtl netlist
	@tools/rtl prove
	@tools/rtl mutants
	@tools/rtl mutants --survivors

rtl-synth: setup-rtl build
	@tools/rtl synth

deb: setup-deb
	@tools/deb

deb-check: setup-deb-check
	@tools/check host/deb lab/packages

clean:
	rm -rf $(BUILD)
