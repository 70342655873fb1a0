#include "cmd/text/state_color.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gp {
namespace {

constexpr std::string_view kRedCode = "31";
constexpr std::string_view kGreenCode = "32";
constexpr std::string_view kYellowCode = "33";
constexpr std::string_view kDimCode = "2";

// The first word that the state contains decides: "DRAINING UP" is yellow.
constexpr auto kStateWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"FAIL", kRedCode},         {"LOST", kRedCode},         {"OFFLINE", kRedCode},
    {"OPEN", kRedCode},         {"DRAINING", kYellowCode},  {"DEGRADED", kYellowCode},
    {"WARN", kYellowCode},      {"PREEMPTED", kYellowCode}, {"QUEUED", kYellowCode},
    {"PENDING", kYellowCode},   {"HELD", kYellowCode},      {"ACKNOWLEDGED", kYellowCode},
    {"RESETTING", kYellowCode}, {"ALLOCATED", kGreenCode},  {"RUNNING", kGreenCode},
    {"IN_USE", kGreenCode},     {"UP", kGreenCode},         {"ok", kGreenCode},
    {"COMPLETED", kDimCode},    {"CANCELLED", kDimCode},    {"CLOSED", kDimCode},
});

}  // namespace

std::string_view StateColor(std::string_view state) {
  const auto found = std::ranges::find_if(
      kStateWords, [state](const auto& row) { return state.contains(row.first); });
  return found == kStateWords.end() ? "" : found->second;
}

}  // namespace gp
