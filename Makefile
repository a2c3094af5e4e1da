# SPDX-License-Identifier: BSD-2-Clause
# Names what a person types. CMake builds user space (CMakeLists.txt), Kbuild the modules (kernel/Kbuild).

BUILD := $(CURDIR)/build

.NOTPARALLEL:
.PHONY: help demo check bench build stack kernel kernel-debug uapi clean setup sanitized

help:
	@echo "make demo    sets up, builds, and runs an offloaded collective over four simulated NICs in a VM"
	@echo "make check   sets up, builds (also with sanitizers), and runs every test"
	@echo "make bench   sets up, builds, and writes the tables and plots of docs/bench.md"
	@echo "make build   builds user space into build/"
	@echo "make kernel  builds the kernel modules into build/kernel-stock/; kernel-debug: for the debug kernel, which it"
	@echo "             builds first if it is not in the cache, in ten minutes on two cores"
	@echo "make uapi    regenerates what is generated from uapi/tally.yaml"
	@echo "make clean   removes build/"

demo: setup stack kernel
	@tools/lab run --nics 4 -- build/bin/tally_demo
	@echo "The same over a fabric that loses, doubles and corrupts; every frame of it is in build/pcap:"
	@tools/lab run --nics 4 --pcap build/pcap --fault drop:rate=0.02 --fault duplicate:rate=0.02 \
		--fault corrupt:rate=0.01 -- build/bin/tally_demo --short

check: setup build kernel kernel-debug sanitized
	@tools/check

bench: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target tallysim
	@tools/bench

setup:
	@tools/setup

build: $(BUILD)/build.ninja
	@cmake --build $(BUILD)

# What a VM with NICs needs, without the tests.
stack: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target tallysim libtally tally_demo

sanitized: $(BUILD)/asan/build.ninja
	@cmake --build $(BUILD)/asan

$(BUILD)/build.ninja:
	@cmake -G Ninja -S $(CURDIR) -B $(BUILD)

$(BUILD)/asan/build.ninja:
	@cmake -G Ninja -S $(CURDIR) -B $(BUILD)/asan -DTALLY_SANITIZE=ON

kernel:
	+@tools/lab.d/build-modules stock $(BUILD)/kernel-stock

kernel-debug:
	+@tools/lab.d/build-modules debug $(BUILD)/kernel-debug

uapi: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target uapi-gen

clean:
	rm -rf $(BUILD)
