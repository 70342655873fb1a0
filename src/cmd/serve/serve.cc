#include <cstdio>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "adapters/certificates/authority.h"
#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/server.h"
#include "adapters/inbound/metrics/controller_metrics.h"
#include "adapters/inbound/notify_file/notify_file.h"
#include "adapters/inbound/rest/http_server.h"
#include "adapters/inbound/rest/rest_api.h"
#include "adapters/outbound/audit/audit_file.h"
#include "adapters/outbound/event_log/event_log.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "adapters/outbound/notify/deliver.h"
#include "adapters/outbound/notify/notifier.h"
#include "adapters/outbound/secret_files/secret_files.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "adapters/outbound/traces/trace_exporter.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "cmd/agent/live_agent.h"
#include "cmd/cli.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/http_address.h"
#include "cmd/connection/identity_file.h"
#include "cmd/connection/state_place.h"
#include "cmd/serve/policy_text.h"
#include "cmd/serve/policy_with.h"
#include "cmd/serve/process_limits.h"
#include "cmd/serve/settings_view.h"
#include "cmd/serve/signals.h"
#include "cmd/serve/simulated_agents.h"
#include "cmd/text/span_flag.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

struct ServeFlags {
  std::string state;
  std::string run_directory;
  std::string listen;
  std::string http;
  bool tls = false;                    // on loopback too
  std::vector<std::string> tls_names;  // more names of the controller
  std::string node_certificates = "90d";
  std::string simulate;  // "dgx-h100" or "dgx-h100:2"
  bool no_agent = false;
  bool ephemeral = false;
  bool keep_sound_prefix = false;
  std::string lease_time = "10s";
  std::string min_run;           // empty: the policy's
  std::string policy;            // a file
  std::string notify;            // a file
  std::string traces;            // a collector's address
  Duration keep_journal;         // 0: forever
  std::optional<LogFormat> log;  // nullopt: events are not logged
  AgentConfig agent;
};

// Where a core has several hardware threads, the writer's thread does not interrupt the thread that
// woke it: that thread sends its answer first, and planning comes after. A submit is acknowledged a
// tenth of a millisecond sooner.
void LetOthersFinish() {
  const sched_param no_priority{};
  IgnoreResult(pthread_setschedparam(pthread_self(), SCHED_BATCH, &no_priority),
               "the scheduling of before stays");
}

// A controller with its server and, below it, the agents that it starts.
class Serving {
 public:
  // `say`: messages for the administrator of the host, from any thread.
  Serving(const ServeFlags& flags, NotifySay say) : flags_(flags), say_(std::move(say)) {}
  ~Serving() { Stop(); }

  Status Start() {
    GP_CHECK_OK(MakeDirectories(flags_.state, 0711));
    GP_CHECK_OK(MakeDirectories(flags_.run_directory, 0755));
    token_ = GP_TRY(JoinToken(flags_.state));
    ControlOptions options;
    options.policy = GP_TRY(PolicyByFlags());
    if (flags_.ephemeral) {
      journal_ = std::make_unique<MemoryJournal>();
    } else {
      options.begin_lineage = GP_TRY(OpenJournal()) == JournalState::kCut;
    }
    GP_CHECK_OK(OpenSecrets());
    GP_CHECK_OK(NoteStatePlace());
    if (!flags_.ephemeral) audit_ = GP_TRY(AuditFile::Open(flags_.state + "/audit"));
    options.audit = audit_.get();
    options.keep_journal = flags_.keep_journal;
    options.begin_thread = LetOthersFinish;
    auto loop = ControlLoop::Open(*journal_, clock_, options);
    if (!loop)
      return Fail(loop.error().Within(
          "recovery (serve --keep-sound-prefix continues with the undamaged records)"));
    loop_ = *std::move(loop);
    if (journal_file_ != nullptr) GP_CHECK_OK(journal_file_->AcceptLoss());
    GP_CHECK_OK(OpenAuthority());
    nodes_ = std::make_unique<NodeConnections>(*loop_);
    GP_CHECK_OK(StartNotifier());
    GP_CHECK_OK(StartTraces());
    api_ = std::make_unique<Api>(
        *loop_, *nodes_,
        ControlApi::About{
            GP_VERSION, [this](const std::string& names) { return MetricsNow(names); },
            audit_.get(), journal_.get(), journal_file_ != nullptr ? flags_.state : "",
            [this](const Policy& policy, v1::Settings* settings) {
              settings->set_started_at(ToRfc3339(started_at_));
              FillSettings(flags_.policy, policy, notifier_.get(), settings);
            },
            [this] { return ReadFilesAgain(); },
            [this] {
              return notifier_ == nullptr ? std::vector<std::string>() : notifier_->NamedByJobs();
            },
            secrets_.get()});
    rest_ = std::make_unique<RestApi>(*api_, GP_VERSION);
    GP_CHECK_OK(StartHttp());
    api_->changes.OnNews([this] { http_->Wake(); });
    const ServerOptions server_options = GP_TRY(OfServer());
    server_ = GP_TRY(Server::Start(*api_, *loop_, *nodes_, server_options));
    loop_->AddObserver(nodes_.get());
    loop_->AddObserver(&metrics_);
    if (flags_.log) {
      log_ = std::make_unique<EventLog>(STDERR_FILENO, *flags_.log, clock_);
      loop_->AddObserver(log_.get());
    }
    for (CommitObserver* observer : api_->Observers()) loop_->AddObserver(observer);
    loop_->Start();
    if (notifier_ != nullptr)
      GP_CHECK_OK(loop_->Read([this](const State& state) { notifier_->CatchUp(state); }));
    GP_CHECK_OK(DropOrphanedSecrets());
    return StartAgents();
  }

  void Stop() {
    if (simulated_) simulated_->Stop();
    if (agent_ != nullptr) {
      agent_->Stop();
      agent_thread_.join();
      agent_.reset();
    }
    if (loop_ != nullptr) loop_->Stop();
    if (http_ != nullptr) http_->Shutdown();
    if (rest_ != nullptr) rest_->EndStreams();
    if (server_ != nullptr) server_->Shutdown();
    log_.reset();   // writes what was logged
    rest_.reset();  // pending answers notify connections: before those go
    notifier_.reset();
    traces_.reset();
  }

  const Authority* authority() const { return authority_ ? &*authority_ : nullptr; }
  const LiveAgent* agent() const { return agent_.get(); }
  int tcp_port() const { return server_->tcp_port(); }
  int http_port() const { return http_->tcp_port(); }
  int simulated_nodes() const { return simulated_ ? simulated_->count() : 0; }
  Status StartOtherAgents() {
    const auto count_nodes = [this] {
      size_t nodes = 0;
      IgnoreResult(loop_->Read([&](const State& state) { nodes = state.nodes.size(); }),
                   "a controller that is down shows nothing");
      return nodes;
    };
    return simulated_ ? simulated_->StartOthers(count_nodes) : Ok();
  }

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  enum class JournalState { kWhole, kCut };

  Status NoteStatePlace() const {
    if (!flags_.ephemeral) return KeepStatePlace(flags_.run_directory, flags_.state);
    ForgetStatePlace(flags_.run_directory);
    return Ok();
  }

  Status OpenSecrets() {
    if (flags_.ephemeral) return Ok();
    secrets_ = GP_TRY(SecretFiles::Open(flags_.state + "/secrets"));
    for (const std::string& warning : secrets_->warnings()) warnings_.push_back(warning);
    return Ok();
  }

  // Secrets of a queue that was deleted right before a crash: a new queue of that name starts
  // without them.
  Status DropOrphanedSecrets() {
    if (secrets_ == nullptr) return Ok();
    std::vector<SecretFacts> orphans = secrets_->List();
    GP_CHECK_OK(loop_->Read([&](const State& state) {
      std::erase_if(orphans, [&](const SecretFacts& one) {
        return one.owner.queue.empty() || state.queues.contains(one.owner.queue);
      });
    }));
    for (const SecretFacts& one : orphans) GP_CHECK_OK(secrets_->Delete(one.owner, one.name));
    return Ok();
  }

  Result<Policy> PolicyByFlags() const {
    Policy policy = GP_TRY(PolicyWith(flags_.policy));
    policy.lease_time = GP_TRY(ParseDuration(flags_.lease_time));
    if (!flags_.min_run.empty()) policy.min_run = GP_TRY(ParseDuration(flags_.min_run));
    return policy;
  }

  // Finds all that can be wrong with them before anything changes.
  Result<Reloaded> ReadFilesAgain() const {
    // The file is not the one that was requested
    const auto of_caller = [](const Error& error) {
      return error.code == ErrorCode::kNotFound ? InvalidArgument(error.message) : error;
    };
    auto policy = PolicyByFlags();
    if (!policy) return Fail(of_caller(policy.error()));
    Reloaded now{*policy,
                 [policy = *policy](const Policy& before) { return PolicyChanges(before, policy); },
                 nullptr};
    if (notifier_ == nullptr) return now;
    auto config = ReadNotifyFile(flags_.notify);
    if (!config) return Fail(of_caller(config.error()));
    now.receivers = [this, config = *std::move(config)]() -> Result<std::vector<std::string>> {
      return notifier_->Reload(config);
    };
    return now;
  }

  // Connections that leave this machine are encrypted, without exception.
  bool IsEncrypted(const std::string& address) const {
    return !address.empty() && (flags_.tls || !StaysHere(address));
  }
  std::optional<Identity> IdentityAt(const std::string& address) const {
    return IsEncrypted(address) ? identity_ : std::nullopt;
  }

  Status OpenAuthority() {
    if (!IsEncrypted(flags_.listen) && !IsEncrypted(flags_.http)) return Ok();
    const std::string path = flags_.state + "/authority.pem";
    auto kept = ReadIdentity(path);
    if (!kept && kept.error().code == ErrorCode::kNotFound) {
      kept = GP_TRY(Authority::Make(clock_.Now()));
      GP_CHECK_OK(KeepIdentity(path, *kept));
    }
    if (!kept) return Fail(kept.error());
    auto authority = Authority::From(*kept);
    if (!authority) return Fail(authority.error().Within(path));
    authority_ = *std::move(authority);
    identity_ = GP_TRY(authority_->ForController(NamesOfThisHost(), clock_.Now()));
    return Ok();
  }

  std::vector<std::string> NamesOfThisHost() const {
    std::vector<std::string> names = flags_.tls_names;
    names.insert(names.end(), {"localhost", "127.0.0.1", "::1"});
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) == 0 && *name != '\0') names.push_back(name);
    for (const std::string& address : {flags_.listen, flags_.http}) {
      const std::string host = address.substr(0, address.rfind(':'));
      if (!host.empty() && host != "localhost")
        names.push_back(host.starts_with('[') ? host.substr(1, host.size() - 2) : host);
    }
    return names;
  }

  Result<std::string> MetricsNow(const std::string& names) {
    MetricsPicture picture;
    GP_CHECK_OK(
        loop_->Read([&](const State& state) { picture = metrics_.Look(state, loop_->Now()); }));
    const auto readings_of = [this](NodeId node) {
      auto latest = api_->readings.Of(node);
      if (!latest) return std::map<std::string, v1::GpuReadings>();
      for (auto& [uuid, readings] : latest->gpus) AgeReadings(loop_->Now() - latest->at, &readings);
      return std::move(latest->gpus);
    };
    return MetricsText(std::move(picture), readings_of, names);
  }

  Status StartNotifier() {
    if (flags_.notify.empty()) return Ok();
    const NotifyConfig config = GP_TRY(ReadNotifyFile(flags_.notify));
    for (const Receiver& receiver : config.receivers) {
      if (const std::string problem = ProblemOf(receiver); !problem.empty())
        warnings_.push_back("notify: " + receiver.name + ": " + problem);
    }
    const std::string& place = flags_.ephemeral ? flags_.run_directory : flags_.state;
    const auto ledger_now = [this] { return loop_->Now(); };
    notifier_ = GP_TRY(Notifier::Start(config, place + "/notify", say_, clock_, ledger_now));
    loop_->AddObserver(notifier_.get());
    return Ok();
  }

  Status StartTraces() {
    if (flags_.traces.empty()) return Ok();
    auto collector = ParseCollector(flags_.traces);
    if (!collector) return Fail(collector.error().Within("--traces"));
    traces_ = std::make_unique<TraceExporter>(TraceExporter::Options{
        .collector = *std::move(collector), .version = GP_VERSION, .say = say_});
    loop_->AddObserver(traces_.get());
    return Ok();
  }

  Status StartHttp() {
    ForgetHttpAddress(flags_.run_directory);
    http_ = GP_TRY(HttpServer::Start(
        {flags_.run_directory + "/http.sock", flags_.http, IdentityAt(flags_.http)},
        {[this](const HttpRequest& request) { return rest_->Answer(request); },
         [this](const HttpRequest& request) { return rest_->TakesLong(request); }}));
    if (flags_.http.empty()) return Ok();
    const std::string host = flags_.http.substr(0, flags_.http.rfind(':'));
    const bool is_any = host == "0.0.0.0" || host == "[::]";
    return KeepHttpAddress(flags_.run_directory,
                           (IsEncrypted(flags_.http) ? "https://" : "http://") +
                               (is_any ? "localhost" : host) + ":" + std::to_string(http_port()));
  }

  Result<ServerOptions> OfServer() const {
    ServerOptions options{flags_.run_directory,      flags_.listen, token_, authority(), {},
                          IdentityAt(flags_.listen), secrets_.get()};
    options.node_certificate_life = GP_TRY(ParseDuration(flags_.node_certificates));
    if (options.node_certificate_life < Duration::Seconds(10) ||
        options.node_certificate_life > Duration::Minutes(60 * 24 * 3'650))
      return Fail(InvalidArgument("--node-certificates: 10s to 3650d"));
    return options;
  }

  Result<JournalState> OpenJournal() {
    auto journal = GP_TRY(SqliteJournal::Open(flags_.state + "/journal.db"));
    const bool lost = !journal->loss().empty();
    if (lost) warnings_.push_back(journal->loss());
    if (flags_.keep_sound_prefix) {
      const uint64_t kept = GP_TRY(journal->KeepSoundPrefix());
      warnings_.push_back("journal: goes on after record " + std::to_string(kept));
    }
    journal_file_ = journal.get();
    journal_ = std::move(journal);
    return lost || flags_.keep_sound_prefix ? JournalState::kCut : JournalState::kWhole;
  }

  Status StartAgents() {
    if (flags_.no_agent) return Ok();
    if (!flags_.simulate.empty()) return StartSimulated();
    AgentConfig config = flags_.agent;
    config.controller = "unix:" + flags_.run_directory + "/control.sock";
    config.join_token = token_;
    config.state_directory = flags_.state + "/agent";
    auto agent = LiveAgent::Open(config);
    if (!agent) {
      return Fail(agent.error().Within(
          "no agent for this machine (--simulate dgx-h100 simulates one, --no-agent starts none)"));
    }
    agent_ = *std::move(agent);
    agent_thread_ = std::thread([this] { agent_->Run(); });
    return Ok();
  }

  Status StartSimulated() {
    SimulatedAgents::Options options{flags_.agent, flags_.state, flags_.run_directory,
                                     flags_.log == LogFormat::kJson};
    options.agent.simulate = flags_.simulate;
    simulated_ = GP_TRY(SimulatedAgents::Start(std::move(options)));
    return Ok();
  }

  const ServeFlags flags_;
  const NotifySay say_;
  SystemClock clock_;
  const Instant started_at_ = clock_.Now();
  std::string token_;
  std::unique_ptr<Journal> journal_;
  SqliteJournal* journal_file_ = nullptr;  // the same, where it is a file
  std::unique_ptr<AuditFile> audit_;
  std::unique_ptr<SecretFiles> secrets_;
  std::optional<Authority> authority_;
  std::optional<Identity> identity_;  // of the controller
  ControllerMetrics metrics_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<Notifier> notifier_;
  std::unique_ptr<TraceExporter> traces_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<NodeConnections> nodes_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<RestApi> rest_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<LiveAgent> agent_;
  std::thread agent_thread_;
  std::optional<SimulatedAgents> simulated_;
  std::vector<std::string> warnings_;
};

// Messages of the controller itself, in the format of its log.
void Tell(const ServeFlags& flags, const Cli& cli, const std::string& text,
          LogLevel level = LogLevel::kInfo) {
  if (cli.quiet && level != LogLevel::kError) return;
  if (flags.log != LogFormat::kJson && level != LogLevel::kError)
    return cli.Say((level == LogLevel::kWarning ? "warning: " : "") + text);
  if (flags.log != LogFormat::kJson) return void(std::fprintf(stderr, "error: %s\n", text.c_str()));
  std::fputs(
      ToText(EventLine{level, "said", {{"message", text}}}, SystemClock().Now(), LogFormat::kJson)
          .c_str(),
      stderr);
}

void RunServe(ServeFlags flags, Cli& cli) {
  SetDaemonLimits();
  const StopSignals signals;
  if (flags.state.empty()) flags.state = DefaultStateDirectory();
  if (flags.run_directory.empty()) flags.run_directory = DefaultRunDirectory();
  flags.state = AbsolutePath(flags.state);
  flags.run_directory = AbsolutePath(flags.run_directory);
  for (std::string* file : {&flags.policy, &flags.notify}) {
    if (!file->empty()) *file = AbsolutePath(*file);
  }
  Serving serving(flags, [&flags, &cli](LogLevel level, const std::string& text) {
    Tell(flags, cli, text, level);
  });
  if (const Status started = serving.Start(); !started) return cli.Complain(started.error());
  if (IsBelowTmp(flags.state)) Tell(flags, cli, TmpWarning(flags.state), LogLevel::kWarning);
  for (const std::string& warning : serving.warnings())
    Tell(flags, cli, warning, LogLevel::kWarning);
  if (serving.agent() != nullptr) {
    for (const std::string& warning : serving.agent()->warnings())
      Tell(flags, cli, warning, LogLevel::kWarning);
  }
  if (serving.simulated_nodes() > 0) {
    Tell(flags, cli,
         Count(serving.simulated_nodes(), "simulated node") + ", " + flags.simulate +
             ": placement, isolation and processes are real, the GPUs are not");
  }
  Tell(
      flags, cli,
      "controller runs; sockets in " + flags.run_directory +
          (serving.tcp_port() > 0 ? ", agents at port " + std::to_string(serving.tcp_port()) : "") +
          (serving.http_port() > 0 ? ", HTTP at port " + std::to_string(serving.http_port()) : ""));
  if (serving.authority() != nullptr)
    Tell(flags, cli,
         "encrypted; the authority is " + std::string(kFingerprintPrefix) +
             serving.authority()->fingerprint());
  if (const Status others = serving.StartOtherAgents(); !others)
    Tell(flags, cli, others.error().message, LogLevel::kWarning);
  signals.Wait();
  Tell(flags, cli, "stopping; jobs keep running");
  serving.Stop();
  ExitNow(cli.exit_code);
}

}  // namespace

void AddServe(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("serve", "Run the controller, and the agent of this machine");
  auto flags = std::make_shared<ServeFlags>();
  sub->add_option("--state", flags->state, "State directory: journal, logs and secrets")
      ->type_name("DIRECTORY");
  sub->add_option("--run-dir", flags->run_directory, "Directory of the sockets")
      ->type_name("DIRECTORY");
  sub->add_option("--listen", flags->listen,
                  "Also accept agents and clients of other machines here, such as 127.0.0.1:7070")
      ->type_name("ADDRESS");
  sub->add_option("--http", flags->http,
                  "Also serve HTTP here (dashboard, REST, metrics), such as 127.0.0.1:8080")
      ->type_name("ADDRESS");
  sub->add_flag("--tls", flags->tls,
                "Encrypt on loopback too; traffic to other machines is always encrypted");
  sub->add_option("--tls-name", flags->tls_names,
                  "More host names of this machine, for its certificate")
      ->type_name("HOST");
  sub->add_option("--node-certificates", flags->node_certificates,
                  "Lifetime of node certificates; agents renew them before")
      ->type_name("DURATION")
      ->capture_default_str();
  sub->add_option("--simulate", flags->simulate,
                  "Simulate nodes with GPUs: NAME or NAME:NODES, such as dgx-h100:2")
      ->type_name("MACHINE");
  sub->add_flag("--no-agent", flags->no_agent, "Run only the controller; start agents separately");
  sub->add_flag("--ephemeral", flags->ephemeral,
                "Keep nothing on disk: all state is lost at the end");
  sub->add_flag(
      "--keep-sound-prefix", flags->keep_sound_prefix,
      "After damage: give up the journal from the first damaged record on (a copy is kept)");
  sub->add_option_function<std::string>(
         "--log",
         [flags](const std::string& format) {
           flags->log = format == "json" ? LogFormat::kJson : LogFormat::kText;
         },
         "Log events of jobs, nodes and GPUs to standard error, a line each "
         "(docs/reference/event_log.md)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  sub->add_option("--notify", flags->notify,
                  "File with notification receivers: webhooks, programs, mail "
                  "(docs/how-to/notifications.md)")
      ->type_name("FILE");
  sub->add_option("--traces", flags->traces,
                  "Send a trace of each job to this OpenTelemetry collector, such as "
                  "http://127.0.0.1:4318 (docs/reference/traces.md)")
      ->type_name("URL");
  sub->add_option(
         "--policy", flags->policy,
         "Policy file: scheduling, placement, prices, fault rules (docs/reference/policies.md)")
      ->type_name("FILE");
  sub->add_option(
         "--min-run", flags->min_run,
         "Minimum run time of a job before it can be preempted; default: the policy's, 10m")
      ->type_name("DURATION");
  sub->add_option("--lease-time", flags->lease_time,
                  "Heartbeat timeout: a node without a heartbeat for this time is lost")
      ->type_name("DURATION");
  sub->add_option("--name", flags->agent.name, "Name of this machine's node");
  sub->add_option("--nvml", flags->agent.nvml, "NVML library to load")->type_name("FILE");
  sub->add_option("--service-user", flags->agent.service_user,
                  "User that runs the jobs that root submits");
  sub->add_flag("--allow-root", flags->agent.allow_root, "Let root's jobs run as root");
  sub->add_option("--prolog", flags->agent.prolog, "Program run as root before each job")
      ->type_name("FILE");
  sub->add_option("--epilog", flags->agent.epilog, "Program run as root after each job")
      ->type_name("FILE");
  AddKeepLogs(*sub, flags->agent);
  AddSpan(*sub, "--keep-journal", flags->keep_journal,
          "Drop records of the journal this long after they were written; a snapshot replaces "
          "them; 0s: never",
          "0s");
  AddMig(*sub, flags->agent);
  sub->add_option(
         "--mps-control", flags->agent.mps_control,
         "NVIDIA's control program of MPS, or none; default: nvidia-cuda-mps-control in PATH")
      ->type_name("FILE");
  sub->callback([flags, &cli] { RunServe(*flags, cli); });
}

}  // namespace gp
