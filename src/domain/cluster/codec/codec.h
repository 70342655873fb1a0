#pragma once

// Journal records and snapshots as bytes (docs/formats/journal.md).  Each begins with a version
// number; a decoder refuses unknown versions and never trusts a length.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// One entry of the journal: a command and the events that followed from it.
struct Record {
  Envelope envelope;
  std::vector<Event> events;
};

std::string EncodeRecord(const Record& record);
Result<Record> DecodeRecord(std::string_view bytes);

std::string EncodeEvents(const std::vector<Event>& events);

// The whole state; equal states give equal bytes.
std::string EncodeState(const State& state);
Result<State> DecodeState(std::string_view bytes);

// Digest of EncodeState: two states agree if it does.
uint64_t StateDigest(const State& state);

}  // namespace gp
