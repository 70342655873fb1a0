#include "cmd/serve/serve_flags.h"

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cmd/text/span_flag.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr Duration kCertificateMin = Duration::Seconds(10);
constexpr Duration kCertificateMax = Duration::Minutes(60 * 24 * 3'650);

// An error names the flag.
template <typename T>
Result<T> Parse(const char* flag, Result<T> parsed) {
  if (!parsed) return Fail(parsed.error().Within(flag));
  return parsed;
}

void AddPlaces(CLI::App& sub, ControllerConfig& config) {
  sub.add_option("--state", config.state_directory, "State directory: journal, logs and secrets")
      ->type_name("DIRECTORY");
  sub.add_option("--run-dir", config.run_directory, "Directory of the sockets")
      ->type_name("DIRECTORY");
  sub.add_flag("--ephemeral", config.ephemeral,
               "Keep nothing on disk: all state is lost at the end");
  sub.add_flag(
      "--keep-sound-prefix", config.keep_sound_prefix,
      "After damage: give up the journal from the first damaged record on (a copy is kept)");
  AddSpan(sub, "--keep-journal", config.keep_journal,
          "Drop records of the journal this long after they were written; a snapshot replaces "
          "them; 0s: never",
          "0s");
}

void AddListening(CLI::App& sub, const std::shared_ptr<ServeFlags>& flags) {
  ListenConfig& listen = flags->config.listen;
  sub.add_option("--listen", listen.grpc,
                 "Also accept agents and clients of other machines here, such as 127.0.0.1:7070")
      ->type_name("ADDRESS");
  sub.add_option("--http", listen.http,
                 "Also serve HTTP here (dashboard, REST, metrics), such as 127.0.0.1:8080")
      ->type_name("ADDRESS");
  sub.add_flag("--tls", listen.tls,
               "Encrypt on loopback too; traffic to other machines is always encrypted");
  sub.add_option("--tls-name", listen.names, "More host names of this machine, for its certificate")
      ->type_name("HOST");
  sub.add_option("--node-certificates", flags->node_certificates,
                 "Lifetime of node certificates; agents renew them before")
      ->type_name("DURATION")
      ->capture_default_str();
}

void AddReports(CLI::App& sub, const std::shared_ptr<ServeFlags>& flags) {
  ControllerConfig& config = flags->config;
  sub.add_option_function<std::string>(
         "--log",
         [flags](const std::string& format) {
           flags->config.log = format == "json" ? LogFormat::kJson : LogFormat::kText;
         },
         "Log events of jobs, nodes and GPUs to standard error, a line each "
         "(docs/reference/event_log.md)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  sub.add_option("--notify", config.notify,
                 "File with notification receivers: webhooks, programs, mail "
                 "(docs/how-to/notifications.md)")
      ->type_name("FILE");
  sub.add_option("--traces", flags->traces,
                 "Send a trace of each job to this OpenTelemetry collector, such as "
                 "http://127.0.0.1:4318 (docs/reference/traces.md)")
      ->type_name("URL");
}

void AddPolicy(CLI::App& sub, const std::shared_ptr<ServeFlags>& flags) {
  sub.add_option(
         "--policy", flags->config.policy.file,
         "Policy file: scheduling, placement, prices, fault rules (docs/reference/policies.md)")
      ->type_name("FILE");
  sub.add_option("--min-run", flags->min_run,
                 "Minimum run time of a job before it can be preempted; default: the policy's, 10m")
      ->type_name("DURATION");
  sub.add_option("--lease-time", flags->lease_time,
                 "Heartbeat timeout: a node without a heartbeat for this time is lost")
      ->type_name("DURATION");
}

}  // namespace

void AddServeFlags(CLI::App& sub, const std::shared_ptr<ServeFlags>& flags) {
  ControllerConfig& config = flags->config;
  AddPlaces(sub, config);
  AddListening(sub, flags);
  AddPolicy(sub, flags);
  AddReports(sub, flags);
  sub.add_option("--simulate", config.simulate,
                 "Simulate nodes with GPUs: NAME or NAME:NODES, such as dgx-h100:2")
      ->type_name("MACHINE");
  sub.add_flag("--light", config.is_light,
               "Simulate nodes, up to 20000, without processes: a job of sleep N lasts N seconds, "
               "others end at once")
      ->needs("--simulate");
  sub.add_flag("--no-agent", flags->no_agent, "Run only the controller; start agents separately");
  AddNodeFlags(sub, config.agent);
}

Result<ControllerConfig> ParseServeFlags(const ServeFlags& flags) {
  ControllerConfig config = flags.config;
  if (config.state_directory.empty()) config.state_directory = DefaultStateDirectory();
  if (config.run_directory.empty()) config.run_directory = DefaultRunDirectory();
  for (std::string* path :
       {&config.state_directory, &config.run_directory, &config.policy.file, &config.notify}) {
    if (!path->empty()) *path = AbsolutePath(*path);
  }
  config.starts_agent = !flags.no_agent;
  config.policy.lease_time = GP_TRY(Parse("--lease-time", ParseDuration(flags.lease_time)));
  if (!flags.min_run.empty())
    config.policy.min_run = GP_TRY(Parse("--min-run", ParseDuration(flags.min_run)));
  Duration& life = config.listen.node_certificates;
  life = GP_TRY(Parse("--node-certificates", ParseDuration(flags.node_certificates)));
  if (life < kCertificateMin || life > kCertificateMax)
    return Fail(InvalidArgument("--node-certificates: 10s to 3650d"));
  if (!flags.traces.empty())
    config.traces = GP_TRY(Parse("--traces", ParseCollector(flags.traces)));
  return config;
}

}  // namespace gp
