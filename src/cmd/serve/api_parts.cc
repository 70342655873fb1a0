#include "cmd/serve/api_parts.h"

#include "adapters/inbound/rest/stale_reads.h"
#include "cmd/connection/http_address.h"
#include "cmd/serve/reload.h"
#include "cmd/serve/settings_view.h"

namespace gp {

Status ApiPart::Start() {
  api_ = std::make_unique<Api>(uses_.recovery.loop(), uses_.nodes.nodes(), AboutThisController(),
                               &uses_.lead.changes());
  for (CommitObserver* observer : api_->Observers()) uses_.recovery.loop().AddObserver(observer);
  uses_.recovery.loop().AddObserver(&uses_.records.metrics());
  return Ok();
}

ControlApi::About ApiPart::AboutThisController() {
  ControlApi::About about;
  about.version = GP_VERSION;
  about.metrics = [this](const std::string& names) { return MetricsNow(names); };
  about.audit = uses_.records.audit();
  about.journal = &uses_.journal.journal();
  if (uses_.journal.is_file()) about.state_directory = config_.state_directory;
  about.settings = [this](const Policy& policy, v1::Settings* settings) {
    settings->set_started_at(ToRfc3339(started_at_));
    FillSettings(in_force_.Now(), policy, uses_.notifier.notifier(), settings);
  };
  about.reload = [this] {
    return ReadSettingsAgain(config_, uses_.notifier.notifier(), in_force_);
  };
  about.receivers = [this] {
    const Notifier* notifier = uses_.notifier.notifier();
    return notifier == nullptr ? std::vector<std::string>() : notifier->NamedByJobs();
  };
  about.secrets = uses_.lead.secrets();
  about.job_metrics = &uses_.records.metrics();
  about.name = uses_.lead.name();
  about.controllers = uses_.lead.controllers();
  about.step_down = uses_.step_down;
  if (uses_.archive.archiver() != nullptr)
    about.archive = [this](v1::Archive* archive) { uses_.archive.Fill(archive); };
  return about;
}

Result<std::string> ApiPart::MetricsNow(const std::string& names) {
  ControlLoop& loop = uses_.recovery.loop();
  MetricsPicture picture;
  std::vector<MetricFamily> load = LoadGauges(loop.Load());
  GP_CHECK_OK(loop.Read(
      [&](const State& state) { picture = uses_.telemetry.metrics().Look(state, loop.Now()); }));
  std::ranges::move(load, std::back_inserter(picture.families));
  std::ranges::move(StandbyMetrics(), std::back_inserter(picture.families));
  std::ranges::move(uses_.archive.Metrics(), std::back_inserter(picture.families));
  const auto readings_of = [this, &loop](NodeId node) {
    auto latest = api_->readings.Of(node);
    if (!latest) return std::map<std::string, v1::GpuReadings>();
    for (auto& [uuid, readings] : latest->gpus) AgeReadings(loop.Now() - latest->at, &readings);
    return std::move(latest->gpus);
  };
  return MetricsText(std::move(picture), readings_of, names);
}

// While the store does not answer, none of standbys: the other metrics matter then.
std::vector<MetricFamily> ApiPart::StandbyMetrics() const {
  Controllers* controllers = uses_.lead.controllers();
  if (controllers == nullptr) return {};
  std::vector<MetricFamily> all = StoreGauges(controllers->StoreSeen());
  const auto seen = controllers->Look();
  if (!seen) return all;
  StandbyCounts counts{.term = seen->term, .standbys = {}};
  for (const ControllerStatus& one : seen->all)
    if (one.IsStandby()) counts.standbys[one.member.name] = one.behind;
  std::ranges::move(StandbyGauges(counts), std::back_inserter(all));
  return all;
}

Status GrpcPart::Start() {
  ServerOptions options;
  options.socket_directory = config_.run_directory;
  options.has_tcp = !config_.listen.grpc.empty();
  options.joins = {directories_.join_token(), config_.listen.single_use_joins};
  options.authority = certificates_.authority();
  options.node_certificate_life = config_.listen.node_certificates;
  options.identity = certificates_.IdentityAt(config_.listen.grpc);
  server_ = GP_TRY(Server::Start(api_.api(), uses_.recovery.loop(), options));
  return Ok();
}

Status LinkServerPart::Start() {
  LinkServerOptions options;
  options.socket = config_.run_directory + "/control.sock";
  options.listen = config_.listen.grpc;
  options.join_token = directories_.join_token();
  options.identity = certificates_.IdentityAt(config_.listen.grpc);
  if (options.identity) {
    options.authority = certificates_.authority()->certificate();
    options.ticket_key = certificates_.authority()->SecretFor("tickets of agents' connections");
  }
  options.secrets = uses_.lead.secrets();
  options.metrics = &uses_.records.metrics();
  const auto pass_on = [this](Descriptor connection, bool is_local) {
    grpc_.server().Serve(std::move(connection), is_local);
  };
  server_ = GP_TRY(
      LinkServer::Start(api_.api(), uses_.recovery.loop(), uses_.nodes.nodes(), options, pass_on));
  return Ok();
}

Status HttpPart::Start() {
  ForgetHttpAddress(config_.run_directory);
  const std::string& address = config_.listen.http;
  rest_ = std::make_unique<RestApi>(api_.api(), GP_VERSION);
  http_ = GP_TRY(HttpServer::Start(
      {config_.run_directory + "/http.sock", address, certificates_.IdentityAt(address)},
      {[this](const HttpRequest& request) { return Answer(request); },
       [this](const HttpRequest& request) { return rest_->TakesLong(request); }}));
  api_.api().changes.OnNews([this] { http_->Wake(); });
  if (!address.empty()) GP_CHECK_OK(NoteAddress());
  reads_.Lead(*rest_);
  return Ok();
}

// The leader's state is never old.
HttpReply HttpPart::Answer(const HttpRequest& request) {
  const auto answer = [this](const HttpRequest& plain) { return rest_->Answer(plain); };
  const bool is_stale = AsksForStale(request) && IsAnsweredFromLog(rest_->OperationOf(request));
  return is_stale ? AnswerStale(request, Duration(), answer) : answer(request);
}

// For commands on this machine that open the dashboard.
Status HttpPart::NoteAddress() const {
  const std::string& address = config_.listen.http;
  const std::string host = address.substr(0, address.rfind(':'));
  const bool is_any = host == "0.0.0.0" || host == "[::]";
  return KeepHttpAddress(config_.run_directory,
                         (config_.listen.IsEncrypted(address) ? "https://" : "http://") +
                             (is_any ? "localhost" : host) + ":" + std::to_string(tcp_port()));
}

void HttpPart::Stop() {
  http_->Shutdown();
  reads_.EndLead();
  rest_->EndStreams();
  rest_.reset();  // pending answers notify connections, which end later
}

}  // namespace gp
