#include "application/control/recover.h"

#include "base/assert.h"
#include "base/ignore_result.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/codec/codec.h"
#include "domain/cluster/decide/decide.h"
#include "domain/scheduling/planner.h"

namespace gp {
namespace {

class Verifier {
 public:
  Verifier(State state, bool verify, const FormatRange& formats, ReplayReport& report)
      : state_(std::move(state)), verify_(verify), formats_(formats), report_(report) {}

  Status Visit(uint64_t sequence, std::string_view bytes) {
    auto decoded = DecodeRecord(bytes, formats_);
    if (!decoded) return Fail(decoded.error().Within("record " + std::to_string(sequence)));
    if (verify_) Compare(sequence, *decoded);
    for (const Event& event : decoded->events) Apply(state_, decoded->envelope.at, event);
    ++report_.records;
    report_.events += decoded->events.size();
    return Ok();
  }
  const State& state() const { return state_; }

 private:
  void Compare(uint64_t sequence, const Record& record) {
    ComparePlan(sequence, record.envelope);
    const auto again = Decide(state_, record.envelope);
    if (!again) {
      Differ(sequence, "refused now: " + again.error().message);
    } else if (EncodeEvents(*again) != EncodeEvents(record.events)) {
      Differ(sequence, "decides different events now");
    }
  }

  // The whole pass was planned on the state before its first command.
  void ComparePlan(uint64_t sequence, const Envelope& envelope) {
    const auto* placement = std::get_if<PlaceGang>(&envelope.command);
    const auto* preemption = std::get_if<PreemptJob>(&envelope.command);
    if (placement == nullptr && preemption == nullptr) return;
    const uint64_t pass = placement != nullptr ? placement->pass : preemption->pass;
    if (pass != pass_) {
      if (done_ != plan_.steps.size()) Differ(sequence, "the pass before it did less than planned");
      plan_ = planner_.Schedule(state_, envelope.at);
      pass_ = pass;
      done_ = 0;
      ++report_.plans;
    }
    const Plan::Step step = placement != nullptr ? Plan::Step(*placement) : Plan::Step(*preemption);
    if (done_ >= plan_.steps.size() || plan_.steps[done_] != step)
      Differ(sequence, "the scheduler plans differently now");
    ++done_;
  }

  void Differ(uint64_t sequence, const std::string& how) {
    if (report_.differences.size() < kDifferencesMax) {
      report_.differences.push_back("record " + std::to_string(sequence) + ": " + how);
    }
  }

  State state_;
  bool verify_;
  const FormatRange formats_;
  ReplayReport& report_;
  Planner planner_;
  Plan plan_;
  uint64_t pass_ = 0;
  size_t done_ = 0;  // steps of the plan, so far
};

Result<State> StateOf(const Snapshot& snapshot, const FormatRange& formats = {}) {
  if (snapshot.sequence == 0) return State{};
  return DecodeState(snapshot.bytes, formats);
}

}  // namespace

Instant TimeOf(JournalReader& journal, uint64_t sequence, const FormatRange& formats) {
  Instant at;
  IgnoreResult(journal.ReadAfter(sequence - 1,
                                 [&](uint64_t number, std::string_view bytes) -> Status {
                                   const auto record = DecodeRecord(bytes, formats);
                                   if (number == sequence && record) at = record->envelope.at;
                                   return Fail(Internal("one is enough"));
                                 }),
               "a record that is missing leaves the value empty");
  return at;
}

Result<Recovered> RecoverState(JournalReader& journal, const FormatRange& formats) {
  const Snapshot snapshot = GP_TRY(journal.LatestSnapshot());
  Recovered recovered;
  recovered.state = GP_TRY(StateOf(snapshot, formats));
  GP_CHECK_OK(journal.ReadAfter(snapshot.sequence, [&](uint64_t, std::string_view bytes) -> Status {
    const Record record = GP_TRY(DecodeRecord(bytes, formats));
    for (const Event& event : record.events) Apply(recovered.state, record.envelope.at, event);
    recovered.last_at = record.envelope.at;
    ++recovered.records;
    return Ok();
  }));
  if (recovered.records == 0 && snapshot.sequence > 0)
    recovered.last_at = TimeOf(journal, snapshot.sequence, formats);
  for (const Violation& violation : CheckInvariants(recovered.state)) {
    return Fail(Internal("journal: the recovered state breaks " + violation.rule + ": " +
                         violation.detail));
  }
  return recovered;
}

Result<ReplayReport> Replay(JournalReader& journal, bool verify, const DoneWatch& watch,
                            const FormatRange& formats) {
  ReplayReport report;
  const Snapshot base = GP_TRY(journal.Base());
  report.first = base.sequence + 1;
  Verifier verifier(GP_TRY(StateOf(base, formats)), verify, formats, report);
  GP_CHECK_OK(journal.ReadAfter(base.sequence, [&](uint64_t sequence, std::string_view bytes) {
    if (watch)
      watch(static_cast<double>(sequence - base.sequence) /
            static_cast<double>(journal.LastSequence() - base.sequence));
    return verifier.Visit(sequence, bytes);
  }));
  report.digest = StateDigest(verifier.state());
  return report;
}

}  // namespace gp
