#include "adapters/inbound/rest/event_stream.h"

#include "adapters/wire/document.h"

namespace gp {
namespace {

// A browser that was cut off comes back after so long.
constexpr const char* kRetry = "retry: 1000\n";

void Append(std::string& text, const v1::StateChange& change) {
  text += "id: " + change.id() + "\nevent: " + change.kind() + "\ndata: ";
  text += ToDocument(change).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text += "\n\n";
}

}  // namespace

std::optional<std::string> EventStream::Take() {
  if (is_over_) return std::nullopt;
  // With its place from the first word on: a break before anything has happened loses nothing.
  std::string text = has_begun_ ? "" : kRetry + Place();
  has_begun_ = true;
  for (const v1::StateChange& change : changes_.Take()) Append(text, change);
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
