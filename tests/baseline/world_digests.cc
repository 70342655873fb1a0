// Prints a digest of everything that happened in the first worlds: the simulation of the whole
// system under faults.
//   world_digests [WORLDS [PARTS PART]]     of PARTS, this program runs PART: for several cores

#include <cstdio>
#include <cstdlib>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "simulation/world/world.h"

int main(int argc, char** argv) {
  const auto argument = [&](int i, uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const uint64_t parts = argument(2, 1);
  gp::Policy policy;
  policy.faults.xids = gp::XidRules();
  for (uint64_t seed = 1 + argument(3, 0); seed <= argument(1, 2'000); seed += parts) {
    const gp::WorldPlan plan = gp::DrawWorld(seed, policy);
    const gp::WorldReport report = gp::RunWorld(plan, gp::WholeOf(plan));
    std::printf("%lu %016lx %s\n", seed, report.digest, report.broken.c_str());
  }
}
