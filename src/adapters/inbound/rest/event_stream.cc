#include "adapters/inbound/rest/event_stream.h"

#include "adapters/wire/documents/document.h"

namespace gp {
namespace {

// A browser reconnects after this time (ms).
constexpr const char* kRetry = "retry: 1000\n";

}  // namespace

std::string ToEvent(const std::string& id, const std::string& kind,
                    const nlohmann::ordered_json& data) {
  const std::string head = id.empty() ? "" : "id: " + id + "\n";
  return head + "event: " + kind + "\ndata: " + ToLine(data) + "\n\n";
}

std::optional<std::string> EventStream::Take() {
  if (is_over_) return std::nullopt;
  // Sends the place first, so that a break before the first event loses nothing.
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

// Skipped changes count as seen.
std::string EventStream::Place() const { return "id: " + changes_.place() + "\n\n"; }

}  // namespace gp
