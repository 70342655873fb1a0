#include "adapters/inbound/rest/event_stream.h"

#include "adapters/wire/document.h"

namespace gp {
namespace {

// A browser that was cut off comes back after so long.
constexpr const char* kRetry = "retry: 1000\n";

}  // namespace

std::string ToEvent(const std::string& id, const std::string& kind,
                    const nlohmann::ordered_json& data) {
  const std::string head = id.empty() ? "" : "id: " + id + "\n";
  return head + "event: " + kind + "\ndata: " + ToLine(data) + "\n\n";
}

std::optional<std::string> EventStream::Take() {
  if (is_over_) return std::nullopt;
  // With its place from the first word on: a break before anything has happened loses nothing.
  std::string text = has_begun_ ? "" : kRetry + Place();
  has_begun_ = true;
  for (const v1::StateChange& change : changes_.Take())
    text += ToEvent(change.id(), change.kind(), ToDocument(change));
  return text;
}

std::string EventStream::Heartbeat() {
  auto caller = identify_();
  is_over_ = !caller.has_value();
  if (caller) changes_.SetCaller(*std::move(caller));
  return Place();
}

// What was passed over counts as seen.
std::string EventStream::Place() const { return "id: " + changes_.place() + "\n\n"; }

}  // namespace gp
