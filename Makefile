# The two main commands are `make demo` and `make test`.  Both install what they need on Debian 12.

BUILD ?= build/release
PRESET := $(notdir $(BUILD))
JOBS ?= $(shell nproc)
# A compilation takes up to 2 GB of memory.
COMPILATIONS ?= $(shell awk -v jobs=$(JOBS) '/^MemTotal/ {fit = int($$2 / 1900000); print fit < 1 ? 1 : fit < jobs ? fit : jobs}' /proc/meminfo)

.PHONY: help demo test build package image setup setup-tests check pictures publish-contract format lint clean
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make demo        set up, build and run the demo: gangs, isolation, refusals, figures (2 min warm)
demo: build
	$(BUILD)/bin/gpu-platform demo

## make test        set up, build and run all tests (25 min cold on 2 cores)
# Three tests per core: tests of whole programs mostly wait, and those that keep a core busy count as two.
test: build-tests
	ctest --test-dir $(BUILD) --output-on-failure -j $$((3 * $(JOBS)))

## make build       set up and build the program
build: configure
	cmake --build $(BUILD) --target gpu-platform -j $(COMPILATIONS)

## make package     build the Debian packages and the tarball, in build/packages (1 min after a build)
package: configure
	tools/setup-debian --with-package
	cmake --build $(BUILD) --target gpu-platform fake_nvml fake_nvml_ctl fake_mps_control fake_mps_client -j $(COMPILATIONS)
	tools/make-packages $(BUILD) build/packages

## make image       build the container image, build/gpu-platform-image.tar (root; 3 min after a build)
image: package
	tools/setup-debian --with-image
	tools/make-image build/packages build/gpu-platform-image.tar

.PHONY: configure build-tests
configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) > /dev/null
build-tests: setup-tests configure
	cmake --build $(BUILD) -j $(COMPILATIONS)

setup:
	@tools/setup-debian
setup-tests:
	@tools/setup-debian --with-tests

## make check       check the layer rules and the format of the sources
check:
	python3 tools/check_layers.py
	python3 tools/check_format.py
	python3 tools/check_words.py
	python3 tools/check_contracts.py
	python3 tools/check_sizes.py

## make pictures    take screenshots of the dashboard for the documentation, in its tests (1 min)
pictures: build-tests
	GP_PICTURES=/tmp/gp-pictures GP_WEB_TOOLS=$(abspath $(BUILD))/web/tools PYTHONPATH=tests/integration /usr/bin/python3 -B \
	  tests/integration/live/dashboard_test.py --binary $(abspath $(BUILD))/bin/gpu-platform Dashboard.test_pages_and_actions
	mkdir -p docs/figures/dashboard
	for page in overview running waiting fleet; do cp /tmp/gp-pictures/$$page-dark.png docs/figures/dashboard/$$page.png; done

## make publish-contract  publish the current .proto files as the contract that other programs rely on
publish-contract: build-tests
	$(BUILD)/tests/contract/tools/node_modules/@bufbuild/buf-linux-*/bin/buf build proto --exclude-source-info -o proto/published.binpb

## make format      format the sources
format:
	git ls-files '*.cc' '*.h' | xargs -n 40 -P $(JOBS) clang-format-19 -i

## make lint        run clang-tidy on the sources that differ from LINT_BASE (LINT_BASE=HEAD)
LINT_BASE ?= HEAD
lint:
	tools/setup-debian --with-lint
	git diff --name-only --diff-filter=d $(LINT_BASE) -- 'src/*.cc' 'experiments/*.cc' | xargs -r clang-tidy-19 -p $(BUILD) --quiet

clean:
	rm -rf build

include tests/prove.mk
