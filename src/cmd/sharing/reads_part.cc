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
  return path == "/readyz" || IsAnsweredFromLog(rest.OperationOf(request));
}

HttpReply IsElsewhere(const HttpRequest& request) {
  return ProblemOf(NotFound(
      Printable(request.target, 200) +
      " is not here: this address only answers what follows from the log (docs/controllers.md, "
      "\"Reads of standbys\"); the other addresses of each controller lead to the leader"));
}

ControlApi::About AboutStandby(const std::string& name) {
  ControlApi::About about;
  about.version = GP_VERSION;
  about.name = name;
  return about;
}

}  // namespace

// The users' operations, on a standby's state.
struct ReadsPart::Following {
  Following(Replica& of, Clock& clock, const std::string& name)
      : replica(of),
        gateway(of, clock),
        api(gateway, gateway, AboutStandby(name)),
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

// After it, no request is under way.
void ReadsPart::Stop() {
  if (door_) door_->Shutdown();
  Become(nullptr, nullptr);
}

void ReadsPart::Follow(Replica& replica, const std::string& name) {
  if (door_) Become(nullptr, std::make_shared<Following>(replica, clock_, name));
}

void ReadsPart::EndFollowing() { Become(nullptr, nullptr); }

void ReadsPart::Lead(RestApi& rest) { Become(&rest, nullptr); }

void ReadsPart::EndLead() { Become(nullptr, nullptr); }

void ReadsPart::Become(RestApi* leader, std::shared_ptr<Following> standby) {
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
  std::shared_lock lock(answering_);
  if (leader_ != nullptr) return AnswerBy(*leader_, Duration(), request);
  const std::shared_ptr<Following> standby = standby_;
  lock.unlock();
  if (standby == nullptr) return NobodyAnswers();
  return AnswerBy(standby->rest, standby->replica.Age(), request);
}

// Whether the process lives does not depend on its state.
HttpReply ReadsPart::AnswerBy(RestApi& rest, std::optional<Duration> age,
                              const HttpRequest& request) {
  if (request.method == "GET" && request.target == "/livez") return rest.Answer(request);
  if (request.method == "GET" && !IsOffered(rest, request)) return IsElsewhere(request);
  return AnswerStale(request, age, [&rest](const HttpRequest& read) { return rest.Answer(read); });
}

bool ReadsPart::TakesLong(const HttpRequest& request) {
  if (is_changing_) return false;
  const std::shared_lock lock(answering_);
  if (leader_ != nullptr) return leader_->TakesLong(request);
  return standby_ != nullptr && standby_->rest.TakesLong(request);
}

}  // namespace gp
