#pragma once

#include <functional>

#include <nlohmann/json.hpp>
#include "adapters/inbound/api/streams/change_stream.h"

#include "adapters/inbound/rest/http.h"

namespace gp {

// One server-sent event.  `id`: a disconnected reader resumes with it; empty: none.
std::string ToEvent(const std::string& id, const std::string& kind,
                    const nlohmann::ordered_json& data);

// Changes as server-sent events.  A browser's EventSource reads them and resumes after a break by
// the id of the last event.
class EventStream : public HttpStream {
 public:
  // `identify`: checks the caller again at intervals; an error, such as an expired token, ends the
  // stream.
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
