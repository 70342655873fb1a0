// Job files that are good YAML and bad jobs.  Each row is put behind a good "run: x".

#include "tests/unit/adapters/job_file/bad_input.h"

namespace gp {
namespace {

void ExpectAllRefused(std::span<const BadInput> rows) {
  for (const BadInput& row : rows) {
    const std::string text = "run: x\n" + std::string(row.text) + "\n";
    ExpectRefused({text, row.code, row.fragment});
  }
}

constexpr BadInput kUnknownKeys[] = {
    {"»nodez: 2", "GP1007", "did you mean \"nodes\"?"},
    {"»Nodes: 2", "GP1007", "did you mean \"nodes\"?"},
    {"»max-duration: 2h", "GP1007", "did you mean \"time_limit\"?"},
    {"»max_duratoin: 2h", "GP1007", "unknown key"},
    {"time_limit: 2h\n»max_duration: 3h", "GP1006", "is an older name of time_limit"},
    {"max_duration: »12", "GP1013", "time_limit"},
    {"»time: 2h", "GP1007", "did you mean \"time_limit\"?"},
    {"»command: y", "GP1007", "did you mean \"run\"?"},
    {"»partition: y", "GP1007", "did you mean \"queue\"?"},
    {"»gpus: 8", "GP1007", "did you mean \"resources.gpus\"?"},
    {"»gpu: 8", "GP1007", "did you mean \"resources.gpus\"?"},
    {"»memory: 8GB", "GP1007", "did you mean \"resources.memory\"?"},
    {"»share: 0.5", "GP1007", "did you mean \"resources.gpus.share\"?"},
    {"»backoff: 5s", "GP1007", "did you mean \"retry.backoff\"?"},
    {"»allow_cross_numa: true", "GP1007", "did you mean \"topology.allow_cross_numa\"?"},
    {"»priorty: high", "GP1007", "did you mean \"priority\"?"},
    {"»enviroment: {A: b}", "GP1007", "unknown key \"enviroment\""},
    {"»xyzzy: 1", "GP1007", "known here: apiVersion"},
    {"»\"\": 1", "GP1007", "unknown key \"\""},
    {"»8: 1", "GP1007", "unknown key \"8\""},
    {"»\"a\\x1b[0mb\": 1", "GP1007", "\\x1b"},
    {"resources: {»gpuz: 8}", "GP1007", "unknown key \"gpuz\" under resources — did you mean"},
    {"resources:\n  »gpuz: 8", "GP1007", "did you mean \"gpus\"?"},
    {"resources: {»nvidia.com/gpu: 8}", "GP1007", "did you mean \"gpus\"?"},
    {"resources: {»cpu: 8}", "GP1007", "did you mean \"cpus\"?"},
    {"resources: {»mem: 8GB}", "GP1007", "did you mean \"memory\"?"},
    {"resources: {»nodes: 8}", "GP1007", "\"nodes\"? It belongs at the top level."},
    {"resources: {»xyzzy: 8}", "GP1007", "known here: gpus, cpus, memory, shm"},
    {"resources: {gpus: {»cout: 8}}", "GP1007", "under resources.gpus — did you mean \"count\"?"},
    {"resources: {gpus: {»fraction: 0.5}}", "GP1007", "did you mean \"share\"?"},
    {"topology: {»requires: nvlink}", "GP1007", "under topology — did you mean \"require\"?"},
    {"retry: {»max_retries: 3}", "GP1007", "did you mean \"max\"?"},
    {"checkpoint: {»directory: /a}", "GP1007", "did you mean \"dir\"?"},
};

TEST(BadInput, UnknownKeys) { ExpectAllRefused(kUnknownKeys); }

constexpr BadInput kNotYet[] = {
    {"»budget: {max_total: 200USD}", "GP1016", "budget"},
    {"»idle_policy: {below: 5%}", "GP1016", "idle_policy"},
    {"»matrix: 4", "GP1016", "matrix"},
    {"»matrix: {lr: [1, 2]}", "GP1016", "matrix"},
    {"»min_nodes: 1", "GP1016", "min_nodes"},
    {"notify: »{on: [failed]}", "GP1008", "notify.to is missing"},
    {"notify: {to: me, on: [»fialed]}", "GP1012", "failed"},
    {"»on_preempt: {signal: SIGUSR1}", "GP1016", "on_preempt"},
    {"»min_nodes: 2", "GP1016", "min_nodes"},
    {"»secrets: [HF-TOKEN]", "GP1014", "not a variable name"},
};

constexpr BadInput kRecovery[] = {
    {"on_log: »[]", "GP1009", "must be a map"},
    {"on_log: {a: »explode}", "GP1012", "stop_retries"},
    {"»on_log: {\"(\": stop_retries}", "GP1014", "not a regular expression (RE2): missing )"},
    {"»on_log: {\"\": stop_retries}", "GP1014", "a rule without a pattern"},
    {"checkpoint: {every: »15m}", "GP1018", "nothing asks for a checkpoint"},
    {"checkpoint: {keep: »3}", "GP1018", "name that directory"},
    {"checkpoint: {dir: /c, keep: »0}", "GP1011", "from 1 to 15"},
    {"checkpoint: {dir: /c, keep: »16}", "GP1011", "from 1 to 15"},
    {"checkpoint: {dir: /c, keep: 3, best: »mean}", "GP1012", "min"},
    {"checkpoint: {dir: /c, best: »max}", "GP1018", "keep: 3"},
    {"checkpoint: {dir: /c, »keep_best: max}", "GP1007", "did you mean \"best\"?"},
    {"checkpoint: {signal: »SIGKILL}", "GP1012", "SIGUSR1"},
    {"checkpoint: {signal: SIGUSR1, every: »0s}", "GP1011", "every"},
    {"hang_after: »500ms", "GP1011", "hang_after"},
    {"hang_after: »never", "GP1013", "hang_after"},
};

TEST(BadInput, OfCheckpointsAndRules) { ExpectAllRefused(kRecovery); }

TEST(BadInput, KnownButNotYetSupported) { ExpectAllRefused(kNotYet); }

constexpr BadInput kNumbers[] = {
    {"array: »0", "GP1011", "array: must be from 1 to 10000, not 0"},
    {"array: »10001", "GP1011", "not 10001"},
    {"array: {count: »0}", "GP1011", "array.count: must be from 1 to 10000, not 0"},
    {"array: {count: 2, max_parallel: »-1}", "GP1011",
     "array.max_parallel: must be from 0 to 10000"},
    {"array: {count: 2, max_parallel: »10001}", "GP1011", "not 10001"},
    {"array: »10%0", "GP1011", "not 0"},
    {"array: »0%10", "GP1011", "not 0"},
    {"array: »10%", "GP1010", "array:"},
    {"array: »10%2%3", "GP1010", "array:"},
    {"array: »many", "GP1010", "array:"},
    {"array: »0-9", "GP1010", "array:"},
    {"array: »[1, 2]", "GP1009", "array:"},
    {"array: »{max_parallel: 3}", "GP1008", "array.count is missing"},
    {"array: {»size: 3, count: 1}", "GP1007", "did you mean \"count\"?"},
    {"nodes: »0", "GP1011", "nodes: must be from 1 to 4096, not 0"},
    {"nodes: »-1", "GP1011", "not -1"},
    {"nodes: »4097", "GP1011", "not 4097"},
    {"nodes: »2147483648", "GP1011", "not 2147483648"},
    {"nodes: »4294967297", "GP1011", "not 4294967297"},
    {"nodes: »9223372036854775808", "GP1011", "not 9223372036854775808"},
    {"nodes: »18446744073709551617", "GP1011", "1 to 4096"},
    {"nodes: »-9223372036854775809", "GP1011", "1 to 4096"},
    {"nodes: »010", "GP1010", "write 10"},
    {"nodes: »00", "GP1010", "write 0"},
    {"nodes: »-08", "GP1010", "write 8"},
    {"nodes: »0x10", "GP1010", "not a whole number"},
    {"nodes: »0o10", "GP1010", "not a whole number"},
    {"nodes: »0b1", "GP1010", "not a whole number"},
    {"nodes: »1e3", "GP1010", "not a whole number"},
    {"nodes: »+2", "GP1010", "not a whole number"},
    {"nodes: »1_000", "GP1010", "not a whole number"},
    {"nodes: »1,000", "GP1010", "not a whole number"},
    {"nodes: »2.0", "GP1010", "not a whole number"},
    {"nodes: ».5", "GP1010", "not a whole number"},
    {"nodes: ».nan", "GP1010", "not a whole number"},
    {"nodes: »NaN", "GP1010", "not a whole number"},
    {"nodes: ».inf", "GP1010", "not a whole number"},
    {"nodes: »-.inf", "GP1010", "not a whole number"},
    {"nodes: »infinity", "GP1010", "not a whole number"},
    {"nodes: »1:30", "GP1010", "not a whole number"},  // 90 in base 60 for YAML 1.1
    {"nodes: »two", "GP1010", "\"two\" is not a whole number"},
    {"nodes: »2 3", "GP1010", "not a whole number"},
    {"nodes: »٣", "GP1010", "not a whole number"},
    {"nodes: »--1", "GP1010", "not a whole number"},
    {"nodes: »\"2\"", "GP1009", "remove the quotes"},
    {"nodes: »'x'", "GP1009", "not the text \"x\""},
    {"nodes: »true", "GP1009", "not \"true\""},
    {"nodes: »no", "GP1009", "not \"no\""},
    {"nodes: »[2]", "GP1009", "not a list"},
    {"nodes: »{a: 2}", "GP1009", "not a map"},
    {"»nodes:", "GP1015", "has no value"},
    {"»nodes: ~", "GP1015", "has no value"},
    {"»nodes: null", "GP1015", "has no value"},
    {"resources: {cpus: »0}", "GP1011", "from 1 to 4096"},
    {"resources: {cpus: »4097}", "GP1011", "from 1 to 4096"},
    {"resources: {cpus: »1.5}", "GP1010", "resources.cpus"},
    {"retry: {max: »-1}", "GP1011", "from 0 to 1000"},
    {"retry: {max: »1001}", "GP1011", "from 0 to 1000"},
};

TEST(BadInput, Numbers) { ExpectAllRefused(kNumbers); }

constexpr BadInput kGpus[] = {
    {"resources: {gpus: »-1}", "GP1011", "from 0 to 64"},
    {"resources: {gpus: »65}", "GP1011",
     "from 0 to 64, not 65: GPUs are counted per node; for more, request several nodes"},
    {"resources: {gpus: »9223372036854775808}", "GP1011", "from 0 to 64"},
    {"resources: {gpus: »010}", "GP1010", "write 10"},
    {"resources: {gpus: »0.5}", "GP1010", "{count: 1, share: 0.5}"},
    {"resources: {gpus: »H100}", "GP1010", "write H100:1"},
    {"resources: {gpus: »\"8\"}", "GP1009", "remove the quotes"},
    {"resources: {gpus: »all}", "GP1010", "has no count"},
    {"resources: {gpus: »no}", "GP1009", "not \"no\""},
    {"resources: {gpus: »[8]}", "GP1009", "not a list"},
    {"resources: {»gpus: }", "GP1015", "has no value"},
    {"resources:\n  gpus: »H100:-1", "GP1011", "from 0 to 64"},
    {"resources:\n  gpus: »H100:65", "GP1011", "from 0 to 64"},
    {"resources:\n  gpus: »H100:08", "GP1010", "write 8"},
    {"resources:\n  gpus: »H100:x", "GP1010", "not a whole number"},
    {"resources:\n  gpus: »\"H100:\"", "GP1010", "not a whole number"},
    {"resources:\n  gpus: »\":8\"", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: »8:H100", "GP1010", "not a whole number"},
    {"resources:\n  gpus: »A:B:8", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: »\"../H100:8\"", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: »\"H100;reboot:8\"", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: {count: »65}", "GP1011", "resources.gpus.count"},
    {"resources:\n  gpus: {count: »x}", "GP1010", "resources.gpus.count"},
    {"resources:\n  gpus: {model: »[]}", "GP1011", "the list is empty"},
    {"resources:\n  gpus: {model: »4090}", "GP1009", "write \"4090\""},
    {"resources:\n  gpus: {model: [H100, »[A100]]}", "GP1009", "must be text, not a list"},
    {"resources:\n  gpus: {model: [H100, »8]}", "GP1009", "write \"8\""},
    {"resources:\n  gpus: {model: »\"a/b\"}", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: {»model: [\"a/b\"]}", "GP1014", "not a GPU model"},
    {"resources:\n  gpus: {»model: [a,b,c,d,e,f,g,h,i,j,k,l,m,o,p,q,r]}", "GP1011", "17 models"},
    {"resources:\n  gpus: {share: »0}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »-0.5}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »1.001}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »2}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »0.0005}", "GP1013", "at most three decimals"},
    {"resources:\n  gpus: {share: »0.05%}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »101%}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »00.5}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: ».5}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »5e-1}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »half}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »1/2}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: ».nan}", "GP1013", "not a share"},
    {"resources:\n  gpus: {share: »[0.5]}", "GP1009", "not a list"},
    {"resources:\n  gpus: {memory: »80GB..}", "GP1013", "memory_min"},
    {"resources:\n  gpus: {memory: »20}", "GP1013", "no unit"},
    {"resources:\n  gpus: {memory: »1KB}", "GP1011", "from 1.0 MiB"},
    {"resources:\n  gpus: {memory_min: »0GB}", "GP1011", "resources.gpus.memory_min"},
    {"resources:\n  gpus: {memory_min: »-80GB}", "GP1013", "not a size"},
    {"resources:\n  gpus: {share: 0.5, isolation: »cgroup}", "GP1012", "exclusive, timeslice"},
    {"resources:\n  gpus: {share: 0.5, isolation: »MIG}", "GP1012", "did you mean \"mig\"?"},
    {"resources:\n  gpus: {share: »0.5, isolation: exclusive}", "GP1018", "whole GPUs only"},
    {"resources:\n  gpus: {memory: »2GB, isolation: exclusive}", "GP1018", "whole GPUs only"},
    {"resources:\n  gpus: {isolation: »mig}", "GP1018", "mig divides a GPU"},
    {"resources:\n  gpus: {count: 2, share: 0.5, isolation: »mps}", "GP1018", "a part of one GPU"},
    {"resources:\n  gpus: {share: 1, isolation: »timeslice}", "GP1018", "divides a GPU"},
    {"resources:\n  gpus: {mig: »half}", "GP1014", "write it as 3g.40gb"},
    {"resources:\n  gpus: {mig: »1g.10gb+me}", "GP1014", "write it as 3g.40gb"},
    {"resources:\n  gpus: {share: 0.5, mig: »1g.10gb}", "GP1018", "leave share and memory out"},
    {"resources:\n  gpus: {isolation: mps, mig: »1g.10gb}", "GP1018", "leave isolation out"},
    {"resources:\n  gpus: {count: 0, share: »0.5}", "GP1018", "asks for no GPU"},
    {"resources:\n  gpus: {count: 0, memory: »2GB}", "GP1018", "asks for no GPU"},
    {"resources:\n  gpus: {count: 0, memory_min: »2GB}", "GP1018", "asks for no GPU"},
    {"resources:\n  gpus: {count: 0, model: »H100}", "GP1018", "asks for no GPU"},
    {"resources:\n  gpus: »H100:0", "GP1018", "asks for no GPU"},
    {"resources: »8", "GP1009", "resources: must be a map, not the number \"8\""},
    {"resources: »[gpus]", "GP1009", "not a list"},
    {"»resources:", "GP1015", "has no value"},
};

constexpr BadInput kAlternatives[] = {
    {"any_of: »[]", "GP1011", "the list is empty"},
    {"any_of: »{gpus: 1}", "GP1009", "a list of maps"},
    {"any_of: »H100:8", "GP1009", "a list of maps"},
    {"any_of: [»H100:8]", "GP1009", "{gpus: \"H100:8\"}"},
    {"any_of: [{»gpu: 1}]", "GP1007", "gpus"},
    {"any_of: [{gpus: »-1}]", "GP1011", "from 0 to 64"},
    {"any_of: [{gpus: {count: 1, »shares: 0.5}}]", "GP1007", "share"},
    {"any_of: [{»run: y}]", "GP1007", "run"},
    {"any_of: [{nodes: »0}]", "GP1011", "from 1 to 4096"},
    {"»any_of: [{gpus: 1}, {nodes: 2, nodes_min: 3}]", "GP1018",
     "number 1: nodes_min 3 is more than nodes"},
    {"nodes: 2\nnodes_min: »3", "GP1018", "more than nodes"},
    {"nodes_min: »0", "GP1011", "from 1"},
};

TEST(BadInput, Alternatives) { ExpectAllRefused(kAlternatives); }

TEST(BadInput, Gpus) { ExpectAllRefused(kGpus); }

constexpr BadInput kUnits[] = {
    {"resources: {memory: »900}", "GP1013", "write 900GB or 900MiB"},
    {"resources: {memory: »0}", "GP1013", "no unit"},
    {"resources: {memory: »0GB}", "GP1011", "from 1.0 MiB"},
    {"resources: {memory: »-1GB}", "GP1013", "not a size"},
    {"resources: {memory: »80gb}", "GP1013", "not a size"},
    {"resources: {memory: »80 GB}", "GP1013", "not a size"},
    {"resources: {memory: »80G}", "GP1013", "not a size"},
    {"resources: {memory: »080GB}", "GP1013", "not a size"},
    {"resources: {memory: »1e3GB}", "GP1013", "not a size"},
    {"resources: {memory: »GB}", "GP1013", "not a size"},
    {"resources: {memory: »1.2345GB}", "GP1013", "not a size"},
    {"resources: {memory: »8000TiB}", "GP1011", "to 1.0 PiB"},
    {"resources: {memory: »99999999999999999999GB}", "GP1013", "not a size"},
    {"resources: {memory: »[8GB]}", "GP1009", "not a list"},
    {"resources: {memory: »auto}", "GP1013", "not a size"},
    {"resources: {shm: »automatic}", "GP1013", "not a size"},
    {"resources: {memory: 8GB, shm: »9GB}", "GP1018", "more than resources.memory"},
    {"time_limit: »12", "GP1013", "write 12s, 12m or 12h"},
    {"time_limit: »0s", "GP1011", "from 1s"},
    {"time_limit: »-1h", "GP1013", "not a duration"},
    {"time_limit: »1y", "GP1013", "not a duration"},
    {"time_limit: »1H", "GP1013", "not a duration"},
    {"time_limit: »12:00:00", "GP1013", "not a duration"},
    {"time_limit: »1h 30m", "GP1013", "not a duration"},
    {"time_limit: »unlimited", "GP1013", "not a duration"},
    {"time_limit: »3651d", "GP1011", "to 3650d"},
    {"time_limit: »999999999999d", "GP1013", "not a duration"},
    {"time_limit: »{h: 1}", "GP1009", "not a map"},
    {"checkpoint: {grace: »25h}", "GP1011", "to 1d"},
    {"checkpoint: {grace: »30}", "GP1013", "no unit"},
    {"retry: {backoff: »5m..10s}", "GP1018", "shorter one first"},
    {"retry: {backoff: »10s..}", "GP1013", "not a duration"},
    {"retry: {backoff: »..5m}", "GP1013", "not a duration"},
    {"retry: {backoff: »1s..2s..3s}", "GP1013", "not a duration"},
    {"retry: {backoff: »10..300}", "GP1013", "no unit"},
    {"retry: {backoff: »2d}", "GP1011", "to 1d"},
};

TEST(BadInput, SizesAndDurations) { ExpectAllRefused(kUnits); }

constexpr BadInput kWords[] = {
    {"apiVersion: »v1", "GP1012", "gpu-platform/v1"},
    {"topology: {require: »nvlinks}", "GP1012", "did you mean \"nvlink\"?"},
    {"topology: {require: »pcie}", "GP1012", "none, same_numa, nvlink, same_node"},
    {"topology: {prefer: »\"\"}", "GP1012", "is not one of"},
    {"topology: {prefer: »[nvlink]}", "GP1009", "not a list"},
    {"topology: »same_numa", "GP1009", "topology: must be a map"},
    {"topology: {allow_cross_numa: »yes}", "GP1012", "true or false, in lower case"},
    {"topology: {allow_cross_numa: »no}", "GP1012", "true or false, in lower case"},
    {"topology: {allow_cross_numa: »on}", "GP1012", "true or false"},
    {"topology: {allow_cross_numa: »True}", "GP1012", "in lower case"},
    {"topology: {allow_cross_numa: »\"true\"}", "GP1012", "without quotes"},
    {"topology: {allow_cross_numa: »1}", "GP1012", "not the number \"1\""},
    {"topology: {allow_cross_numa: »[]}", "GP1009", "not a list"},
    {"on_lease_loss: »kill", "GP1012", "default, stop, continue"},
    {"on_lease_loss: »false", "GP1012", "is not one of"},
    {"priority: »urgent", "GP1012", "low, medium, high or 0 to 1000"},
    {"priority: »HIGH", "GP1012", "not a priority"},
    {"priority: »1001", "GP1011", "from 0 to 1000"},
    {"priority: »-1", "GP1011", "from 0 to 1000"},
    {"priority: »0100", "GP1010", "write 100"},
    {"priority: »1.5", "GP1010", "not a whole number"},
    {"priority: »\"100\"", "GP1009", "remove the quotes"},
    {"priority: »[high]", "GP1009", "not a list"},
    {"retry: {on: »failure}", "GP1009", "must be a list"},
    {"retry: {on: »[]}", "GP1011", "the list is empty"},
    {"retry: {on: [failure, »failure]}", "GP1006", "is listed twice"},
    {"retry: {on: [»fail]}", "GP1012", "is not one of failure, node_failure"},
    {"retry: {on: [failure, »[gpu_error]]}", "GP1009", "not a list"},
    {"retry: {»on: [gpu_error]}", "GP1018", "all three or none"},
    {"retry: {»on: [failure, gpu_error, preempted]}", "GP1018", "all three or none"},
    {"retry: »3", "GP1009", "must be a map"},
    {"checkpoint: »/ckpt", "GP1009", "must be a map"},
};

TEST(BadInput, Words) { ExpectAllRefused(kWords); }

constexpr BadInput kPlaces[] = {
    {"topology: {network_levels: »-1}", "GP1011", "from 0 to 8"},
    {"topology: {network_levels: »9}", "GP1011", "from 0 to 8"},
    {"topology: {network_levels: »two}", "GP1010", "topology.network_levels"},
    {"topology: {network_levels: »1.0}", "GP1010", "not a whole number"},
    {"topology: {network_levels: »01}", "GP1010", "write 1"},
    {"topology: {network_levels: »\"2\"}", "GP1009", "remove the quotes"},
    {"topology: {»levels: 2}", "GP1007", "under topology"},
    {"topology: {»network: 2}", "GP1007", "did you mean \"network_levels\"?"},
    {"topology: {require: »same-numa}", "GP1012", "did you mean \"same_numa\"?"},
    {"topology: {require: »NVLINK}", "GP1012", "did you mean \"nvlink\"?"},
    {"topology: {require: »true}", "GP1012", "is not one of"},
    {"topology: {require: »1}", "GP1012", "is not one of"},
    {"topology: {require: »{a: b}}", "GP1009", "not a map"},
    {"topology: {»require: }", "GP1015", "has no value"},
    {"»topology:", "GP1015", "has no value"},
    {"node_labels: »zone=east", "GP1009", "must be a map"},
    {"node_labels: »[zone]", "GP1009", "must be a map"},
    {"node_labels: {»zone: }", "GP1015", "has no value"},
    {"node_labels: {»zone: [east]}", "GP1009", "must be text"},
    {"node_labels: {»\"a b\": c}", "GP1014", "not a label name"},
    {"node_labels: {»../a: c}", "GP1014", "not a label name"},
    {"node_labels: {»zone: \"b\\nc\"}", "GP1014", "one line of text"},
    {"nodes: 2\nnodes_min: »two", "GP1010", "nodes_min"},
    {"nodes: 2\nnodes_min: »4097", "GP1011", "from 1 to 4096"},
    {"nodes: 2\nnodes_min: »01", "GP1010", "write 1"},
    {"nodes: 2\nnodes_min: »[1]", "GP1009", "not a list"},
    {"any_of: [»~]", "GP1009", "each entry is a map such as"},
    {"any_of: [{gpus: 1}, »[]]", "GP1009", "each entry is a map such as"},
    {"any_of: [{cpus: »0}]", "GP1011", "from 1 to 4096"},
    {"any_of: [{memory: »8}]", "GP1013", "no unit"},
    {"any_of: [{gpus: {share: »2}}]", "GP1013", "not a share"},
    {"any_of: [{gpus: {isolation: »vm}}]", "GP1012", "exclusive"},
    {"any_of: [{»resources: {gpus: 1}}]", "GP1007", "unknown key"},
};

TEST(BadInput, Places) { ExpectAllRefused(kPlaces); }

constexpr BadInput kTurns[] = {
    {"preemptible: »yes", "GP1012", "true or false"},
    {"preemptible: »\"true\"", "GP1012", "without quotes"},
    {"preemptible: »1", "GP1012", "not the number"},
    {"preemptible: »[true]", "GP1009", "not a list"},
    {"»preemptible:", "GP1015", "has no value"},
    {"movable: »no", "GP1012", "true or false"},
    {"movable: »TRUE", "GP1012", "in lower case"},
    {"movable: »{}", "GP1009", "not a map"},
    {"»moveable: true", "GP1007", "did you mean \"movable\"?"},
    {"»preemptable: true", "GP1007", "did you mean \"preemptible\"?"},
    {"reservation: »\"\"", "GP1014", "must not be empty"},
    {"reservation: »a b", "GP1014", "reservation"},
    {"reservation: »7", "GP1009", "write \"7\""},
    {"reservation: »[course]", "GP1009", "must be text"},
    {"queue: »[a]", "GP1009", "must be text"},
    {"queue: »12", "GP1009", "write \"12\""},
    {"queue: »a//b", "GP1014", "queue"},
    {"queue: »/a", "GP1014", "queue"},
    {"queue: »a/", "GP1014", "queue"},
    {"queue: »../a", "GP1014", "queue"},
    {"project: »\"\"", "GP1014", "must not be empty"},
    {"project: »{a: b}", "GP1009", "must be text"},
    {"priority: »true", "GP1012", "not a priority"},
    {"priority: »\"\"", "GP1012", "not a priority"},
    {"priority: »1e2", "GP1010", "not a whole number"},
    {"priority: »9223372036854775808", "GP1011", "from 0 to 1000"},
    {"after: »\"\"", "GP1014", "names no job"},
    {"»after: [\"\"]", "GP1014", "names no job"},
    {"after: »7", "GP1009", "write \"7\""},
    {"after: »{job: ok}", "GP1009", "must be text"},
    {"after: »\"job-3:no\"", "GP1014", "is none of ok, ended, started and failed"},
    {"after: »\":ok\"", "GP1014", "names no job"},
    {"on_lease_loss: »\"\"", "GP1012", "is not one of"},
    {"on_lease_loss: »[stop]", "GP1009", "not a list"},
};

TEST(BadInput, Turns) { ExpectAllRefused(kTurns); }

constexpr BadInput kTexts[] = {
    {"name: »\"\"", "GP1014", "must not be empty"},
    {"name: »a b", "GP1014", "is not a name"},
    {"name: »../etc", "GP1014", "is not a name"},
    {"name: »a/b", "GP1014", "is not a name"},
    {"name: »-rf", "GP1014", "beginning with a letter or digit"},
    {"name: »\".\"", "GP1014", "is not a name"},
    {"name: »<script>alert(1)</script>", "GP1014", "is not a name"},
    {"name: »$(reboot)", "GP1014", "is not a name"},
    {"name: »é", "GP1014", "is not a name"},
    {"name: »\"a\\nb\"", "GP1014", "\\x0a"},
    {"name: »\"a\\0b\"", "GP1014", "\\x00"},
    {"name: »\"a\\e[31mb\"", "GP1014", "\\x1b"},
    {"name: »123", "GP1009", "write \"123\""},
    {"name: »true", "GP1009", "write \"true\""},
    {"name: »no", "GP1009", "write \"no\""},
    {"name: »1e3", "GP1009", "write \"1e3\""},
    {"name: »0x1f", "GP1009", "write \"0x1f\""},
    {"name: »[a]", "GP1009", "must be text, not a list"},
    {"»name:", "GP1015", "has no value"},
    {"project: »a b", "GP1014", "project:"},
    {"queue: »\"\"", "GP1014", "queue: must not be empty"},
    {"after: [»{job: a}]", "GP1009", "after: must be text"},
    {"after: »job three", "GP1014", "names no job"},
    {"after: »job-3:done", "GP1014", "is none of ok, ended, started and failed"},
    {"after: »\"job-3:\"", "GP1014", "has nothing behind its colon"},
    {"image: »Pytorch:2", "GP1014", "dir:/path"},
    {"image: »/data/x", "GP1014", "write dir: before a directory"},
    {"image: »x.sqsh", "GP1014", "write its whole path"},
    {"image: »/data/../x.sqsh", "GP1014", "holds \"..\""},
    {"image: »docker-archive:x.tar", "GP1014", "not an absolute path"},
    {"image: »oci-archive:/x.tar:v 1", "GP1014", "a tag that no image can have"},
    {"image: »squashfs:/x@sha256:12", "GP1014", "a digest that is not"},
    {"image: »dir:images/a", "GP1014", "not an absolute path"},
    {"image: »oci:images/a:v1", "GP1014", "not an absolute path"},
    {"image: »\"oci:/images/a:\"", "GP1014", "a tag that no image can have"},
    {"image: »oci:/images/a:v 1", "GP1014", "a tag that no image can have"},
    {"image: »oci:/images/a@sha256:12", "GP1014", "a digest that is not"},
    {"image: »oci:/images/../a", "GP1014", "holds \"..\""},
    {"image: »dir:/a/../../etc", "GP1014", "holds \"..\""},
    {"»mounts: [/data]", "GP1018", "jobs with an image"},
    {"image: dir:/i\nmounts: »/a:/b:/c", "GP1014", "write FROM, FROM:TO"},
    {"image: dir:/i\n»mounts: [a:/b]", "GP1014", "not an absolute path"},
    {"image: dir:/i\n»mounts: [/a:/dev/shm]", "GP1014", "the platform's own"},
    {"network: »nobody", "GP1012", "host, none"},
    {"workdir: »\"\"", "GP1014", "must not be empty"},
    {"checkpoint: {dir: »\"\"}", "GP1014", "must not be empty"},
    {"$schema: »\"\"", "GP1014", "must not be empty"},
    {"workdir: »a/b", "GP1014", "not an absolute path"},
    {"workdir: »~/x", "GP1014", "not an absolute path"},
    {"workdir: »\".\"", "GP1014", "not an absolute path"},
    {"workdir: »/a/../../etc", "GP1014", "holds \"..\""},
    {"workdir: »\"/a\\nb\"", "GP1014", "control character"},
    {"checkpoint: {dir: »ckpt}", "GP1014", "not an absolute path"},
    {"checkpoint: {dir: »\"/a/${USER}\"}", "GP1014", "only ${JOB_NAME}"},
    {"checkpoint: {dir: »\"/a/${JOB_NAME\"}", "GP1014", "only ${JOB_NAME}"},
    {"checkpoint: {dir: »/a/..}", "GP1014", "holds \"..\""},
    {"env: »[A=b]", "GP1009", "must be a map of names to values"},
    {"env: »A=b", "GP1009", "must be a map of names to values"},
    {"env: {»A: }", "GP1017", "--env A=…"},
    {"env: {»A: null}", "GP1017", "--env A=…"},
    {"env: {»A: [b]}", "GP1009", "env.A: must be text, not a list"},
    {"env: {»A: {b: c}}", "GP1009", "env.A: must be text, not a map"},
    {"env: {»A-B: c}", "GP1014", "not a variable name"},
    {"env: {»1A: c}", "GP1014", "not beginning with a digit"},
    {"env: {»\"\": c}", "GP1014", "not a variable name"},
    {"env: {»\"A=B\": c}", "GP1014", "not a variable name"},
    {"env: {»\"A.B\": c}", "GP1014", "not a variable name"},
    {"env: {»A: \"a\\0b\"}", "GP1014", "zero byte"},
    {"env: {»GP_JOB_ID: 1}", "GP1014", "set by the platform"},
    {"env: {»CUDA_VISIBLE_DEVICES: 0}", "GP1014", "set by the platform"},
    {"env: {»NVIDIA_VISIBLE_DEVICES: all}", "GP1014", "set by the platform"},
    {"env: {»CUDA_MPS_PIPE_DIRECTORY: /x}", "GP1014", "set by the platform"},
    {"labels: {»a: }", "GP1015", "labels.a: has no value"},
    {"labels: {»a: [b]}", "GP1009", "labels.a: must be text"},
    {"labels: {»\"a b\": c}", "GP1014", "not a label name"},
    {"labels: {»../a: c}", "GP1014", "not a label name"},
    {"labels: {»\"\": c}", "GP1014", "a label needs a name"},
    {"labels: {»a: \"b\\nc\"}", "GP1014", "one line of text"},
    {"labels: »a", "GP1009", "must be a map"},
};

TEST(BadInput, Texts) { ExpectAllRefused(kTexts); }

constexpr BadInput kCommands[] = {
    {"run: »\"\"", "GP1014", "the script is empty"},
    {"run: »\"  \\n \"", "GP1014", "the script is empty"},
    {"run: »|\n\n", "GP1014", "the script is empty"},
    {"»run:", "GP1015", "has no value"},
    {"»run: []", "GP1014", "names no program"},
    {"»run: [\"\", a]", "GP1014", "names no program"},
    {"run: [a, »[b]]", "GP1009", "must be text, not a list"},
    {"run: [a, »{b: c}]", "GP1009", "must be text, not a map"},
    {"run: [a, »~]", "GP1015", "has no value"},
    {"run: »{a: b}", "GP1009", "must be text, not a map"},
    {"run: »7", "GP1009", "write \"7\""},
    {"run: »true", "GP1009", "write \"true\""},
    {"run: »\"a\\0b\"", "GP1014", "zero byte"},
    {"»run: [a, \"b\\0c\"]", "GP1014", "zero byte"},
};

TEST(BadInput, Commands) {
  for (const BadInput& row : kCommands) ExpectRefused(row);
}

std::string Entries(int count, std::string_view value) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "  K" + std::to_string(i) + ": " + std::string(value) + "\n";
  return text;
}

TEST(BadInput, MoreThanIsAllowed) {
  ExpectRefused({"run: x\nname: »" + std::string(1'000'000, 'a'), "GP1014", "1000000 bytes long"});
  ExpectRefused({"run: x\nname: »" + std::string(129, 'a'), "GP1014", "at most 128"});
  ExpectRefused({"run: x\nworkdir: »/" + std::string(4095, 'a'), "GP1014", "at most 4095"});
  ExpectRefused({"run: x\nlabels: {»a: " + std::string(257, 'b') + "}", "GP1014", "at most 256"});
  ExpectRefused({"run: x\n»labels:\n" + Entries(1025, "v"), "GP1011", "1025 labels"});
  ExpectRefused({"run: x\n»env:\n" + Entries(1025, "v"), "GP1011", "1025 variables"});
  ExpectRefused({"run: x\n»env:\n" + Entries(3, std::string(100'000, 'v')), "GP1011", "bytes"});
  ExpectRefused(
      {"run: x\nenv: {»A: " + std::string(140'000, 'v') + "}", "GP1014", "put it in a file"});
  ExpectRefused(
      {"»run: [sh, -c, " + std::string(131'072, 'v') + "]", "GP1014", "put it in a file"});
}

TEST(BadInput, AHundredProblemsAreEnough) {
  std::string text = "run: x\n";
  for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const DecodedJobs decoded = DecodeJobFile("bad.gpu.yaml", text);
  ASSERT_EQ(decoded.diagnostics.size(), 101u);
  EXPECT_EQ(decoded.diagnostics[99].line, 101);
  EXPECT_EQ(decoded.diagnostics[100].code, "GP1003");
}

TEST(BadInput, EveryProblemOfAFileIsReportedInItsOrder) {
  const DecodedJobs decoded = DecodeJobFile("bad.gpu.yaml",
                                            "name: a b\n"
                                            "nodes: 010\n"
                                            "resources:\n"
                                            "  gpus: {share: 0.5, isolation: exclusive}\n"
                                            "---\n"
                                            "run: [a, ~]\n"
                                            "workdir: x\n");
  std::vector<int> lines;
  for (const Diagnostic& problem : decoded.diagnostics) lines.push_back(problem.line);
  EXPECT_EQ(lines, (std::vector<int>{1, 1, 2, 4, 6, 7}));
  EXPECT_TRUE(decoded.jobs.empty());
}

// What follows from a value that was refused is not reported beside it.
TEST(BadInput, NoProblemsThatFollowFromOthers) {
  const DecodedJobs decoded = DecodeJobFile(
      "bad.gpu.yaml", "run: x\nresources: {gpus: {share: x, isolation: timeslice}}\n");
  ASSERT_EQ(decoded.diagnostics.size(), 1u);
  EXPECT_EQ(decoded.diagnostics[0].code, "GP1013");
}

}  // namespace
}  // namespace gp
