// Prints digests of what the core decides: recorded jobs through the production engine, and
// generated lives of clusters with gangs, queues, interruptions and faults.  The same on every
// build and machine.
//   decisions_digest [JOBS [SEQUENCES]]

#include <cstdio>
#include <cstdlib>

#include "adapters/inbound/trace/job_trace.h"
#include "base/digest.h"
#include "experiments/trace/engine_replay.h"
#include "tests/property/sequence.h"

namespace {

uint64_t DigestOfSequences(uint64_t count) {
  uint64_t digest = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    gp::Sequence sequence(seed);
    if (const std::string broken = sequence.Run(); !broken.empty())
      std::printf("seed %lu: %s\n", seed, broken.c_str());
    for (const gp::Record& record : sequence.ledger().records())
      digest = gp::Digest64(gp::EncodeRecord(record), digest);
  }
  return digest;
}

}  // namespace

int main(int argc, char** argv) {
  auto workload = gp::ReadTraceWorkload(std::string(GP_SOURCE_DIR) +
                                        "/data/traces/philly-2017/philly_jobs.csv.gz");
  if (!workload) return std::fprintf(stderr, "%s\n", workload.error().message.c_str()), 1;
  const auto jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : workload->jobs.size();
  const auto sequences = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000;
  if (jobs < workload->jobs.size()) workload->jobs.resize(jobs);
  for (const int nodes : {80, 64}) {
    std::printf("%zu jobs on %dx8: %016lx\n", workload->jobs.size(), nodes,
                gp::ReplayEngine(*workload, {nodes, 8}).digest);
  }
  std::printf("%llu sequences: %016lx\n", static_cast<unsigned long long>(sequences),
              DigestOfSequences(sequences));
}
