# SPDX-License-Identifier: Apache-2.0
# The front door; CMake does the work. `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS := $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
KRON_OPS ?= 5000000
KRON_SEED ?= $(shell date +%s)
sanitize = -DKRON_SANITIZE="address,undefined"

# The goals share build folders, so they run one after the other; inside, JOBS run at once.
.NOTPARALLEL:
.PHONY: all demo check check-san check-tsan check-clang check-long fuzz bench install format update-golden \
	clean help

# configure FOLDER, OPTIONS; build FOLDER, TARGETS, which takes none of this make's flags; ctest
# FOLDER, OPTIONS.
configure = cmake -S . -B $(1) $(2) >/dev/null
build = MAKEFLAGS=--no-print-directory cmake --build $(1) -j $(JOBS) --target $(2)
ctest = ctest --test-dir $(1) --output-on-failure --timeout 300 -j $(JOBS) $(2)

all: ## build into build/
	@tools/deps build
	@$(call configure,build)
	@$(call build,build,all)

demo: ## build kron, measure the example program, and run the scripts of the chip models
	@tools/deps build
	@$(call configure,build)
	@$(call build,build,kron kronpthread workqueue)
	@examples/chip/demo build/kron
	@examples/native/demo build

check: ## run all tests, warnings being errors
	@tools/deps test
	@$(call configure,build,-DKRON_WERROR=ON)
	@$(call build,build,all bench)
	@$(call ctest,build)

check-san: ## run the tests with address and undefined-behaviour sanitizers
	@tools/deps test
	@$(call configure,build-san,$(sanitize))
	@$(call build,build-san,all)
	@KRON_OPS=300000 $(call ctest,build-san,-LE house)

check-tsan: ## run recorder and triggering threads in one program with the thread sanitizer
	@tools/deps test
	@$(call configure,build-tsan,-DKRON_SANITIZE=thread)
	@$(call build,build-tsan,collect_threads_test probe_ring_test)
	@$(call ctest,build-tsan,-R '^(collect_threads|probe_ring)_test$$')

check-clang: ## build with clang, warnings being errors, and run the tests
	@tools/deps clang
	@CC=clang; export CC; $(call configure,build-clang,-DKRON_WERROR=ON)
	@$(call build,build-clang,all bench)
	@$(call ctest,build-clang,-LE house)

check-long: fuzz ## fuzz, and run the tests longer: KRON_OPS operations, a new KRON_SEED, 100 kills
	@tools/deps test
	@$(call configure,build-san,$(sanitize))
	@$(call build,build-san,all)
	@seed=$(KRON_SEED); echo "KRON_SEED=$$seed KRON_OPS=$(KRON_OPS)"; \
	KRON_SEED=$$seed KRON_OPS=$(KRON_OPS) KRON_KILLS=100 KRON_SOAK=600 \
		$(call ctest,build-san,--timeout 3600 -LE house)

fuzz: ## fuzz each target for FUZZ_SECONDS
	@tools/deps clang
	@CC=clang; export CC; $(call configure,build-fuzz,-DKRON_FUZZ=ON)
	@$(call build,build-fuzz,fuzz)
	@tests/fuzz/run build-fuzz $(FUZZ_SECONDS)

bench: ## build and run the benchmarks, beside LTTng-UST and uftrace
	@tools/deps bench || tools/deps build
	@$(call configure,build)
	@$(call build,build,bench)
	@for program in build/bench/*; do [ -d "$$program" ] || "$$program" || exit; done
	@bench/native/run build

install: ## install into DESTDIR and PREFIX (/usr/local)
	@tools/deps build
	@$(call configure,build,-DCMAKE_INSTALL_PREFIX="$(PREFIX)")
	@$(call build,build,all)
	DESTDIR="$(DESTDIR)" cmake --install build

format: ## format the C sources
	@tools/deps test
	tools/format

update-golden: all ## rewrite the expected output of tests
	tests/cli/run --update
	tests/man/run --update

clean: ## remove the build folders
	rm -rf build build-san build-tsan build-clang build-fuzz

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 15
