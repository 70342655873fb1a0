#include "domain/model/nodes/mig_name.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "domain/model/nodes/gpu.h"

namespace gp {
namespace {

// A slice of a four-slice GPU has more compute, so a demand in sevenths fits it as well.
constexpr int kSlicesOfMost = 7;
constexpr int64_t kGigabyteMax = 1'024;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace

std::optional<MigDemand> ParseMigName(std::string_view name) {
  const std::string lower = Lower(name);
  std::string_view text = lower;
  for (const std::string_view prefix : {"nvidia.com/", "mig-", "mig "}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  const size_t dot = text.find("g.");
  if (dot == std::string_view::npos || !text.ends_with("gb")) return std::nullopt;
  const auto slices = ParseCount(text.substr(0, dot));
  const auto gigabytes = ParseCount(text.substr(dot + 2, text.size() - dot - 4));
  if (!slices || *slices < 1 || *slices > kSlicesOfMost || !gigabytes || *gigabytes < 1 ||
      *gigabytes > kGigabyteMax)
    return std::nullopt;
  // Names may be rounded up, so a tenth less is enough. No two sizes of one GPU are that close.
  const int64_t least_bytes = *gigabytes * 900'000'000;
  // The demand stays below a whole GPU, because it asks for a part.
  const int share =
      std::min(static_cast<int>(*slices) * kWholeShare / kSlicesOfMost, kWholeShare - 1);
  return MigDemand{share, (least_bytes + (int64_t{1} << 20) - 1) >> 20};
}

}  // namespace gp
