#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "adapters/inbound/rest/http.h"
#include "base/time.h"

namespace gp {

// The query parameter by which a reader says how old the state may be that answers: "stale=5s".
inline constexpr char kStaleField[] = "stale";
// Where it does not say so.
inline constexpr Duration kStaleUnlessSaid = Duration::Seconds(10);
// For longer nobody may read with a token or a role that is no longer given.
inline constexpr Duration kStaleMax = Duration::Seconds(60);
// The header of an answer that tells the age of the state, in seconds: "0.213".
inline constexpr char kAgeHeader[] = "State-Age";

// Whether the answer follows from the log.  WhoAmI rests on no read of the state, so its answer
// has no age.  Other operations stream, ask nodes, or need what is not in the log: readings, logs
// and metrics of jobs, settings, secrets, the audit trail.
bool IsAnsweredFromLog(std::string_view operation);

using AnswerHttp = std::function<HttpReply(const HttpRequest&)>;

// Whether it says how old the state may be.
bool AsksForStale(const HttpRequest& request);

// Answers a read with a state of this age, and tells the age.  `age`: nullopt: the state is not
// fit for answers.  503: the state is older than the reader wants; 405: not a read; 400: "stale" is
// no duration, or too long.
HttpReply AnswerStale(const HttpRequest& request, std::optional<Duration> age,
                      const AnswerHttp& answer);

}  // namespace gp
