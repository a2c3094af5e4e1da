# SPDX-License-Identifier: BSD-2-Clause
# Names what a person types. CMake builds user space (CMakeLists.txt), Kbuild the modules (kernel/Kbuild).

BUILD := $(CURDIR)/build
MODULES := $(BUILD)/kernel-stock
KERNEL_VERSION = $(shell tools/lab.d/kernel-version)

.NOTPARALLEL:
.PHONY: help demo check build stack kernel uapi clean setup sanitized

help:
	@echo "make demo    sets up, builds, and runs an offloaded collective over four simulated NICs in a VM"
	@echo "make check   sets up, builds (also with sanitizers), and runs every test"
	@echo "make build   builds user space into build/"
	@echo "make kernel  builds the kernel modules into build/kernel-stock/"
	@echo "make uapi    regenerates what is generated from uapi/tally.yaml"
	@echo "make clean   removes build/"

demo: setup stack kernel
	@tools/lab run --nics 4 --pcap build/pcap -- build/bin/tally_demo

check: setup build kernel sanitized
	@tools/check

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

# Kbuild of 6.1 writes beside its sources: it gets a tree of links to them, anew when the kernel has changed.
kernel:
	@version="$(KERNEL_VERSION)"; [ -n "$$version" ] || exit 1; \
	[ "$$(cat $(MODULES)/.version 2>/dev/null)" = "$$version" ] || rm -rf $(MODULES); \
	mkdir -p $(MODULES) && echo "$$version" > $(MODULES)/.version && \
	find $(MODULES) -xtype l -delete && \
	cp -asf $(CURDIR)/kernel/. $(MODULES) && \
	$(MAKE) --no-print-directory -j$$(nproc) -C "/usr/src/linux-headers-$$version" M=$(MODULES) modules

uapi: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target uapi-gen

clean:
	rm -rf $(BUILD)
