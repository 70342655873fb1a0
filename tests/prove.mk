# The acceptance lines in full, one command each; `make test` runs them scaled down.
# Figures and machines: docs/measurements.md.  Times are for 2 cores.

PYTHON := /usr/bin/python3
BINARY := $(BUILD)/bin/gpu-platform
SEQUENCES ?= 1000000
KILLS ?= 200
WORLDS ?= 100000

.PHONY: prove-baseline baseline-program prove-fresh prove-kills prove-crashes prove-damage prove-leases prove-sequences prove-mutants prove-isolation \
        prove-clients prove-input prove-placement prove-packing prove-topology prove-trace prove-shares prove-starvation \
        prove-world prove-explain prove-forecast prove-faults prove-storm prove-recovery prove-cost prove-determinism prove-requests prove-parity prove-attacks prove-lines bench-watch bench-rest bench-list bench-schedule bench-slurm bench-sdiag bench-submit bench-recovery bench-submits bench-metrics bench-discovery

## make prove-fresh      clone, make demo, make test in a fresh Debian 12 (root; 60 min)
prove-fresh:
	tests/prove/fresh_debian.sh

## make prove-kills      200 kill -9 of controller, agents or both, under load (root; 5 min)
prove-kills: build
	GP_KILLS=$(KILLS) PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/kills_test.py --binary $(BINARY)

## make prove-crashes    SIGKILL, lost power and disk errors at every file call of four lives and of their recoveries (30 min)
prove-crashes: configure
	cmake --build $(BUILD) --target crash_journal crash_files
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} env GP_STRIDE=$(JOBS) GP_OFFSET={} GP_RECOVERY_STRIDE=1 $(BUILD)/bin/crash_journal
	$(BUILD)/bin/crash_files

## make prove-damage     the journal cut at every byte of its last 4 KiB, and every bit of 64 KiB turned (30 min)
prove-damage: configure
	cmake --build $(BUILD) --target crash_damage
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} env GP_STRIDE=$(JOBS) GP_OFFSET={} $(BUILD)/bin/crash_damage

## make prove-leases     every lease rule under pauses, crashes and silence (root; 2 min)
prove-leases: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/leases_test.py --binary $(BINARY)

## make prove-sequences  10^6 generated lives of a cluster, on every core (SEQUENCES=...; an hour)
prove-sequences: configure
	cmake --build $(BUILD) --target property_sequences
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} sh -c 'n=$$(($(SEQUENCES) / $(JOBS))); \
	  GP_SEQUENCES=$$n GP_SEED_FIRST=$$(({} * n + 1)) $(BUILD)/bin/property_sequences'

## make prove-world      100,000 worlds under faults of every kind, on every core (WORLDS=...; 2 h at most)
prove-world: configure
	cmake --build $(BUILD) --target simulation_world
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} sh -c 'n=$$(($(WORLDS) / $(JOBS))); \
	  GP_WORLDS=$$n GP_SEED_FIRST=$$(({} * n + 1)) $(BUILD)/bin/simulation_world --gtest_brief=1'

## make prove-mutants    every mutant is noticed, and by which of all nets (an hour; `--first`: 12 min)
prove-mutants: build-tests
	$(PYTHON) tests/mutants/run_mutants.py --build $(BUILD)

## make prove-baseline   digests of 2,000 worlds and 10,000 lives as tests/baseline has them (4 min)
prove-baseline: configure
	cmake --build $(BUILD) --target world_digests decisions_digest
	$(PYTHON) -B tests/baseline/baseline_test.py --bin $(BUILD)/bin --full

## make baseline-program the program of tests/baseline/commit in build/baseline, for paired timings (20 min)
baseline-program: setup-tests
	test -d build/baseline/source || git worktree add --detach build/baseline/source $$(cat tests/baseline/commit)
	$(MAKE) -C build/baseline/source build

## make prove-isolation  device matrix, escapes, abuse of resources (root; 1 min)
prove-isolation: configure
	cmake --build $(BUILD) --target security_isolation
	$(BUILD)/bin/security_isolation

## make prove-clients    unmodified NVML clients on the simulated driver (1 min)
prove-clients: configure
	cmake --build $(BUILD) --target fake_nvml
	$(PYTHON) -B tests/integration/real_nvml_clients/run.py --library $(BUILD)/lib/gpu-platform --machines data/machines

## make prove-input      bad job files and flags, and mutations of good ones (1 min)
prove-input: configure
	cmake --build $(BUILD) --target unit_job_file
	$(BUILD)/bin/unit_job_file

## make prove-placement  the choice on 8-GPU machines equals a second, exhaustive implementation (5 min)
prove-placement: configure
	cmake --build $(BUILD) --target property_placement
	GP_CASES=1000000 $(BUILD)/bin/property_placement

## make prove-packing    17 lists, 6 policies and ours, 10 seeds against the published means, orders of nodes (9 min)
prove-packing: configure
	cmake --build $(BUILD) --target simulation_packing
	GP_PACKING_SEEDS=10 GP_PACKING_LISTS=all $(BUILD)/bin/simulation_packing

## make prove-topology  what a placement that knows the machine gains, seven machines, 10 seeds, with a picture (5 min)
prove-topology: build
	$(PYTHON) -B tests/simulation/topology/gain.py --binary $(BINARY) --svg docs/figures/topology.svg

## make prove-trace      82,247 recorded jobs, six reference policies and ours (2 min)
prove-trace: configure
	cmake --build $(BUILD) --target simulation_trace
	GP_TRACE_JOBS=all $(BUILD)/bin/simulation_trace

## make prove-shares     weeks of a full cluster in virtual time; 1,000 parallel submits at a limit (root; 2 min)
prove-shares: build
	cmake --build $(BUILD) --target property_fair_share
	GP_DAYS=28 $(BUILD)/bin/property_fair_share
	GP_SUBMITS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/queues_test.py --binary $(BINARY) \
	  Queues.test_limits_hold_under_parallel_submits

## make prove-starvation  days of a cluster under a flood of higher classes: every wait within its bound (1 min)
prove-starvation: configure
	cmake --build $(BUILD) --target property_fair_share
	GP_SEEDS=300 $(BUILD)/bin/property_fair_share --gtest_filter='Starvation.*'

## make prove-explain    100,000 waiting jobs with a planted cause: told, and what is suggested is true and smallest; victims against all sets (3 min)
prove-explain: configure
	cmake --build $(BUILD) --target property_explain
	GP_CASES=100000 $(BUILD)/bin/property_explain

## make prove-forecast   forecasts: exact by time limits, 1,000 clusters; by histories against what came, 400 clusters (6 min)
prove-forecast: configure
	cmake --build $(BUILD) --target property_explain simulation_forecast
	GP_SEEDS=1000 $(BUILD)/bin/property_explain --gtest_filter='Forecasting.*'
	GP_SEEDS=400 $(BUILD)/bin/simulation_forecast

## make prove-faults     every XID, bursts and advice; 10^6 errors of programs in 30 days on 1,000 GPUs, and at lower rates (10 min)
prove-faults: configure
	cmake --build $(BUILD) --target property_faults
	$(BUILD)/bin/property_faults --gtest_brief=1 --gtest_filter='-ApplicationErrors.*'
	for errors in 20000 100000 300000 1000000; do \
	  GP_ERRORS=$$errors $(BUILD)/bin/property_faults --gtest_filter='ApplicationErrors.*' || exit 1; done

## make prove-storm      1,500 nodes with a fatal error each within 30 s, with the breaker and without (3 min)
prove-storm: configure
	cmake --build $(BUILD) --target storm
	GP_STORM_NODES=1500 $(BUILD)/bin/storm

## make prove-recovery   large jobs among nodes that fail, 330 virtual days: time of use against the closed form, failures with lemons and without (30 min)
prove-recovery: configure
	cmake --build $(BUILD) --target property_recovery
	GP_RECOVERY_DAYS=330 $(BUILD)/bin/property_recovery

## make prove-cost       six months with MIG, MPS, faults, lost nodes, interruptions and new prices: the book against a plain count (5 min)
prove-cost: configure
	cmake --build $(BUILD) --target property_metering
	GP_MONTHS=6 $(BUILD)/bin/property_metering

## make prove-determinism  the same decisions by builds of gcc and clang, on one core and two (needs clang++-19; 10 min)
prove-determinism: configure
	cmake --build $(BUILD) --target decisions_digest
	cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19
	cmake --build build/clang --target decisions_digest
	$(PYTHON) tests/simulation/determinism/determinism_test.py --jobs 1000000 --sequences 10000 \
	  $(BUILD)/bin/decisions_digest build/clang/bin/decisions_digest

## make prove-requests   every operation over HTTP, 1,000 random requests that the contract allows and 1,000 that it does not (root; 3 min)
prove-requests: build
	GP_REQUESTS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/requests_test.py --binary $(abspath $(BINARY))

## make prove-parity     42,000 random requests, over HTTP of one controller and over gRPC of another one (root; 2 min)
prove-parity: build
	GP_PARITY=42000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/parity_test.py --binary $(abspath $(BINARY))

## make prove-attacks    malformed HTTP, 10,000 connections, slow readers, 100,000 changed requests; secrets (root; 4 min)
prove-attacks: build
	GP_HALF_OPEN=10000 GP_SLOW_SECONDS=35 GP_MUTATIONS=100000 PYTHONPATH=tests/integration $(PYTHON) -B tests/security/http/attacks_test.py --binary $(abspath $(BINARY))
	PYTHONPATH=tests/integration $(PYTHON) -B tests/security/secrets/secrets_test.py --binary $(abspath $(BINARY))

## make prove-lines      followers while the controller is killed every 2 s for a minute; 1,000 submits over connections that are cut (root; 5 min)
prove-lines: build
	GP_LINE_SECONDS=60 GP_CUT_SUBMITS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/lines_test.py --binary $(abspath $(BINARY))

## make bench-rest       1,000 pages that watch, and 200 requests a second beside them (root; 1 min)
bench-rest: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/benchmarks/rest/load.py --binary $(abspath $(BINARY))

## make bench-schedule   cost of decisions from 1,000 to 12,500 nodes, three runs each, with a picture (1 min)
bench-schedule: build
	$(PYTHON) tests/benchmarks/scale/growth.py --binary $(BINARY) --svg docs/figures/decisions.svg

## make bench-slurm      2,000 jobs of /bin/true against Slurm from Debian (root; 2 min)
bench-slurm: build
	$(PYTHON) tests/benchmarks/slurm/compare.py --binary $(BINARY)

## make bench-sdiag      scheduling cycles of Slurm by its own account, 1,024 GPUs taken and 10,000 jobs waiting (root; 8 min)
bench-sdiag: build
	$(PYTHON) -B tests/benchmarks/slurm/sdiag.py --binary $(BINARY)

## make bench-submit     one job at a time: acknowledgement, and allocation to exec (root; 1 min)
bench-submit: build
	$(PYTHON) tests/benchmarks/slurm/compare.py --binary $(BINARY) --submit

## make bench-recovery   100 fatal errors of GPUs: to the quarantine, and to the job running again; 10 lost nodes (root; 8 min)
bench-recovery: build
	$(PYTHON) -B tests/benchmarks/recovery.py --binary $(abspath $(BINARY)) --faults 100

## make bench-submits    submits over gRPC, 256 at a time, against calls that do nothing (root; 1 min)
bench-submits: build
	cmake --build $(BUILD) --target pipelined
	PYTHONPATH=tests/integration $(PYTHON) -B tests/benchmarks/submits/pipelined.py --binary $(BINARY) --client $(BUILD)/bin/pipelined

## make bench-list       lists of jobs while 100,000 wait: the command, a page over HTTP (root; 1 min)
bench-list: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/benchmarks/list.py --binary $(BINARY)

## make bench-metrics    a scrape of 1,000 GPUs and fifty queues (1 min)
bench-metrics: configure
	cmake --build $(BUILD) --target metrics_benchmark
	$(BUILD)/bin/metrics_benchmark

## make bench-watch      what `watch` costs: 1,000 GPUs of 125 nodes, a look each second (root; 2 min)
bench-watch: build-tests
	$(PYTHON) -B tests/benchmarks/watch.py --binary $(BINARY)

## make bench-discovery  a simulated DGX H100, driver load included (1 min)
bench-discovery: configure
	cmake --build $(BUILD) --target discovery_benchmark
	$(BUILD)/bin/discovery_benchmark
