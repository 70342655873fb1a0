#include "cmd/sharing/reads_part.h"

#include <mutex>
#include <string_view>
#include <utility>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/stale_reads.h"
#include "application/replication/replica_gateway.h"
#include "base/text.h"

namespace gp {
namespace {

HttpReply NobodyAnswers() {
  return ProblemOf(Unavailable("this controller starts, or begins to lead: ask again, or another"));
}

// The same whoever leads.
bool IsOffered(const RestApi& rest, const HttpRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  return path == "/livez" || path == "/readyz" || IsAnsweredFromLog(rest.OperationOf(request));
}

HttpReply IsElsewhere(const HttpRequest& request) {
  return ProblemOf(NotFound(
      Printable(request.target, 200) +
      " is not here: this address only answers what follows from the log (docs/controllers.md, "
      "\"Reads of standbys\"); the other addresses of each controller lead to the leader"));
}

ControlApi::About AboutStandby(const std::string& name, Controllers& controllers) {
  ControlApi::About about;
  about.version = GP_VERSION;
  about.name = name;
  about.controllers = &controllers;
  return about;
}

}  // namespace

// The users' operations, on a standby's state.
struct ReadsPart::Following {
  Following(Replica& of, Clock& clock, Controllers& controllers, const std::string& name)
      : replica(of),
        gateway(of, clock),
        api(gateway, gateway, AboutStandby(name, controllers)),
        rest(api, GP_VERSION) {
    for (CommitObserver* observer : api.Observers()) replica.AddObserver(observer);
  }

  Replica& replica;
  ReplicaGateway gateway;
  Api api;
  RestApi rest;
};

ReadsPart::ReadsPart(const ControllerConfig& config, OperatorLog& log, Clock& clock,
                     CertificatesPart& certificates)
    : config_(config), log_(log), clock_(clock), certificates_(certificates) {}

ReadsPart::~ReadsPart() = default;

Status ReadsPart::Start() {
  const std::string& address = config_.listen.reads;
  if (address.empty()) return Ok();
  door_ = GP_TRY(HttpServer::Start(
      {.socket = "", .listen = address, .identity = certificates_.IdentityAt(address)},
      {[this](const HttpRequest& request) { return Answer(request); },
       [this](const HttpRequest& request) { return TakesLong(request); }}));
  log_.Write(LogLevel::kInfo, "answers reads at port " + std::to_string(door_->tcp_port()));
  return Ok();
}

void ReadsPart::Stop() {
  if (door_) door_->Shutdown();
  AnswerBy(nullptr, nullptr);
}

void ReadsPart::Follow(Replica& replica, Controllers& controllers, const std::string& name) {
  if (door_) AnswerBy(nullptr, std::make_unique<Following>(replica, clock_, controllers, name));
}

void ReadsPart::EndFollowing() { AnswerBy(nullptr, nullptr); }

void ReadsPart::Lead(RestApi& rest) { AnswerBy(&rest, nullptr); }

void ReadsPart::EndLead() { AnswerBy(nullptr, nullptr); }

void ReadsPart::AnswerBy(RestApi* leader, std::unique_ptr<Following> standby) {
  is_changing_ = true;
  {
    const std::unique_lock lock(answering_);
    leader_ = leader;
    standby_ = std::move(standby);
  }
  is_changing_ = false;
}

HttpReply ReadsPart::Answer(const HttpRequest& request) {
  if (is_changing_) return NobodyAnswers();
  const std::shared_lock lock(answering_);
  if (leader_ == nullptr && standby_ == nullptr) return NobodyAnswers();
  RestApi& rest = leader_ != nullptr ? *leader_ : standby_->rest;
  if (request.method == "GET" && !IsOffered(rest, request)) return IsElsewhere(request);
  const std::optional<Duration> age = leader_ != nullptr ? Duration() : standby_->replica.Age();
  return AnswerStale(request, age, [&rest](const HttpRequest& read) { return rest.Answer(read); });
}

bool ReadsPart::TakesLong(const HttpRequest& request) {
  if (is_changing_) return false;
  const std::shared_lock lock(answering_);
  if (leader_ != nullptr) return leader_->TakesLong(request);
  return standby_ != nullptr && standby_->rest.TakesLong(request);
}

}  // namespace gp
