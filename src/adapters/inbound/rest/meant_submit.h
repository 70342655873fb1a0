#pragma once

// Some programs send the job itself as the body of a submit: {"name": …, "gpu": 1, "command": "…"}.
// The controller refuses such a body, because a wrong guess would run a job; the refusal contains a
// correct body.

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace gp {

// The request that the caller probably meant; missing fields have example values.  nullopt: the
// body has no field of a job, or is too long to send back.
std::optional<nlohmann::ordered_json> MeantSubmit(std::string_view body);

}  // namespace gp
