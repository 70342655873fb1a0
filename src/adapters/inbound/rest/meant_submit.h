#pragma once

// A submit whose body is the job itself, {"name": …, "gpu": 1, "command": "…"}, as other programs
// take it.  It is refused, for a guess would run something; but the refusal shows what to send.

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace gp {

// The request that this body was meant to be, of what can be read of it; what is missing is filled
// with an example.  nullopt: it holds no field of a job, or is too long to be sent back.
std::optional<nlohmann::ordered_json> MeantSubmit(std::string_view body);

}  // namespace gp
