# One command for each acceptance criterion at full scale; `make test` runs smaller versions.
# docs/measurements.md has the results and machines.  Times are for 2 cores.

PYTHON := /usr/bin/python3
BINARY := $(BUILD)/bin/gpu-platform
EXPERIMENTS := $(BUILD)/bin/gpu-platform-experiments
SEQUENCES ?= 1000000
KILLS ?= 200
WORLDS ?= 100000

.PHONY: experiments prove-apart prove-baseline baseline-program prove-fresh prove-kills prove-crashes prove-damage prove-leases prove-ha prove-dr prove-sequences prove-mutants prove-isolation prove-layers prove-metrics prove-data \
        prove-clients prove-input prove-placement prove-packing prove-topology prove-trace prove-shares prove-starvation \
        prove-world prove-worlds-shared prove-explain prove-forecast prove-faults prove-storm prove-recovery prove-cost prove-determinism prove-requests prove-parity compare-answers prove-attacks prove-lines prove-install prove-upgrade prove-cgroup2 prove-isolation-v2 prove-image prove-ansible bench-agents bench-silence bench-take-over bench-take-over-agents bench-shared-submits bench-standby-lag bench-store-growth bench-stale-reads bench-start bench-watch bench-rest bench-list bench-schedule bench-slurm bench-sdiag bench-submit bench-recovery bench-submits bench-metrics bench-discovery

experiments: configure
	cmake --build $(BUILD) --target gpu-platform-experiments

## make prove-fresh      clone, make demo and make test in a fresh Debian 12 (root; TARGETS=demo: the first alone; 60 min)
prove-fresh:
	tests/prove/fresh_debian.sh

## make prove-kills      200 times kill -9 of the controller, agents or both, under load (root; 5 min)
prove-kills: build
	GP_KILLS=$(KILLS) PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/kills_test.py --binary $(BINARY)

## make prove-crashes    SIGKILL, power loss and disk errors at every file call of four runs and their recoveries (30 min)
prove-crashes: configure
	cmake --build $(BUILD) --target crash_journal crash_files
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} env GP_STRIDE=$(JOBS) GP_OFFSET={} GP_RECOVERY_STRIDE=1 $(BUILD)/bin/crash_journal
	$(BUILD)/bin/crash_files

## make prove-damage     the journal truncated at every byte of its last 4 KiB, and with every bit of 64 KiB flipped (30 min)
prove-damage: configure
	cmake --build $(BUILD) --target crash_damage
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} env GP_STRIDE=$(JOBS) GP_OFFSET={} $(BUILD)/bin/crash_damage

## make prove-leases     every lease rule under pauses, crashes and missed heartbeats (root; 2 min)
prove-leases: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/leases_test.py --binary $(BINARY)

## make prove-ha         three controllers, their etcd and networks under faults for an hour; what clients and jobs saw is judged (root; FLAGS="--seconds 600 --seed 7"; 62 min)
prove-ha: build-tests
	GP_WALL_CLOCK=$(abspath $(BUILD))/tests/integration/libwall_clock.so \
	  $(PYTHON) -B tests/chaos/controllers/run.py --binary $(abspath $(BINARY)) --seconds 3600 --longest 30 $(FLAGS)

## make prove-dr         loss and time of a restore after 1,000,000 records, 12,500 nodes (10 min)
prove-dr: build
	$(PYTHON) -B tests/benchmarks/disaster.py --binary $(abspath $(BINARY)) $(FLAGS)

## make prove-sequences  10^6 generated command sequences of a cluster, on all cores (SEQUENCES=...; 1 h)
prove-sequences: configure
	cmake --build $(BUILD) --target property_sequences
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} sh -c 'n=$$(($(SEQUENCES) / $(JOBS))); \
	  GP_SEQUENCES=$$n GP_SEED_FIRST=$$(({} * n + 1)) $(BUILD)/bin/property_sequences'

## make prove-world      100,000 worlds with all kinds of faults, on all cores (WORLDS=...; at most 2 h)
prove-world: WORLDS_OF := Worlds.HoldEveryRule
## make prove-worlds-shared  the same with three controllers that share their log (at most 4 h)
prove-worlds-shared: WORLDS_OF := Worlds.HoldEveryRuleWithThreeControllers
prove-world prove-worlds-shared: configure
	cmake --build $(BUILD) --target simulation_world
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} sh -c 'n=$$(($(WORLDS) / $(JOBS))); \
	  GP_WORLDS=$$n GP_SEED_FIRST=$$(({} * n + 1)) $(BUILD)/bin/simulation_world --gtest_brief=1 --gtest_filter=$(WORLDS_OF)'

## make prove-apart      every source compiles alone, without its neighbours in a batch (10 min)
prove-apart: build-tests
	$(PYTHON) -B tools/check_apart.py $(BUILD)

## make prove-mutants    every mutant is detected, with all tests that detect it (1 h; `--first`: 12 min)
prove-mutants: build-tests
	$(PYTHON) tests/mutants/run_mutants.py --build $(BUILD)

## make prove-baseline   the digests of 2,000 worlds and 10,000 sequences match tests/baseline (4 min)
prove-baseline: configure
	cmake --build $(BUILD) --target world_digests decisions_digest
	$(PYTHON) -B tests/baseline/baseline_test.py --bin $(BUILD)/bin --full

## make baseline-program build the program of tests/baseline/commit in build/baseline, for paired timings (20 min)
baseline-program: setup-tests
	test -d build/baseline/source || git worktree add --detach build/baseline/source $$(cat tests/baseline/commit)
	$(MAKE) -C build/baseline/source build

## make prove-layers     20,000 random starts, ends and kills around a node's layers; hostile layers and layouts (root; 2 min)
prove-layers: build-tests
	GP_STEPS=20000 $(BUILD)/bin/unit_images --gtest_filter='LayerStoreProperty*:ImageStoreTest*'
	PYTHONPATH=tests/integration $(PYTHON) -B tests/security/layers/layers_test.py --binary $(BINARY)

## make prove-data       1 GiB from a store over a connection that breaks 200 times (python3-boto3; 5 min)
prove-data: build
	$(PYTHON) -B tests/chaos/data_cuts.py --binary $(BINARY)

## make prove-metrics    1,000 values of a metric a second for a minute: none lost, the agent below 2 % of a core (root; 2 min)
prove-metrics: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/metrics_flood.py --binary $(BINARY)

## make prove-isolation  device matrix, escape attempts, resource abuse (root; 1 min)
prove-isolation: configure
	cmake --build $(BUILD) --target security_isolation
	$(BUILD)/bin/security_isolation

## make prove-clients    unmodified NVML clients on the simulated driver (1 min)
prove-clients: configure
	cmake --build $(BUILD) --target fake_nvml
	$(PYTHON) -B tests/integration/real_nvml_clients/run.py --library $(BUILD)/lib/gpu-platform --machines data/machines

## make prove-input      invalid job files and flags, and mutations of valid ones (1 min)
prove-input: configure
	cmake --build $(BUILD) --target unit_job_file
	$(BUILD)/bin/unit_job_file

## make prove-placement  placement on 8-GPU machines equals a second, exhaustive implementation (5 min)
prove-placement: configure
	cmake --build $(BUILD) --target property_placement
	GP_CASES=1000000 $(BUILD)/bin/property_placement

## make prove-packing    17 lists, 6 policies and ours, 10 seeds, against the published means; node orders (9 min)
prove-packing: configure
	cmake --build $(BUILD) --target simulation_packing
	GP_PACKING_SEEDS=10 GP_PACKING_LISTS=all $(BUILD)/bin/simulation_packing

## make prove-topology   the gain of topology-aware placement on seven machines, 10 seeds, with a figure (5 min)
prove-topology: experiments
	$(PYTHON) -B tests/simulation/topology/gain.py --binary $(EXPERIMENTS) --svg docs/figures/topology.svg

## make prove-trace      82,247 recorded jobs, six reference policies and ours (2 min)
prove-trace: configure
	cmake --build $(BUILD) --target simulation_trace
	GP_TRACE_JOBS=all $(BUILD)/bin/simulation_trace

## make prove-shares     fair shares over weeks of a full cluster in virtual time; 1,000 parallel submits at a limit (root; 2 min)
prove-shares: build
	cmake --build $(BUILD) --target property_fair_share
	GP_DAYS=28 $(BUILD)/bin/property_fair_share
	GP_SUBMITS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/queues_test.py --binary $(BINARY) \
	  Queues.test_limits_hold_under_parallel_submits

## make prove-starvation  days of a cluster flooded with higher classes: every wait is within its bound (1 min)
prove-starvation: configure
	cmake --build $(BUILD) --target property_fair_share
	GP_SEEDS=300 $(BUILD)/bin/property_fair_share --gtest_filter='Starvation.*'

## make prove-explain    100,000 pending jobs with a planted cause: it is reported, and suggested changes work and are minimal; victims against all sets (3 min)
prove-explain: configure
	cmake --build $(BUILD) --target property_explain
	GP_CASES=100000 $(BUILD)/bin/property_explain

## make prove-forecast   forecasts by time limits are exact on 1,000 clusters; by histories against actual starts on 400 clusters (6 min)
prove-forecast: configure
	cmake --build $(BUILD) --target property_explain simulation_forecast
	GP_SEEDS=1000 $(BUILD)/bin/property_explain --gtest_filter='Forecasting.*'
	GP_SEEDS=400 $(BUILD)/bin/simulation_forecast

## make prove-faults     every XID, bursts and driver advice; 10^6 program errors in 30 days on 1,000 GPUs, and lower rates (10 min)
prove-faults: configure
	cmake --build $(BUILD) --target property_faults
	$(BUILD)/bin/property_faults --gtest_brief=1 --gtest_filter='-ApplicationErrors.*'
	for errors in 20000 100000 300000 1000000; do \
	  GP_ERRORS=$$errors $(BUILD)/bin/property_faults --gtest_filter='ApplicationErrors.*' || exit 1; done

## make prove-storm      1,500 nodes with a fatal error each within 30 s, with and without the breaker (3 min)
prove-storm: configure
	cmake --build $(BUILD) --target storm
	GP_STORM_NODES=1500 $(BUILD)/bin/storm

## make prove-recovery   large jobs on failing nodes, 330 virtual days: effective time against the closed form, failures with and without lemons (30 min)
prove-recovery: configure
	cmake --build $(BUILD) --target property_recovery
	GP_RECOVERY_DAYS=330 $(BUILD)/bin/property_recovery

## make prove-cost       six months with MIG, MPS, faults, lost nodes, preemptions and new prices: the usage ledger against a simple count (5 min)
prove-cost: configure
	cmake --build $(BUILD) --target property_metering
	GP_MONTHS=6 $(BUILD)/bin/property_metering

## make prove-determinism  identical decisions of gcc and clang builds, on one and two cores (needs clang++-19; 10 min)
prove-determinism: configure
	cmake --build $(BUILD) --target decisions_digest
	cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19
	cmake --build build/clang --target decisions_digest
	$(PYTHON) tests/simulation/determinism/determinism_test.py --jobs 1000000 --sequences 10000 \
	  $(BUILD)/bin/decisions_digest build/clang/bin/decisions_digest

## make prove-requests   every operation over HTTP, with 1,000 valid and 1,000 invalid random requests (root; 3 min)
prove-requests: build
	GP_REQUESTS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/requests_test.py --binary $(abspath $(BINARY))

## make prove-parity     42,000 random requests get equal replies over HTTP and over gRPC of another controller (root; 2 min)
prove-parity: build
	GP_PARITY=42000 PYTHONPATH=tests/integration $(PYTHON) -B tests/integration/live/parity_test.py --binary $(abspath $(BINARY))

## make compare-answers  42,000 random requests to this program and to OLDER, a program of before: what differs (root; 3 min)
compare-answers: build
	PYTHONPATH=tests/integration:tests/integration/live $(PYTHON) -B tests/integration/live/compare_answers.py --binary $(BINARY) --older $(OLDER)

## make prove-attacks    malformed HTTP, 10,000 connections, slow readers, 100,000 mutated requests; secrets (root; 4 min)
prove-attacks: build
	GP_HALF_OPEN=10000 GP_SLOW_SECONDS=35 GP_MUTATIONS=100000 PYTHONPATH=tests/integration $(PYTHON) -B tests/security/http/attacks_test.py --binary $(abspath $(BINARY))
	PYTHONPATH=tests/integration $(PYTHON) -B tests/security/secrets/secrets_test.py --binary $(abspath $(BINARY))

## make prove-lines      log followers while the controller is killed every 2 s for 1 min; 1,000 submits over broken connections (root; 5 min)
prove-lines: build
	GP_LINE_SECONDS=60 GP_CUT_SUBMITS=1000 PYTHONPATH=tests/integration $(PYTHON) -B tests/chaos/lines_test.py --binary $(abspath $(BINARY))

## make bench-rest       1,000 watching pages and 200 requests per second (root; 1 min)
bench-rest: build
	PYTHONPATH=tests/integration:tests/benchmarks $(PYTHON) -B tests/benchmarks/rest/load.py --binary $(abspath $(BINARY))

## make bench-schedule   decision times from 1,000 to 12,500 nodes, three runs each, with a figure (1 min)
bench-schedule: experiments
	$(PYTHON) tests/benchmarks/scale/growth.py --binary $(EXPERIMENTS) --svg docs/figures/decisions.svg

## make bench-slurm      2,000 jobs of /bin/true, compared with Debian's Slurm and with bare processes (root; 5 min)
bench-slurm: build
	$(PYTHON) tests/benchmarks/slurm/compare.py --binary $(BINARY) --runs 5

## make bench-sdiag      Slurm's scheduling cycles as reported by sdiag, with 1,024 GPUs in use and 10,000 pending jobs (root; 8 min)
bench-sdiag: experiments
	$(PYTHON) -B tests/benchmarks/slurm/sdiag.py --binary $(EXPERIMENTS)

## make bench-submit     one job at a time: time to acknowledgement, and from allocation to exec (root; 1 min)
bench-submit: build
	$(PYTHON) tests/benchmarks/slurm/compare.py --binary $(BINARY) --submit

## make bench-recovery   100 fatal GPU errors: time to quarantine and to the restart of the job; 10 lost nodes (root; 8 min)
bench-recovery: build
	$(PYTHON) -B tests/benchmarks/recovery.py --binary $(abspath $(BINARY)) --faults 100

## make bench-submits    submits over gRPC, 256 in flight, compared with empty calls (root; 1 min)
bench-submits: build
	cmake --build $(BUILD) --target pipelined
	PYTHONPATH=tests/integration $(PYTHON) -B tests/benchmarks/submits/pipelined.py --binary $(BINARY) --client $(BUILD)/bin/pipelined

## make prove-install    the packages, and the tarball, on fresh machines with Debian 12 and 13 under systemd: install, join, upgrade, purge (root; 10 min after a build)
prove-install: package
	tools/setup-debian --with-install
	lintian --fail-on error,warning $(filter-out %-dbgsym_%,$(wildcard build/packages/*.deb))
	for release in bookworm trixie; do for test in install tarball_install; do \
	  $(PYTHON) -B tests/packages/$${test}_test.py --packages build/packages --release $$release || exit 1; done; done

## make prove-upgrade    the last release and this program side by side in every role, and its packages, upgraded to these while ten jobs run (root; 35 min)
RELEASED := build/release-$(shell cut -c1-8 tests/upgrade/release)
prove-upgrade: package
	test -d $(RELEASED) || git worktree add --detach $(RELEASED) $$(cat tests/upgrade/release)
	$(MAKE) -C $(RELEASED) package
	$(PYTHON) -B tests/upgrade/roles_test.py --released $(RELEASED)/build/release/bin/gpu-platform --binary $(abspath $(BINARY))
	$(PYTHON) -B tests/packages/install_test.py --packages build/packages --from $(RELEASED)/build/packages

## make prove-cgroup2    the packages on virtual machines, Debian 12 and 13, with all controllers in cgroup v2: limits, device rules, upgrade, restart, crash (root; 40 min after a build)
prove-cgroup2: package
	tools/setup-debian --with-vm
	for release in bookworm trixie; do \
	  $(PYTHON) -B tests/packages/cgroup2_test.py --packages build/packages --release $$release || exit 1; done

## make prove-isolation-v2  the device matrix, the escapes and the abuse on a virtual machine that has cgroup v2 alone (root; 10 min after a build, without KVM)
prove-isolation-v2: configure
	tools/setup-debian --with-vm
	cmake --build $(BUILD) --target security_isolation
	$(PYTHON) -B tests/packages/cgroup2_isolation_test.py --build $(BUILD)

## make prove-image      the container image and the compose file; two images from two fresh bases are the same (root; 10 min after a build)
prove-image: package
	tools/setup-debian --with-image
	$(PYTHON) -B tests/packages/image_test.py --packages $(abspath build/packages) --twice

## make prove-ansible    the Ansible roles on machines that boot: second runs, settings, upgrades, the driver node by node, three controllers with an etcd (root; 30 min after a build)
prove-ansible: package
	tools/setup-debian --with-install
	$(PYTHON) -B tests/packages/ansible_test.py --packages build/packages
	$(PYTHON) -B tests/packages/ansible_controllers_test.py --packages build/packages

## make bench-list       job lists with 100,000 pending jobs: the command, and a page over HTTP (root; 1 min)
bench-list: build
	PYTHONPATH=tests/integration $(PYTHON) -B tests/benchmarks/list.py --binary $(BINARY)

## make bench-agents     1,000 played agents on one controller: threads, memory, CPU, wait for answers (root; AGENTS=..., FLAGS="--load --seconds 600" or "--tls --restart"; 1 min)
bench-agents: build-tests
	$(PYTHON) -B tests/benchmarks/agents.py --binary $(BINARY) --agents $(or $(AGENTS),1000) $(FLAGS)

## make bench-silence    a controller is stopped 20 times: how soon 8 agents look elsewhere, and what is disturbed (root; FLAGS="--load-minutes 10": four busy programs a core instead; 3 min)
bench-silence: build
	$(PYTHON) -B tests/benchmarks/silence.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-take-over  the leader of three controllers is killed, paused and stopped 20 times each: how long nobody decides (root; FLAGS="--faults kill --times 200 --submits 200", or "--load-minutes 10": four busy programs a core instead; 8 min)
bench-take-over: build
	$(PYTHON) -B tests/benchmarks/take_over.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-stale-reads  pages of jobs a second of two standbys against those of the leader, 0.4 of a core each (root; 2 min)
bench-stale-reads: build
	$(PYTHON) -B tests/benchmarks/stale_reads.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-take-over-agents  1,000 agents with gangs, and a leader that is killed: what is disturbed, how soon all have the next one, and what they cost (root; FLAGS="--agents 12500 --steady"; 2 min)
bench-take-over-agents: build
	$(PYTHON) -B tests/benchmarks/take_over_agents.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-shared-submits  acknowledged submits of three controllers with etcd against a single one, one at a time and 64 at a time (root; 1 min)
bench-shared-submits: build
	$(PYTHON) -B tests/benchmarks/shared_submits.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-standby-lag  how far a standby is behind at 500 submits a second, and how fast it catches up 200,000 records (root; 1 min)
bench-standby-lag: build
	$(PYTHON) -B tests/benchmarks/standby_lag.py --binary $(abspath $(BINARY)) $(FLAGS)

## make bench-store-growth  the size of etcd while a leader appends 10 million records (root; 10 min)
bench-store-growth: build
	$(BUILD)/bin/store_growth $(FLAGS)

## make bench-start      processor time of `gpu-platform version` against `git --help` (10 s)
bench-start: build
	$(PYTHON) -B tests/benchmarks/start.py --binary $(BINARY)

## make bench-metrics    a metrics scrape with 1,000 GPUs and 50 queues (1 min)
bench-metrics: configure
	cmake --build $(BUILD) --target metrics_benchmark
	$(BUILD)/bin/metrics_benchmark

## make bench-watch      the cost of `watch`: 1,000 GPUs on 125 nodes, one refresh per second (root; 2 min)
bench-watch: build-tests
	$(PYTHON) -B tests/benchmarks/watch.py --binary $(BINARY) --player $(BUILD)/bin/gpu-platform-experiments

## make bench-discovery  discovery of a simulated DGX H100, including the driver load (1 min)
bench-discovery: configure
	cmake --build $(BUILD) --target discovery_benchmark
	$(BUILD)/bin/discovery_benchmark
