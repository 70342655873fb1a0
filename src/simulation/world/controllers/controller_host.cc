#include "simulation/world/controllers/controller_host.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/ignore_result.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {
namespace {

constexpr Duration kTurnTime = Duration::Nanoseconds(50'000);
constexpr Duration kLeadLease = Duration::Seconds(2);
constexpr uint64_t kProcessesMax = 1'000'000;  // of one host

}  // namespace

void ControllerHost::FirstTold::OnCommit(const State& state, const CommittedRecords& committed) {
  host_.witnessed_ = host_.journal_.LastSequence();
  if (!host_.client_) host_.witness_.OnCommit(state, committed);
  if (std::exchange(host_.dies_before_desired_state_, false)) throw ControllerCrash();
}

void ControllerHost::RefusedPlans::Write(LogLevel, const std::string& text) {
  if (text.starts_with("plan refused")) host_.findings_.Break(host_.timeline_.now(), text);
}

ControllerHost::ControllerHost(int number, VirtualQuorumStore* store, ControlOptions options,
                               Timeline& timeline, Network& network, LedgerWatch& witness,
                               Findings& findings, Rng& rng)
    : number_(number),
      options_(std::move(options)),
      timeline_(timeline),
      network_(network),
      witness_(witness),
      findings_(findings),
      rng_(rng),
      clock_(timeline, 100 * (2 - number), number - 1),
      process_(static_cast<uint64_t>(number - 1) * kProcessesMax) {
  options_.log = &refused_plans_;
  if (store != nullptr) client_.emplace(*store, timeline, rng);
}

ControllerHost::~ControllerHost() {
  nodes_.reset();
  loop_.reset();
  shared_.reset();
}

void ControllerHost::PowerOn() {
  if (is_up()) return;
  ++process_;
  if (client_) return OpenShared();
  if (Do([this] { Open(); }) && is_up()) TurnAt(timeline_.now());
}

void ControllerHost::Open() {
  if (const Status witnessed = WitnessUnreported(); !witnessed)
    return findings_.Break(timeline_.now(),
                           "the journal cannot be read: " + witnessed.error().message);
  auto loop = ControlLoop::Open(journal_, clock_, options_);
  if (!loop && journal_.has_failed()) throw ControllerCrash();
  if (!loop)
    return findings_.Break(timeline_.now(),
                           "the controller does not recover: " + loop.error().message);
  loop_ = *std::move(loop);
  Observe();
}

void ControllerHost::Observe() {
  witnessed_ = journal_.LastSequence();
  nodes_ = std::make_unique<NodeConnections>(*loop_);
  loop_->AddObserver(&first_told_);
  loop_->AddObserver(nodes_.get());
}

void ControllerHost::OpenShared() {
  if (older_runs_ && (*older_runs_)-- <= 0) options_.formats = kWorldFormats;
  const SharedController::Place place{timeline_,
                                      rng_,
                                      [this](std::function<void()> work) { RunAwake(work); },
                                      [] { throw ControllerCrash(); },
                                      options_.records_per_snapshot,
                                      Trims(),
                                      options_.formats};
  shared_ = std::make_unique<SharedController>(*client_, journal_, clock_, machine(),
                                               "controller-" + std::to_string(process_), kLeadLease,
                                               place);
  options_.leadership = shared_.get();
  options_.format_of_all = [this] { return shared_->FormatOfAll(); };
  const Status recovered = shared_->Recover();
  if (!recovered && recovered.error().code == ErrorCode::kUnsupported) {
    Do([this] { UpgradeUnfit(); });
    return;
  }
  if (!recovered)
    return findings_.Break(timeline_.now(),
                           "a standby does not recover its journal: " + recovered.error().message);
  FollowAt(timeline_.now());
}

void ControllerHost::RunAwake(std::function<void()> work) {
  if (timeline_.now() >= asleep_until_) {
    if (Do(work)) network_.Tell();
    return;
  }
  timeline_.At(asleep_until_, [this, work = std::move(work), process = process_] {
    if (is_up() && process == process_) RunAwake(work);
  });
}

void ControllerHost::FollowAt(Instant at) {
  timeline_.At(at, [this, process = process_] {
    if (is_up() && process == process_) RunAwake([this] { Follow(); });
  });
}

void ControllerHost::Follow() {
  const auto role = shared_->Turn();
  if (!role && journal_.has_failed()) throw ControllerCrash();
  if (!role && role.error().code == ErrorCode::kConflict)
    return refused_(*this, role.error().message);
  if (!role && role.error().code != ErrorCode::kUnavailable)
    return findings_.Break(timeline_.now(), "a standby cannot follow: " + role.error().message);
  if (role && *role == Standby::Role::kLeads) return Lead();
  if (role && *role == Standby::Role::kIsUnfit) return UpgradeUnfit();
  const int wait_ms = !role ? 300 : *role == Standby::Role::kIsLate ? 5 : 200;
  FollowAt(timeline_.now() + Duration::Milliseconds(rng_.Between(1, wait_ms)));
}

// The others have raised the format before it told which ones it reads.
void ControllerHost::UpgradeUnfit() {
  if (!older_runs_ || *older_runs_ < 0)
    return findings_.Break(timeline_.now(), "a standby of the newest release is unfit");
  older_runs_ = 0;
  SetRepair(Duration::Seconds(rng_.Between(1, 10)));
  throw ControllerCrash();
}

void ControllerHost::Lead() {
  Journal& journal = shared_->BeginLead();
  auto loop = ControlLoop::Open(journal, clock_, options_, shared_->TakeState());
  // Its term is over already, or the store does not answer.
  if (!loop) throw ControllerCrash();
  loop_ = *std::move(loop);
  Observe();
  KeepLead();
  CareForLog();
  TurnAt(timeline_.now());
}

TrimLimits ControllerHost::Trims() {
  return {.keep_records = 20, .live_for = Duration::Seconds(20)};
}

// A failure is tried again.
void ControllerHost::CareForLog() {
  const Result<bool> more = shared_->Care();
  const Duration wait = more && *more ? Duration::Milliseconds(5) : Duration::Seconds(2);
  timeline_.After(wait, [this, process = process_] {
    if (is_up() && process == process_) RunAwake([this] { CareForLog(); });
  });
}

void ControllerHost::KeepLead() {
  const auto keeps = shared_->key().Keep();
  if (keeps && !*keeps) throw ControllerCrash();
  timeline_.After(Duration{shared_->key().lease_time().ns / 4}, [this, process = process_] {
    if (is_up() && process == process_) RunAwake([this] { KeepLead(); });
  });
}

void ControllerHost::StepDown() {
  if (loop_ == nullptr || timeline_.now() < asleep_until_) return;
  shared_->key().Resign();
  Kill();
}

Status ControllerHost::WitnessUnreported() {
  if (journal_.LastSequence() == witnessed_) return Ok();
  State state;
  return journal_.ReadAfter(0, [&](uint64_t sequence, std::string_view bytes) -> Status {
    const Record record = GP_TRY(DecodeRecord(bytes));
    for (const Event& event : record.events) Apply(state, record.envelope.at, event);
    if (sequence > witnessed_) witness_.OnLateCommit(state, {.events = record.events}, died_at_);
    witnessed_ = std::max(witnessed_, sequence);
    return Ok();
  });
}

void ControllerHost::Kill() {
  ++crashes_;
  died_at_ = timeline_.now();
  turn_at_ = {};
  network_.ProcessDied(this);
  nodes_.reset();
  loop_.reset();
  shared_.reset();
  timeline_.After(repair_ + Duration::Milliseconds(rng_.Between(10, 500)), [this] { PowerOn(); });
  repair_ = {};
}

void ControllerHost::CrashAt(CrashPoint point) {
  if (point == CrashPoint::kNone) {
    if (is_up()) Kill();
  } else if (point == CrashPoint::kBeforeDesiredState) {
    dies_before_desired_state_ = true;
  } else {
    journal_.CrashAt(point);
  }
}

bool ControllerHost::Do(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const ControllerCrash&) {
    Kill();
  }
  return false;
}

void ControllerHost::TurnAt(Instant at) {
  at = std::max(at, asleep_until_);
  if (turn_at_.ns != 0 && turn_at_ <= at) return;
  turn_at_ = at;
  timeline_.At(at, [this, at] {
    if (turn_at_ == at && loop_ != nullptr) Turn();
  });
}

void ControllerHost::Turn() {
  turn_at_ = {};
  if (timeline_.now() < asleep_until_) return TurnAt(asleep_until_);
  std::optional<Duration> patience;
  if (!Do([&] { patience = loop_->Turn(); })) return;
  TurnAt(timeline_.now() + std::max(*patience, kTurnTime));
  network_.Tell();
}

std::optional<Outcome> ControllerHost::Execute(const std::string& principal,
                                               const ClientRequest& request, Command command) {
  if (loop_ == nullptr || timeline_.now() < asleep_until_) return std::nullopt;
  std::optional<Outcome> outcome;
  if (!Do([&] { outcome = loop_->Execute(principal, request, std::move(command)); }))
    return std::nullopt;
  TurnAt(timeline_.now());
  network_.Tell();
  // It could not prove its lead.
  if (client_ && !outcome->status && outcome->status.error().code == ErrorCode::kUnavailable)
    return std::nullopt;
  return outcome;
}

bool ControllerHost::Read(const std::function<void(const State&)>& read) {
  if (loop_ == nullptr || timeline_.now() < asleep_until_) return false;
  bool is_read = false;
  if (!Do([&] { is_read = loop_->Read(read).has_value(); })) return false;
  TurnAt(timeline_.now());
  return is_read;
}

// Messages that arrive while it is suspended are handled in order when it continues, even if the
// suspension is extended.
void ControllerHost::Receive(const ConnectionRef& connection, AgentMessage message) {
  unheard_.push_back({connection, std::move(message)});
  if (unheard_.size() == 1) HearAll();
}

void ControllerHost::HearAll() {
  if (timeline_.now() < asleep_until_) return timeline_.At(asleep_until_, [this] { HearAll(); });
  while (!unheard_.empty()) {
    const auto [connection, message] = std::move(unheard_.front());
    unheard_.pop_front();
    if (connection->controller_open && connection->controller == process())
      Hear(connection, message);
  }
  if (loop_ != nullptr) loop_->Listened();
}

void ControllerHost::Hear(const ConnectionRef& connection, AgentMessage message) {
  if (loop_ == nullptr) return network_.Refuse(connection, "this controller is a standby");
  if (std::holds_alternative<Probe>(message.what))
    return network_.AnswerProbe(connection, loop_->Epoch());
  if (auto* join = std::get_if<JoinNode>(&message.what))
    return Join(connection, message.number, std::move(*join));
  if (connection->exchange == nullptr) return;
  // Not the writer's: it is answered at once.
  if (std::holds_alternative<Heartbeat>(message.what)) {
    connection->exchange->HearHeartbeat(message.number);
    return network_.Tell();
  }
  Status heard = Ok();
  const bool lives = Do([&] {
    if (auto* report = std::get_if<AgentReport>(&message.what))
      heard = connection->exchange->Hear(message.number, std::move(*report));
    if (auto* news = std::get_if<GpuNews>(&message.what))
      heard = connection->exchange->Hear(message.number, std::move(*news));
  });
  if (lives)
    TurnAt(timeline_.now() + Duration::Nanoseconds(static_cast<int64_t>(rng_.Below(300'000))));
}

void ControllerHost::Join(const ConnectionRef& connection, uint64_t number, JoinNode join) {
  // With other controllers a refusal waits for a proof, and comes later.
  const auto joined = std::make_shared<std::optional<Result<Joined>>>();
  const auto is_later = std::make_shared<bool>(false);
  const auto answer = [this, connection, joined, is_later](Result<Joined> with) {
    *joined = std::move(with);
    if (*is_later) TakeJoined(connection, **joined);
  };
  const bool lives = Do([&] {
    if (const Status queued = nodes_->Join(number, std::move(join), answer); !queued)
      answer(Fail(queued.error()));
    for (int turns = 0; !*joined && turns < (client_ ? 2 : INT_MAX); ++turns)
      IgnoreResult(loop_->Turn(), "the join's answer ends the wait");
  });
  if (!lives) return;
  TurnAt(timeline_.now());
  *is_later = true;
  if (*joined) TakeJoined(connection, **joined);
}

void ControllerHost::TakeJoined(const ConnectionRef& connection, const Result<Joined>& joined) {
  if (!joined) return network_.Refuse(connection, joined.error().message);
  const Joined& as = *joined;
  if (as.foreign_to != 0)
    return network_.Refuse(connection, "it keeps attempts of another journal", as.foreign_to);
  connection->exchange = as.exchange;
  network_.Tell();
}

void ControllerHost::Ended(const ConnectionRef& connection) {
  if (connection->exchange != nullptr) connection->exchange->End();
  connection->exchange.reset();
}

}  // namespace gp
