# SPDX-License-Identifier: Apache-2.0
# Entry point: short names for the common commands. The work is done by scripts elsewhere.
SHELL := /bin/bash
# Debian's own Python, even if the machine has others: the packages of .ci/deps.txt are built for it.
PYTHON := /usr/bin/python3
# Lets clones in different folders share ccache entries.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

PREFIX := /usr/local
CASES := 200000
SEED := 1
FROM := 0
SECONDS := 60

.DEFAULT_GOAL := help
.PHONY: help deps build install check test demo play image image-test bench bench-render bench-suites bench-views bench-fleet bench-scale oracle golden reference differential sim mutants lint fmt \
  tidy asan tsan fuzz fresh hooks clean

help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## Install the Debian packages that everything needs (.ci/deps.txt)
	@.ci/deps

build: deps ## Build the release binary: build/release/chartwright
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --target chartwright

install: build ## Install the program below PREFIX (default: /usr/local)
	@install -D -t "$(DESTDIR)$(PREFIX)/bin" build/release/chartwright
	@for name in helm-operator kubectl-chartwright kubectl_complete-chartwright; do \
	  ln -sf chartwright "$(DESTDIR)$(PREFIX)/bin/$$name"; done
	@install -D -m 644 -t "$(DESTDIR)$(PREFIX)/lib/chartwright" build/release/libchartwright-grpc.so
	@build/release/chartwright man --output-dir "$(DESTDIR)$(PREFIX)/share/man/man1"

check: deps ## Run what a commit needs: checks, unit and case tests; with ROOM=helm/funcs those of one room
	@.ci/stages $(if $(ROOM),--room "$(ROOM)") lint unit

test: deps ## Run every check and test, as CI does; with T=TEXT the tests whose name contains TEXT
	@$(if $(T),.ci/select "$(T)",.ci/stages $(if $(LIMIT),--limit $(LIMIT)))

demo: build ## Watch four charts become operators, and views being served, on a real API server (KUBECONFIG: on yours; SYSTEM=pet: one alone)
	@$(PYTHON) test/demo/demo $(if $(SYSTEM),--system "$(SYSTEM)")

play: build ## Like demo, but leave everything running for experiments
	@$(PYTHON) test/demo/demo --play

image: ## Build the image for operators, chartwright:VERSION, and list what is in it (docs/image.md)
	@$(PYTHON) test/image/build

image-test: deps image ## Run the image on a local control plane, as the base of a project
	@CHARTWRIGHT_IMAGE=chartwright:latest $(PYTHON) -m pytest -q -p no:cacheprovider test/image

bench: build ## Measure the operator against the bare API writes (docs/benchmarks.md)
	@$(PYTHON) bench/run

bench-render: build ## Measure rendering against real Helm (docs/benchmarks.md)
	@$(PYTHON) bench/render

bench-fleet: build ## Measure 1,000 custom resources of which 100 are broken, and get over 3,000 (docs/benchmarks.md)
	@$(PYTHON) bench/fleet

bench-scale: build ## Measure 100, 1,000 and 10,000 custom resources (docs/benchmarks.md)
	@$(PYTHON) bench/scale

bench-suites: build ## Compare the suites of charts with helm-unittest (CHARTS="FOLDER[=PATTERN]...")
	@$(PYTHON) bench/suites $(CHARTS)

bench-views: build ## Measure a view of 10,000 objects against the API server (docs/benchmarks.md)
	@$(PYTHON) bench/views

oracle: deps ## Regenerate the expected results from real Helm and Go
	@test/oracle/run

golden: deps ## Regenerate the golden renders of charts with real Helm
	@test/oracle/run golden

reference: build ## Regenerate docs/reference/reference.md from the code, and check the other documents
	@[ -f build/dev/build.ninja ] || cmake --preset dev
	@cmake --build --preset dev --target cmd_test
	@CW_WRITE_DOCS=1 build/dev/test/cmd/cmd_test "[reference]"
	@CW_WRITE_DOCS=1 $(PYTHON) -m pytest -q -p no:cacheprovider test/e2e/test_reference.py test/e2e/test_day_two.py

differential: deps ## Compare random templates with real Helm (CASES, SEED, FROM)
	@[ -f build/dev/build.ninja ] || cmake --preset dev
	@cmake --build --preset dev --target differential
	@test/oracle/run fuzz --ours build/dev/test/differential/differential --found build/differences.txt \
	  --count $(CASES) --seed $(SEED) --from $(FROM)

sim: deps ## Search for orders of threads and faults that break the operator (SECONDS, SEED)
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --target sim
	@test/sim/search build/release/test/sim/sim $(SECONDS) $(SEED)

mutants: deps ## Plant mistakes in a copy of the sources, and check that tests catch them
	@test/mutants/run

lint: deps ## Run every check that needs no compiler
	@.ci/lint

fmt: deps ## Format the C++, Go and Python sources, and wrap the documents
	@.ci/lint --fix

tidy: deps ## Run clang-tidy over every source (SINCE=REF: over what changed since)
	@.ci/clang-tidy $(if $(SINCE),--since "$(SINCE)")

asan: deps ## Run unit and case tests under AddressSanitizer and UBSan, and show the coverage by room
	@.ci/stages asan

tsan: deps ## Run the tests of threaded modules under ThreadSanitizer
	@.ci/stages tsan

fuzz: deps ## Run each libFuzzer target for a minute
	@test/fuzz/run

fresh: deps ## Run demo and test in a bare Debian 12 (root; takes over an hour)
	@test/fresh/run

hooks: ## Check each commit and its message before it is made
	@git config core.hooksPath .ci/hooks

clean: ## Remove the build folder (not the caches outside the repository)
	@rm -rf build
