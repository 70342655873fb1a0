#pragma once

// Journal records and snapshots as bytes (docs/formats/journal.md).  Each begins with a version
// number, its format; a decoder refuses unknown ones and never trusts a length.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/cluster/codec/format.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// One entry of the journal: a command and the events that followed from it.
struct Record {
  Envelope envelope;
  std::vector<Event> events;
};

// What the format does not have is left out (codec/in_format.h checks it).  REQUIRES: no command
// and no event came later.
std::string EncodeRecord(const Record& record, uint64_t format = kFormatVersion);
// Errors: kUnsupported: it is of a format that is not in the range; kInternal: damaged.
Result<Record> DecodeRecord(std::string_view bytes, const FormatRange& formats = {});
// Whether its format is in the range.  Errors: kUnsupported.
Status CheckFormat(std::string_view record, const FormatRange& formats);

std::string EncodeEvents(const std::vector<Event>& events);

// The whole state; equal states give equal bytes.
std::string EncodeState(const State& state, uint64_t format = kFormatVersion);
// Errors: as DecodeRecord.
Result<State> DecodeState(std::string_view bytes, const FormatRange& formats = {});

// Digest of EncodeState: two states agree if it does.
uint64_t StateDigest(const State& state, uint64_t format = kFormatVersion);

}  // namespace gp
