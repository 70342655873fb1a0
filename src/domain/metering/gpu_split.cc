#include "domain/metering/gpu_split.h"

#include <numeric>

namespace gp {
namespace {

UsageKind KindOfRest(const Gpu& gpu, bool is_lost, bool is_drained, bool is_shared) {
  if (is_lost) return UsageKind::kFaulty;
  switch (gpu.condition) {
    case GpuCondition::kOffline: return UsageKind::kMaintained;
    case GpuCondition::kUnknown:
    case GpuCondition::kTesting:
    case GpuCondition::kSuspect:
    case GpuCondition::kQuarantined:
    case GpuCondition::kResetting:
    case GpuCondition::kLost: return UsageKind::kFaulty;
    case GpuCondition::kUnlinked:
    case GpuCondition::kAvailable: break;
  }
  if (gpu.draining || is_drained) return UsageKind::kMaintained;
  return is_shared ? UsageKind::kFragment : UsageKind::kIdle;
}

}  // namespace

std::vector<int> ScaledShares(const std::vector<GpuClaim>& claims) {
  const auto add = [](int sum, const GpuClaim& claim) { return sum + claim.share; };
  const int all = std::accumulate(claims.begin(), claims.end(), 0, add);
  std::vector<int> shares;
  for (const GpuClaim& claim : claims)
    shares.push_back(all <= kWholeShare ? claim.share : claim.share * kWholeShare / all);
  int left =
      all <= kWholeShare ? 0 : kWholeShare - std::accumulate(shares.begin(), shares.end(), 0);
  for (size_t i = 0; left > 0; ++i) {
    if (claims[i].share == 0) continue;
    ++shares[i];
    --left;
  }
  return shares;
}

std::vector<UsagePart> SplitOf(const Gpu& gpu, bool is_lost, bool is_drained,
                               const std::vector<GpuClaim>& claims) {
  std::vector<UsagePart> parts;
  const std::vector<int> shares = ScaledShares(claims);
  int rest = kWholeShare;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (shares[i] == 0) continue;
    parts.push_back({UsageKind::kJobs, claims[i].lease, shares[i]});
    rest -= shares[i];
  }
  if (rest > 0) parts.push_back({KindOfRest(gpu, is_lost, is_drained, !claims.empty()), {}, rest});
  return parts;
}

}  // namespace gp
