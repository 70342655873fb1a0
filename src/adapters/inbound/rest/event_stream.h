#pragma once

// Changes as server-sent events: what a browser's EventSource reads, and goes on with after a break
// by the id of the last.

#include <functional>

#include <nlohmann/json.hpp>
#include "adapters/inbound/api/change_stream.h"

#include "adapters/inbound/rest/http.h"

namespace gp {

// One event; `id`: what a reader that was cut off comes back with, empty: nothing.
std::string ToEvent(const std::string& id, const std::string& kind,
                    const nlohmann::ordered_json& data);

class EventStream : public HttpStream {
 public:
  // `identify`: who calls, asked again now and then; an error ends the stream, as a token that is
  // over does.
  EventStream(ChangeStream changes, std::function<Result<Caller>()> identify)
      : changes_(std::move(changes)), identify_(std::move(identify)) {}

  std::optional<std::string> Take() override;
  std::string Heartbeat() override;

 private:
  std::string Place() const;

  ChangeStream changes_;
  const std::function<Result<Caller>()> identify_;
  bool has_begun_ = false;
  bool is_over_ = false;
};

}  // namespace gp
