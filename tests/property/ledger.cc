#include "tests/property/ledger.h"

#include "tests/support/test_cluster.h"

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/decide/decide.h"

namespace gp {

void Ledger::Break(const std::string& what) {
  if (broken_.empty()) broken_ = what;
}

const std::vector<Event>* Ledger::Execute(Instant at, Command command, std::string request_id) {
  static const std::vector<Event> kNothing;
  Envelope envelope{at, "test", std::move(request_id), std::move(command)};
  auto events = Decide(state_, envelope);
  if (!events) {
    last_refusal_ = std::move(events.error().message);
    return nullptr;
  }
  if (events->empty()) return &kNothing;
  for (const Event& event : *events) Apply(state_, at, event);
  for (const Violation& violation : CheckDelta(state_, *events)) {
    Break("after a command: " + violation.rule + ": " + violation.detail);
  }
  records_.push_back({std::move(envelope), *std::move(events)});
  return &records_.back().events;
}

void Ledger::CheckAll() {
  for (const Violation& violation : CheckInvariants(state_)) {
    Break(violation.rule + ": " + violation.detail);
  }
}

void Ledger::CheckReplay() {
  State folded;
  for (const Record& record : records_) {
    const std::string bytes = EncodeRecord(record);
    auto decoded = DecodeRecord(bytes);
    if (!decoded) return Break("a record does not decode: " + decoded.error().message);
    auto again = Decide(folded, decoded->envelope);
    if (!again) return Break("a replay refuses what was decided: " + again.error().message);
    decoded->events = *std::move(again);
    if (EncodeRecord(*decoded) != bytes) return Break("a replay decides otherwise");
    for (const Event& event : decoded->events) Apply(folded, decoded->envelope.at, event);
  }
  const std::string bytes = EncodeState(state_);
  Compare(folded, bytes, "the fold of the records is not the state");
  const auto decoded = DecodeState(bytes);
  if (!decoded) return Break("the state does not decode: " + decoded.error().message);
  Compare(*decoded, bytes, "the state changes by being written and read");
}

void Ledger::Compare(const State& other, const std::string& bytes, const char* what) {
  const bool same = SameIndexes(other, state_) && EncodeState(other) == bytes;
  if (!same) Break(what);
}

}  // namespace gp
