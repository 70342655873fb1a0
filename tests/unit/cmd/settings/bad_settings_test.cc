// Wrong settings files: each is refused with the place and the way out.

#include "cmd/agent/agent_settings.h"
#include "cmd/serve/controller_settings.h"
#include "tests/support/scratch.h"
#include "tests/unit/lib/yaml/marked_text.h"

namespace gp {
namespace {

void ExpectRefused(const BadInput& row, bool of_agent) {
  SCOPED_TRACE(row.text);
  const Scratch scratch;
  const MarkedText marked = TakeMark(row.text);
  SettingsSources sources;
  sources.file = scratch.Write("settings.yaml", marked.text + "\n");
  ControllerReading reading;
  AgentConfig agent;
  if (of_agent) {
    reading.read = ReadSettings(AgentProgram(agent), sources);
  } else {
    ReadControllerSettings(sources, reading);
  }
  ExpectOnly(row, marked, reading.read.problems);
}

void ExpectAllRefused(std::span<const BadInput> rows, bool of_agent = false) {
  for (const BadInput& row : rows) ExpectRefused(row, of_agent);
}

constexpr BadInput kUnknownKeys[] = {
    {"»lisen: {}", "GP1007", "did you mean \"listen\"?"},
    {"»Listen: {}", "GP1007", "did you mean \"listen\"?"},
    {"»http: 127.0.0.1:8080", "GP1007", "did you mean \"listen.http\"?"},
    {"»grpc: 127.0.0.1:7070", "GP1007", "did you mean \"listen.grpc\"?"},
    {"»tls: true", "GP1007", "did you mean \"listen.tls\"?"},
    {"»tls_name: [a]", "GP1007", "did you mean \"listen.names\"?"},
    {"»names: [a]", "GP1007", "did you mean \"listen.names\"?"},
    {"»node-certificates: 90d", "GP1007", "did you mean \"listen.node_certificates\"?"},
    {"»min_run: 5m", "GP1007", "did you mean \"policy.min_run\"?"},
    {"»min-run: 5m", "GP1007", "did you mean \"policy.min_run\"?"},
    {"»prices: {}", "GP1007", "did you mean \"policy.prices\"?"},
    {"»xids: {}", "GP1007", "did you mean \"policy.xids\"?"},
    {"»under_use: {}", "GP1007", "did you mean \"policy.under_use\"?"},
    {"»receivers: []", "GP1007", "did you mean \"notify.receivers\"?"},
    {"»mail_from: a", "GP1007", "did you mean \"notify.mail_from\"?"},
    {"»lease-time: 10s", "GP1007", "did you mean \"lease_time\"?"},
    {"»keep-journal: 90d", "GP1007", "did you mean \"keep_journal\"?"},
    {"»keep_logs: 7d", "GP1007", "did you mean \"agent.keep_logs\"?"},
    {"»keep-logs: 7d", "GP1007", "did you mean \"agent.keep_logs\"?"},
    {"»service_user: gpu", "GP1007", "did you mean \"agent.service_user\"?"},
    {"»prolog: /bin/true", "GP1007", "did you mean \"agent.prolog\"?"},
    {"»mig: all", "GP1007", "did you mean \"agent.mig\"?"},
    {"»no_agent: true", "GP1007", "did you mean \"agent.enabled\"?"},
    {"»enabled: false", "GP1007", "did you mean \"agent.enabled\"?"},
    {"»run-dir: /run/x", "GP1007", "did you mean \"run_dir\"?"},
    {"»state_dir: /x", "GP1007", "there is no setting \"state_dir\""},
    {"»notify-file: /x", "GP1007", "did you mean \"notify_file\"?"},
    {"»trace: http://h", "GP1007", "did you mean \"traces\"?"},
    {"»simulated: dgx-h100", "GP1007", "did you mean \"simulate\"?"},
    {"»profil: production", "GP1007", "did you mean \"profile\"?"},
    {"»xyzzy: 1", "GP1007", "there are agent, archive, ephemeral"},
    {"»\"\": 1", "GP1007", "there is no setting \"\""},
    {"»8: 1", "GP1007", "there is no setting \"8\""},
    {"»\"a\\x1b[0mb\": 1", "GP1007", "\\x1b"},
    {"listen: {»htpp: \"127.0.0.1:1\"}", "GP1007",
     "listen: there is no setting \"htpp\"; did you mean \"http\"?"},
    {"listen:\n  »port: 8080", "GP1007", "listen: there is no setting \"port\""},
    {"listen: {»tls_name: a}", "GP1007", "did you mean \"listen.names\"?"},
    {"agent: {»nmae: n1}", "GP1007", "agent: there is no setting \"nmae\"; did you mean \"name\"?"},
    {"agent: {»gpu-test: /bin/true}", "GP1007", "did you mean \"agent.gpu_test\"?"},
    {"agent: {»http: x}", "GP1007", "did you mean \"listen.http\"?"},
    {"policy: {»min_rum: 5m}", "GP1007", "did you mean \"min_run\"?"},
    {"policy: {»lease: 5m}", "GP1007", "there is no \"lease\""},
    {"policy:\n  prices:\n    »currncy: EUR", "GP1007", "currncy"},
    {"policy: {health: {»nvlink: no-new-work}}", "GP1007", "health"},
};

TEST(BadSettings, UnknownKeys) { ExpectAllRefused(kUnknownKeys); }

constexpr BadInput kWrongTypes[] = {
    {"»- listen", "GP1009", "must be a map with keys such as"},
    {"»text", "GP1009", "must be a map"},
    {"listen: »127.0.0.1:7070", "GP1009", "listen: must be a map with keys such as"},
    {"listen: »[a]", "GP1009", "listen: must be a map"},
    {"listen: »8080", "GP1009", "not the number"},
    {"listen: {http: »[a, b]}", "GP1009", "listen.http: must be text, not a list"},
    {"listen: {http: »{a: b}}", "GP1009", "listen.http: must be text, not a map"},
    {"listen: {http: »}", "GP1015", "listen.http: has no value"},
    {"listen: {names: [»{a: b}]}", "GP1009", ""},
    {"listen: {names: »{a: b}}", "GP1009", "listen.names: must be text"},
    {"agent: »none", "GP1009", "agent: must be a map"},
    {"policy: »policy.yaml", "GP1009", "name a file by policy_file"},
    {"policy: »[min_run]", "GP1009", "policy: must be a map, not a list"},
    {"notify: »/etc/notify.yaml", "GP1009", "name a file by notify_file"},
    {"state: »[/var]", "GP1009", "state: must be text"},
    {"log: »[json]", "GP1009", "log: must be one of none, text, json"},
    {"ephemeral: »[true]", "GP1009", "ephemeral: must be true or false"},
    {"lease_time: »{s: 10}", "GP1009", "lease_time: must be a duration"},
    {"agent: {gpu_memory_readings: »[3]}", "GP1009", "must be a whole number"},
    {"agent: {gpu_memory_readings: »\"3\"}", "GP1009", "remove the quotes"},
};

TEST(BadSettings, WrongTypes) { ExpectAllRefused(kWrongTypes); }

constexpr BadInput kWrongValues[] = {
    {"profile: »prodution", "GP1012", "did you mean \"production\"?"},
    {"profile: »staging", "GP1012", "there are the profiles development and production"},
    {"log: »xml", "GP1012", "log: \"xml\" is not one of none, text, json"},
    {"listen: {http: »8080}", "GP1012", "listen.http: \"8080\" has no port: write HOST:PORT"},
    {"listen: {grpc: »\"10.0.0.1\"}", "GP1012", "has no port"},
    {"listen: {grpc: »\"a b:7070\"}", "GP1012", "before the port comes a host name"},
    {"listen: {http: »\":8080\"}", "GP1012", "has no host: write HOST:PORT, such as 0.0.0.0:8080"},
    {"listen: {grpc: »10.0.0.1:70700}", "GP1012", "a port is from 0 to 65535"},
    {"listen: {grpc: »\"::1:7070\"}", "GP1012", "[::]:7070"},
    {"log: »JSON", "GP1012", "did you mean \"json\"?"},
    {"state: »var/lib", "GP1014", "is not an absolute path"},
    {"state: »/var/../lib", "GP1014", "holds \"..\""},
    {"run_dir: »run", "GP1014", "is not an absolute path"},
    {"policy_file: »policy.yaml", "GP1014", "policy_file: \"policy.yaml\" is not an absolute path"},
    {"notify_file: »notify.yaml", "GP1014", "is not an absolute path"},
    {"agent: {prolog: »prolog.sh}", "GP1014",
     "agent.prolog: \"prolog.sh\" is not an absolute path"},
    {"agent: {epilog: »./e}", "GP1014", "is not an absolute path"},
    {"agent: {gpu_test: »dcgmi}", "GP1014", "is not an absolute path"},
    {"ephemeral: »yes", "GP1012", "must be true or false, in lower case"},
    {"ephemeral: »True", "GP1012", "in lower case"},
    {"ephemeral: »1", "GP1012", "must be true or false"},
    {"ephemeral: »\"on\"", "GP1012", "without quotes"},
    {"light: »maybe", "GP1012", "must be true or false"},
    {"listen: {tls: »required}", "GP1012", "listen.tls: must be true or false"},
    {"agent: {enabled: »no}", "GP1012", "agent.enabled: must be true or false"},
    {"agent: {allow_root: »0}", "GP1012", "agent.allow_root"},
    {"traces: »collector:4317", "GP1012", "traces"},
    {"traces: »ftp://h/", "GP1012", "traces"},
    {"policy: {xids: {79: {gpu: »explode}}}", "GP1012", "xids.79"},
    {"policy: {health: {nvlink-down: »retire}}", "GP1012", "health.nvlink-down"},
    {"policy: {prices: {currency: »dollars}}", "GP1012", "currency"},
};

TEST(BadSettings, WrongValues) { ExpectAllRefused(kWrongValues); }

constexpr BadInput kDurationsAndCounts[] = {
    {"lease_time: »10", "GP1013", "has no unit: write 10s, 10m or 10h"},
    {"lease_time: »soon", "GP1013", "lease_time"},
    {"lease_time: »1h1", "GP1013", "lease_time"},
    {"lease_time: »-5s", "GP1013", "lease_time"},
    {"lease_time: »0s", "GP1011", "must be from 100ms to 1d"},
    {"lease_time: »2d", "GP1011", "must be from 100ms to 1d"},
    {"keep_journal: »90", "GP1013", "write 90s, 90m or 90h"},
    {"keep_journal: »forever", "GP1013", "keep_journal"},
    {"keep_journal: »101y", "GP1013", "keep_journal"},
    {"listen: {node_certificates: »9s}", "GP1011", "must be from 10s to 3650d"},
    {"listen: {node_certificates: »3651d}", "GP1011", "must be from 10s to 3650d"},
    {"listen: {node_certificates: »90}", "GP1013", "has no unit"},
    {"agent: {keep_logs: »long}", "GP1013", "agent.keep_logs"},
    {"agent: {keep_logs: »-1d}", "GP1013", "agent.keep_logs"},
    {"agent: {gpu_memory_readings: »0}", "GP1011", "must be from 1 to 3600"},
    {"agent: {gpu_memory_readings: »3601}", "GP1011", "must be from 1 to 3600"},
    {"agent: {gpu_memory_readings: »03}", "GP1010", "octal"},
    {"agent: {gpu_memory_readings: »3.0}", "GP1010", "not a whole number"},
    {"agent: {gpu_memory_tolerance: »512MiB}", "GP1010", "not a whole number"},
    {"agent: {gpu_memory_tolerance: »-1}", "GP1011", "must be from 0"},
    {"policy: {min_run: »10}", "GP1013", "min_run"},
    {"policy: {faults_max: »1001}", "GP1011", "faults_max"},
    {"policy: {faults_max: »16s}", "GP1010", "faults_max"},
    {"policy: {breaker_percent: »101}", "GP1011", "breaker_percent"},
    {"policy: {share_half_life: »0s}", "GP1011", "share_half_life"},
};

TEST(BadSettings, DurationsAndCounts) { ExpectAllRefused(kDurationsAndCounts); }

constexpr BadInput kNotYaml[] = {
    {"log: text\n»log: json", "GP1006", "log"},
    {"listen: {http: \"0.0.0.0:1\", »http: \"0.0.0.0:2\"}", "GP1006", "http"},
    {"listen:\n»\ttls: true", "GP1002", "a tab in the indentation"},
    {"log: »&x text", "GP1004", "anchor"},
    {"log: »!!str text", "GP1004", "tag"},
    {"log: text\n---\n»log: json", "GP1009", "a second document"},
    {"{}\n---\n»log: json", "GP1009", "a second document"},
    {"state: /a»\xe2\x80\xae/b", "GP1001", "U+202E"},
    {"state: /a»\xff", "GP1001", "not UTF-8"},
};

TEST(BadSettings, NotYaml) { ExpectAllRefused(kNotYaml); }

constexpr BadInput kReceivers[] = {
    {"notify: »{mail_from: gpu}", "GP1008", "receivers"},
    {"notify: {receivers: »[]}", "GP1009", "a list of 1 to 32 maps"},
    {"notify: {receivers: [»{on: node_lost, exec: /bin/true}]}", "GP1008",
     "every receiver needs a name"},
    {"notify: {receivers: [{name: a, on: »node_lots, exec: /bin/true}]}", "GP1012",
     "did you mean \"node_lost\"?"},
    {"notify: {receivers: [{name: a, on: node_lost, webhook: »hooks}]}", "GP1012", "webhook"},
};

TEST(BadSettings, Receivers) { ExpectAllRefused(kReceivers); }

constexpr BadInput kOfAgents[] = {
    {"»controller: host:7070", "GP1007", "did you mean \"controllers\"?"},
    {"»join-token-file: /x", "GP1007", "did you mean \"join_token_file\"?"},
    {"»listen: {}", "GP1007", "there is no setting \"listen\""},
    {"»reset-command: /x", "GP1007", "did you mean \"reset_command\"?"},
    {"»policy: {}", "GP1007", "there is no setting \"policy\""},
    {"join_token_file: »join-token", "GP1014", "is not an absolute path"},
    {"controllers: »{a: b}", "GP1009", "controllers: must be text"},
    {"controllers: [a:1, »b]", "GP1012", "controllers: \"b\" has no port"},
    {"controllers: »\"unix:run\"", "GP1012", "is not an absolute path"},
    {"authority: »sha256:5b6f", "GP1012", "here are 4 characters"},
    {"node_index: »4096", "GP1011", "must be from 0 to 4095"},
    {"allow_root: »yes", "GP1012", "must be true or false"},
    {"keep_logs: »90", "GP1013", "has no unit"},
    {"profile: »dev", "GP1012", "development and production"},
};

TEST(BadSettings, OfAgents) { ExpectAllRefused(kOfAgents, true); }

constexpr size_t kRows = std::size(kUnknownKeys) + std::size(kWrongTypes) +
                         std::size(kWrongValues) + std::size(kDurationsAndCounts) +
                         std::size(kNotYaml) + std::size(kReceivers) + std::size(kOfAgents);
static_assert(kRows >= 100, "a hundred wrong files are refused");

}  // namespace
}  // namespace gp
