#include <atomic>
#include <chrono>
#include <thread>

#include "cmd/cli.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/daemon/console_log.h"
#include "cmd/daemon/process_limits.h"
#include "cmd/daemon/service_manager.h"
#include "cmd/daemon/signals.h"
#include "cmd/serve/agent_parts.h"
#include "cmd/serve/api_parts.h"
#include "cmd/serve/controller_settings.h"
#include "cmd/serve/writer_part.h"
#include "cmd/settings/settings_flags.h"
#include "infrastructure/system_clock.h"
#include "lib/tls/authority.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kReplyTime{100};

// A controller with its servers and, below it, the agents that it starts.
class Controller {
 public:
  Controller(ControllerConfig config, OperatorLog& log, LeadPart::Standing standing)
      : config_(std::move(config)), log_(log), standing_(std::move(standing)) {}

  Status Start() {
    GP_CHECK_OK(parts_.Start());
    const int agents_port = links_.tcp_port();
    const int http_port = http_.tcp_port();
    log_.Write(LogLevel::kInfo,
               "controller runs; sockets in " + config_.run_directory +
                   (agents_port > 0 ? ", agents at port " + std::to_string(agents_port) : "") +
                   (http_port > 0 ? ", HTTP at port " + std::to_string(http_port) : ""));
    if (const Authority* authority = certificates_.authority(); authority != nullptr)
      log_.Write(LogLevel::kInfo, "encrypted; the authority is " + std::string(kFingerprintPrefix) +
                                      authority->fingerprint());
    simulated_.StartOthers();
    AwaitOwnNodes(config_, recovery_);
    return Ok();
  }
  void Stop() {
    lead_.BeginStop();
    parts_.Stop();
  }

 private:
  ControllerConfig config_;
  OperatorLog& log_;
  const LeadPart::Standing standing_;
  SystemClock clock_;
  Components parts_;
  // In the order in which they start; they stop in the reverse order.  The writer runs before a
  // door opens and after it has closed, so every call is answered, even if a later door fails.
  DirectoriesPart& directories_ = parts_.Add<DirectoriesPart>(config_, log_);
  JournalPart& journal_ = parts_.Add<JournalPart>(config_, log_);
  RecordsPart& records_ = parts_.Add<RecordsPart>(config_, log_);
  CertificatesPart& certificates_ = parts_.Add<CertificatesPart>(config_, clock_);
  RelayPart& relay_ = parts_.Add<RelayPart>(config_);
  ReadsPart& reads_ = parts_.Add<ReadsPart>(config_, log_, clock_, certificates_);
  LeadPart& lead_ = parts_.Add<LeadPart>(
      config_, log_, clock_,
      LeadPart::Uses{directories_, journal_, records_, certificates_, relay_, reads_}, standing_);
  RecoveryPart& recovery_ =
      parts_.Add<RecoveryPart>(config_, log_, clock_, journal_, records_, lead_);
  NodesPart& nodes_ = parts_.Add<NodesPart>(recovery_);
  NotifierPart& notifier_ = parts_.Add<NotifierPart>(config_, log_, clock_, records_, recovery_);
  TracesPart& traces_ = parts_.Add<TracesPart>(config_, log_, recovery_);
  TelemetryPart& telemetry_ = parts_.Add<TelemetryPart>(config_, clock_, recovery_);
  ArchivePart& archive_ =
      parts_.Add<ArchivePart>(config_, log_, clock_, journal_, lead_, recovery_);
  const ApiPart::Uses uses_{journal_,  lead_,      records_, recovery_,          nodes_,
                            notifier_, telemetry_, archive_, standing_.step_down};
  ApiPart& api_ = parts_.Add<ApiPart>(config_, clock_.Now(), uses_);
  WriterPart& writer_ = parts_.Add<WriterPart>(recovery_, lead_, notifier_);
  ArchiveCopyPart& archive_copy_ = parts_.Add<ArchiveCopyPart>(config_, log_, clock_, archive_);
  GrpcPart& grpc_ = parts_.Add<GrpcPart>(config_, directories_, certificates_, api_, uses_);
  RelayEndPart& relay_end_ = parts_.Add<RelayEndPart>(relay_);
  LinkServerPart& links_ =
      parts_.Add<LinkServerPart>(config_, directories_, certificates_, api_, grpc_, uses_);
  HttpPart& http_ = parts_.Add<HttpPart>(config_, certificates_, api_, reads_);
  AgentPart& agent_ = parts_.Add<AgentPart>(config_, log_, directories_);
  PlayedNodesPart& played_ = parts_.Add<PlayedNodesPart>(config_, log_, directories_);
  SimulatedNodesPart& simulated_ = parts_.Add<SimulatedNodesPart>(config_, log_, recovery_);
};

struct ServeFlags {
  SettingsSources settings;
  bool keep_sound_prefix = false;
  uint64_t newest_format = kFormatVersion;
};

void RunServe(const ServeFlags& flags, Cli& cli) {
  SetDaemonLimits();
  const StopSignals signals;
  const ServiceManager manager;
  auto config = ReadControllerSettings(flags.settings);
  if (!config) return cli.Complain(config.error());
  config->keep_sound_prefix = flags.keep_sound_prefix;
  config->formats.newest = flags.newest_format;
  ConsoleLog log(config->log, cli.quiet);
  for (const std::string& warning : config->warnings) log.Write(LogLevel::kWarning, warning);
  const auto say_ready = [&] {
    if (const Status said = manager.SayReady(); !said)
      log.Write(LogLevel::kWarning, said.error().message);
  };
  const auto is_ended = [&] { return signals.HaveCome(); };
  std::atomic<bool> steps_down = false;
  const auto step_down = [&] {
    steps_down = true;
    signals.Raise();
  };
  Controller controller(*std::move(config), log, {say_ready, is_ended, step_down});
  if (const Status started = controller.Start(); !started) {
    const bool was_standby = started.error().code == ErrorCode::kUnavailable;
    if (!was_standby || !signals.HaveCome()) return cli.Complain(started.error());
    log.Write(LogLevel::kInfo, "stopping");
    ExitNow(cli.exit_code);
  }
  say_ready();
  signals.Wait();
  // The operator who asked for it gets the reply before the doors close.
  if (steps_down) std::this_thread::sleep_for(kReplyTime);
  log.Write(LogLevel::kInfo, steps_down ? "giving the lead up" : "stopping; jobs keep running");
  controller.Stop();
  ExitNow(steps_down ? kExitDeposed : cli.exit_code);
}

}  // namespace

void AddServe(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("serve", "Run the controller, and the agent of this machine");
  const auto flags = std::make_shared<ServeFlags>();
  ControllerConfig built_in;
  flags->settings.environment = SettingsEnvironment();
  AddSettingsFlags(*sub, ControllerProgram(built_in), {flags, &flags->settings});
  sub->add_flag(
      "--keep-sound-prefix", flags->keep_sound_prefix,
      "After damage: give up the journal from the first damaged record on (a copy is kept)");
  // For tests of rolling upgrades: as if it were a program of another release.
  sub->add_option("--newest-format", flags->newest_format, "")->group("");
  sub->callback([flags, &cli] { RunServe(*flags, cli); });
}

}  // namespace gp
