#include "domain/cluster/codec/in_format.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>

#include "domain/cluster/codec/codec.h"

namespace gp {
namespace {

static_assert(std::ranges::is_sorted(kFormatKinds, {}, &FormatKinds::format));
static_assert(std::end(kFormatKinds)[-1].format == kFormatVersion,
              "a new format has a row in kFormatKinds");
static_assert(std::end(kFormatKinds)[-1].commands == std::variant_size_v<Command>,
              "a command that is added needs a new format");
static_assert(std::end(kFormatKinds)[-1].events == std::variant_size_v<Event>,
              "an event that is added needs a new format");

// Of a format that is newer than any here, all.  Of one that is older, none.
FormatKinds KindsOf(uint64_t format) {
  FormatKinds found;
  for (const FormatKinds& one : kFormatKinds)
    if (one.format <= format) found = one;
  return found;
}

Error NotIn(uint64_t format, const std::string& what) {
  return Conflict(what + " needs a newer journal format than " + std::to_string(format) +
                  ", which some controllers of the cluster do not read yet: finish the upgrade "
                  "first (gpu-platform admin controllers list)");
}

}  // namespace

Result<Envelope> InFormat(uint64_t format, Envelope envelope, bool may_lose) {
  if (format >= kFormatVersion) return envelope;
  if (envelope.command.index() >= KindsOf(format).commands)
    return Fail(NotIn(format, "this command"));
  Record whole{std::move(envelope), {}};
  Record part = GP_TRY(DecodeRecord(EncodeRecord(whole, format)));
  if (!may_lose && EncodeRecord(part) != EncodeRecord(whole))
    return Fail(NotIn(format, "something in this request"));
  return std::move(part.envelope);
}

Status CheckInFormat(uint64_t format, const std::vector<Event>& events) {
  if (format >= kFormatVersion) return Ok();
  const uint64_t kinds = KindsOf(format).events;
  for (const Event& event : events)
    if (event.index() >= kinds) return Fail(NotIn(format, "an event of this request"));
  const Record whole{{{}, {}, {}, Tick{}}, events};
  const Record part = GP_TRY(DecodeRecord(EncodeRecord(whole, format)));
  if (EncodeEvents(part.events) != EncodeEvents(events))
    return Fail(NotIn(format, "something that follows from this request"));
  return Ok();
}

}  // namespace gp
