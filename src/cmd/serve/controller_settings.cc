#include "cmd/serve/controller_settings.h"

#include <algorithm>
#include <utility>

#include "adapters/inbound/notify_file/notify_file.h"
#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "adapters/outbound/etcd/etcd_options.h"
#include "adapters/outbound/objects/object_archive.h"
#include "adapters/outbound/traces/trace_exporter.h"
#include "base/text.h"
#include "cmd/agent/agent_settings.h"
#include "cmd/serve/policy_with.h"
#include "cmd/settings/profiles.h"
#include "cmd/settings/settings_text.h"
#include "cmd/settings/text_faults.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr int64_t kCertificateMin = Duration::Seconds(10).ns;
constexpr int64_t kCertificateMax = 3'650 * kSettingDay;
// The log itself may take half of it (application/replication/trim_policy.h).
constexpr int64_t kQuotaMin = int64_t{512} << 20;
constexpr int64_t kQuotaMax = int64_t{1} << 50;
constexpr int64_t kArchiveEveryMin = Duration::Milliseconds(10).ns;
constexpr int64_t kArchiveEveryMax = Duration::Minutes(60).ns;
constexpr int64_t kArchiveKeepMin = kSettingDay;
constexpr int64_t kLeaseMin = Duration::Milliseconds(100).ns;

std::optional<std::string> CollectorFault(const std::string& url) {
  if (url.empty()) return std::nullopt;
  const auto address = ParseCollector(url);
  return address ? std::nullopt : std::optional(address.error().message);
}

SettingRows PlaceRows(ControllerConfig& config) {
  return {
      {.key = "profile",
       .flag = "--profile",
       .value_name = "PROFILE",
       .meaning = "Values for a kind of site: development or production (docs/settings.md)",
       .target = &config.profile,
       .fault_of = ProfileFault},
      {.key = "state",
       .flag = "--state",
       .value_name = "DIRECTORY",
       .meaning = "State directory: journal, logs and secrets",
       .target = &config.state_directory,
       .is_path = IsPath},
      {.key = "run_dir",
       .flag = "--run-dir",
       .value_name = "DIRECTORY",
       .meaning = "Directory of the sockets",
       .target = &config.run_directory,
       .is_path = IsPath},
      {.key = "ephemeral",
       .flag = "--ephemeral",
       .meaning = "Keep nothing on disk: all state is lost at the end",
       .target = &config.ephemeral},
      {.key = "keep_journal",
       .flag = "--keep-journal",
       .value_name = "DURATION",
       .meaning = "Drop records of the journal this long after they were written; a snapshot "
                  "replaces them; 0s: never",
       .target = &config.keep_journal,
       .most = kSettingDurationMax},
  };
}

std::optional<std::string> StoreFault(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto options = ParseEtcdStore(text);
  return options ? std::nullopt : std::optional(options.error().message);
}

// A part of a key of the store.
std::optional<std::string> ClusterNameFault(const std::string& name) {
  const bool is_name = !name.empty() && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
  if (is_name) return std::nullopt;
  return "must have 1 to 63 letters, digits, '-', '_' or '.'";
}

std::optional<std::string> ControllerNameFault(const std::string& name) {
  return name.empty() ? std::nullopt : ClusterNameFault(name);
}

SettingRows SharingRows(SharingConfig& sharing) {
  return {
      {.key = "sharing.store",
       .flag = "--store",
       .value_name = "URL",
       .meaning = "Share the log with other controllers by this etcd, such as "
                  "etcd:https://e1:2379,https://e2:2379 (docs/controllers.md)",
       .target = &sharing.store,
       .fault_of = StoreFault},
      {.key = "sharing.cluster",
       .flag = "--cluster",
       .value_name = "NAME",
       .meaning = "Name of the cluster in the store",
       .target = &sharing.cluster,
       .fault_of = ClusterNameFault},
      {.key = "sharing.name",
       .flag = "--controller-name",
       .value_name = "NAME",
       .meaning = "Name of this controller in the cluster; default: the host's name",
       .target = &sharing.name,
       .fault_of = ControllerNameFault},
      {.key = "sharing.advertise",
       .flag = "--advertise",
       .value_name = "HOST",
       .meaning =
           "Host under which the other controllers reach this one; default: the address that "
           "it listens at, or the host's name",
       .target = &sharing.advertise},
      {.key = "sharing.authority",
       .flag = "--store-ca",
       .value_name = "FILE",
       .meaning = "Certificates (PEM) that the store's certificates are checked against",
       .target = &sharing.authority_file,
       .is_path = IsPath},
      {.key = "sharing.certificate",
       .flag = "--store-cert",
       .value_name = "FILE",
       .meaning = "Certificate (PEM) of this controller for the store",
       .target = &sharing.certificate_file,
       .is_path = IsPath},
      {.key = "sharing.key",
       .flag = "--store-key",
       .value_name = "FILE",
       .meaning = "Its private key (PEM)",
       .target = &sharing.key_file,
       .is_path = IsPath},
      {.key = "sharing.user",
       .flag = "--store-user",
       .value_name = "NAME",
       .meaning = "User of the store",
       .target = &sharing.user},
      {.key = "sharing.password_file",
       .flag = "--store-password-file",
       .value_name = "FILE",
       .meaning = "File with the user's password",
       .target = &sharing.password_file,
       .is_path = IsPath},
  };
}

SettingRows StoreRows(SharingConfig& sharing) {
  return {
      {.key = "sharing.compaction",
       .flag = "--store-shared",
       .meaning = "The leader compacts the store once a minute; false where it serves others too",
       .flag_meaning = "The store serves others too: its compaction is left to them",
       .target = InvertedBool{&sharing.compacts}},
      {.key = "sharing.quota",
       .flag = "--store-quota",
       .value_name = "BYTES",
       .meaning =
           "What etcd has as --quota-backend-bytes; no jobs are accepted while more than 80 % "
           "of it is in use, or the file of the database has more than 90 % of it",
       .target = &sharing.quota,
       .least = kQuotaMin,
       .most = kQuotaMax},
  };
}

std::optional<std::string> ArchiveFault(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto url = ParseArchiveUrl(text);
  if (!url) return url.error().message;
  return std::nullopt;
}

SettingRows ArchiveRows(ArchiveConfig& archive) {
  return {
      {.key = "archive.url",
       .flag = "--archive",
       .value_name = "URL",
       .meaning = "Copy the journal here all the time, such as s3://bucket/prefix "
                  "(docs/disaster_recovery.md)",
       .target = &archive.url,
       .fault_of = ArchiveFault},
      {.key = "archive.credentials",
       .flag = "--archive-credentials",
       .value_name = "FILE",
       .meaning = "Credentials for it: a JSON object with access_key, secret_key and, as needed, "
                  "endpoint and region",
       .target = &archive.credentials_file,
       .is_path = IsPath},
      {.key = "archive.key",
       .flag = "--archive-key",
       .value_name = "FILE",
       .meaning = "Key that seals the archive; keep a copy elsewhere",
       .target = &archive.key_file,
       .is_path = IsPath},
      {.key = "archive.every",
       .flag = "--archive-every",
       .value_name = "DURATION",
       .meaning = "From one look for new records to the next",
       .target = &archive.every,
       .least = kArchiveEveryMin,
       .most = kArchiveEveryMax},
      {.key = "archive.keep",
       .flag = "--archive-keep",
       .value_name = "DURATION",
       .meaning = "Delete records this long after a snapshot that stands for them was verified",
       .target = &archive.keep,
       .least = kArchiveKeepMin,
       .most = kSettingDurationMax},
      {.key = "archive.verify_every",
       .flag = "--archive-verify-every",
       .value_name = "DURATION",
       .meaning = "Read back what is new in the archive this often; 0s: never",
       .target = &archive.verify_every,
       .most = kSettingDurationMax},
  };
}

SettingRows ListenRows(ListenConfig& listen) {
  return {
      {.key = "listen.grpc",
       .flag = "--listen",
       .value_name = "ADDRESS",
       .meaning = "Also accept agents and clients of other machines here, such as 127.0.0.1:7070",
       .target = &listen.grpc,
       .fault_of = AddressFault},
      {.key = "listen.http",
       .flag = "--http",
       .value_name = "ADDRESS",
       .meaning = "Also serve HTTP here (dashboard, REST, metrics), such as 127.0.0.1:8080",
       .target = &listen.http,
       .fault_of = OwnAddressFault},
      {.key = "listen.reads",
       .flag = "--reads",
       .value_name = "ADDRESS",
       .meaning = "Of several controllers: answer REST reads here as a standby too, from a state "
                  "that may be a little old",
       .target = &listen.reads,
       .fault_of = OwnAddressFault},
      {.key = "listen.tls",
       .flag = "--tls",
       .meaning = "Encrypt on loopback too; traffic to other machines is always encrypted",
       .target = &listen.tls},
      {.key = "listen.names",
       .flag = "--tls-name",
       .value_name = "HOST",
       .meaning = "More host names of this machine, for its certificate",
       .target = &listen.names},
      {.key = "listen.node_certificates",
       .flag = "--node-certificates",
       .value_name = "DURATION",
       .meaning = "Lifetime of node certificates; agents renew them before",
       .target = &listen.node_certificates,
       .least = kCertificateMin,
       .most = kCertificateMax},
      {.key = "listen.single_use_joins",
       .flag = "--single-use-joins",
       .meaning = "Admit a new node of another machine only by a join token of its own (nodes "
                  "join-token)",
       .target = &listen.single_use_joins},
  };
}

SettingRows PolicyRows(ControllerConfig& config) {
  return {
      {.key = "policy_file",
       .flag = "--policy",
       .value_name = "FILE",
       .meaning = "Policy file: scheduling, placement, prices, fault rules "
                  "(docs/reference/policies.md); its keys may also be in `policy`",
       .target = &config.policy_file,
       .is_path = IsPath},
      {.key = "policy.min_run",
       .flag = "--min-run",
       .value_name = "DURATION",
       .meaning = "Minimum run time of a job before it can be preempted; default: the policy's, "
                  "10m",
       .target = std::monostate()},
      {.key = "lease_time",
       .flag = "--lease-time",
       .value_name = "DURATION",
       .meaning = "Heartbeat timeout: a node without a heartbeat for this time is lost; default "
                  "with sharing.store: 20s",
       .target = &config.policy.lease_time,
       .least = kLeaseMin,
       .most = kSettingDay},
  };
}

WordTarget LogTarget(std::optional<LogFormat>& log) {
  return {{"none", "text", "json"},
          [&log](size_t position) {
            log = position == 0
                      ? std::nullopt
                      : std::optional(position == 1 ? LogFormat::kText : LogFormat::kJson);
          },
          [&log] { return !log                       ? 0U
                          : *log == LogFormat::kText ? 1U
                                                     : 2U; }};
}

SettingRows ReportRows(ControllerConfig& config) {
  return {
      {.key = "log",
       .flag = "--log",
       .value_name = "FORMAT",
       .meaning = "Log events of jobs, nodes and GPUs to standard error, a line each: none, text "
                  "or json (docs/reference/event_log.md)",
       .target = LogTarget(config.log)},
      {.key = "notify_file",
       .flag = "--notify",
       .value_name = "FILE",
       .meaning = "File with notification receivers: webhooks, programs, mail "
                  "(docs/how-to/notifications.md); its keys may also be in `notify`",
       .target = &config.notify_file,
       .is_path = IsPath},
      {.key = "traces",
       .flag = "--traces",
       .value_name = "URL",
       .meaning = "Send a trace of each job to this OpenTelemetry collector, such as "
                  "http://127.0.0.1:4318 (docs/reference/traces.md)",
       .target = &config.traces,
       .fault_of = CollectorFault,
       .is_secret = true},
  };
}

SettingRows NodeRows(ControllerConfig& config) {
  return {
      {.key = "simulate",
       .flag = "--simulate",
       .value_name = "MACHINE",
       .meaning = "Simulate nodes with GPUs: NAME or NAME:NODES, such as dgx-h100:2",
       .target = &config.simulate,
       .is_path = IsPathWithSlash},
      {.key = "light",
       .flag = "--light",
       .meaning = "Simulate nodes, up to 20000, without processes: a job of sleep N lasts N "
                  "seconds, others end at once",
       .target = &config.is_light},
      {.key = "agent.enabled",
       .flag = "--no-agent",
       .meaning = "Start the agent of this machine, or the simulated nodes",
       .flag_meaning = "Run only the controller; start agents separately",
       .target = InvertedBool{&config.starts_agent}},
  };
}

// The agent that the controller starts has the flags that it always had.
SettingRows AgentRows(AgentConfig& config) {
  SettingRows rows = NodeSettings(config, "agent.");
  for (Setting& row : rows) {
    const bool is_only_of_agents = row.key.starts_with("agent.gpu_") ||
                                   row.key == "agent.reset_command" ||
                                   row.key == "agent.kernel_log";
    if (is_only_of_agents) row.flag.clear();
  }
  return rows;
}

nlohmann::ordered_json PolicySchema(const std::string& name) {
  const std::vector<PolicyValue> numbers = PolicyNumbers(BuiltInPolicy());
  const auto number = std::ranges::find(numbers, name, &PolicyValue::name);
  if (number == numbers.end()) return {{"type", "object"}};
  nlohmann::ordered_json schema = {{"description", number->meaning}};
  const auto least = ParseCount(number->least), most = ParseCount(number->most);
  schema.update(
      least && most
          ? nlohmann::ordered_json{{"type", "integer"}, {"minimum", *least}, {"maximum", *most}}
          : DurationSchema());
  return schema;
}

SettingsSection PolicySection(ControllerConfig& config) {
  const auto read = [&config](const YamlNode& map, Report& report) {
    const Duration lease_time = config.policy.lease_time;
    const auto change = ReadPolicy(map, XidRules(), report);
    config.policy = BuiltInPolicy();
    change(config.policy);
    config.policy.lease_time = lease_time;
  };
  return {.key = "policy",
          .file_key = "policy_file",
          .names = PolicyNames(),
          .is_read_in_parts = true,
          .read = read,
          .schema_of = PolicySchema};
}

SettingsSection NotifySection(ControllerConfig& config) {
  return {.key = "notify",
          .file_key = "notify_file",
          .names = NotifyNames(),
          .read = [&config](const YamlNode& map,
                            Report& report) { config.notify = ReadNotify(map, report); },
          .schema_of = [](const std::string& name) -> nlohmann::ordered_json {
            return {{"type", name == "receivers" ? "array" : "string"}};
          }};
}

// Jobs that stop when their lease is lost live through a time without a majority of the store.
constexpr Duration kSharedLeaseTime = Duration::Seconds(20);

void FillLeaseTime(ControllerConfig& config, SettingsRead& read) {
  if (config.sharing.store.empty() || OriginOf(read.root, "lease_time") != kBuiltIn) return;
  config.policy.lease_time = kSharedLeaseTime;
  const auto shown = std::ranges::find(read.values, "lease_time", &SettingValue::key);
  if (shown != read.values.end()) shown->value = shown->built_in = ToText(kSharedLeaseTime);
}

// Between settings: it is shown where this one comes from.
void AddContradiction(SettingsRead& read, const std::string& key, std::string message) {
  read.problems.push_back({.file = OriginOf(read.root, key),
                           .line = 0,
                           .column = 0,
                           .code = CodeText(FileCode::kContradiction),
                           .message = std::move(message),
                           .excerpt = ""});
}

void CheckWhole(const ControllerConfig& config, SettingsRead& read) {
  // An agent ends with the controller that started it, and knows no other.
  if (!config.sharing.store.empty() && config.starts_agent)
    AddContradiction(
        read, "sharing.store",
        "sharing.store: requires agent.enabled: false (--no-agent): start the agent of "
        "this machine by itself, with the addresses of all controllers");
  if (config.sharing.store.empty() && !config.listen.reads.empty())
    AddContradiction(read, "listen.reads",
                     "listen.reads: is for several controllers (sharing.store): a single one "
                     "answers reads at listen.http");
  // What a controller of the cluster has is trimmed from the shared log.
  if (!config.sharing.store.empty() && config.ephemeral)
    AddContradiction(read, "ephemeral",
                     "ephemeral: a controller that shares its log (sharing.store) needs a journal "
                     "on disk");
  if (!config.archive.url.empty() && (config.archive.key_file.empty() || config.ephemeral))
    AddContradiction(read, "archive.url",
                     config.ephemeral
                         ? "archive.url: an ephemeral controller has no journal to copy"
                         : "archive.url: requires archive.key (gpu-platform admin dr make-key)");
  if (config.is_light && config.simulate.empty())
    AddContradiction(read, "light", "light: requires simulate, such as dgx-h100:1000");
}

}  // namespace

SettingsProgram ControllerProgram(ControllerConfig& config) {
  SettingsProgram program{.name = "controller",
                          .prefix = "GPU_PLATFORM_",
                          .drop_ins = "conf.d",
                          .rows = {},
                          .sections = {}};
  for (const SettingRows& rows :
       {PlaceRows(config), ListenRows(config.listen), SharingRows(config.sharing),
        StoreRows(config.sharing), ArchiveRows(config.archive), PolicyRows(config),
        ReportRows(config), NodeRows(config), AgentRows(config.agent)})
    program.rows.insert(program.rows.end(), rows.begin(), rows.end());
  program.sections.push_back(PolicySection(config));
  program.sections.push_back(NotifySection(config));
  return program;
}

void ReadControllerSettings(const SettingsSources& sources, ControllerReading& reading) {
  ControllerConfig& config = reading.config;
  config.policy = BuiltInPolicy();
  config.state_directory = DefaultStateDirectory();
  config.run_directory = DefaultRunDirectory();
  reading.read = ReadSettings(ControllerProgram(config), sources);
  FillLeaseTime(config, reading.read);
  CheckWhole(config, reading.read);
  config.sources = sources;
  config.values = reading.read.values;
  config.files = reading.read.files;
  config.warnings = reading.read.warnings;
}

Result<ControllerConfig> ReadControllerSettings(const SettingsSources& sources) {
  ControllerReading reading;
  ReadControllerSettings(sources, reading);
  if (reading.read.problems.empty()) return std::move(reading.config);
  return Fail(InvalidArgument(AsLines(reading.read.problems)));
}

}  // namespace gp
