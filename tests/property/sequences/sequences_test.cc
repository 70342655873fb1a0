// Generated lives of a cluster.  GP_SEQUENCES says how many, GP_SEED_FIRST with which seed to
// begin, so that a large number can be divided among machines.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <variant>

#include "tests/property/sequence.h"

namespace gp {
namespace {

#ifdef __OPTIMIZE__
constexpr uint64_t kSequences = 5'000;
#else
constexpr uint64_t kSequences = 500;
#endif

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// How often each kind of event happened: sequences in which nothing happens prove nothing.
struct Coverage {
  uint64_t records = 0;
  uint64_t steps = 0;
  std::array<uint64_t, std::variant_size_v<Event>> events{};

  void Count(const Sequence& sequence) {
    steps += static_cast<uint64_t>(sequence.steps());
    records += sequence.ledger().records().size();
    for (const Record& record : sequence.ledger().records()) {
      for (const Event& event : record.events) ++events[event.index()];
    }
  }
};

TEST(Sequences, HoldEveryRule) {
  const uint64_t count = FromEnvironment("GP_SEQUENCES", kSequences);
  const uint64_t first = FromEnvironment("GP_SEED_FIRST", 1);
  Coverage coverage;
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < 10; ++seed) {
    Sequence sequence(seed);
    const std::string broken = sequence.Run();
    coverage.Count(sequence);
    if (broken.empty()) continue;
    ++failures;
    ADD_FAILURE() << broken << "\n  again: GP_SEQUENCES=1 GP_SEED_FIRST=" << seed
                  << " bin/property_sequences";
  }
  std::printf("%lu sequences, %lu steps, %lu records; by kind of event:", count, coverage.steps,
              coverage.records);
  for (const uint64_t events : coverage.events) std::printf(" %lu", events);
  std::printf("\n");
  if (count < 1'000) return;
  // One controller writes its newest format from the start: unit_replication raises it.
  const size_t raised = Event(FormatRaised{}).index();
  for (size_t kind = 0; kind < coverage.events.size(); ++kind) {
    if (kind == raised) continue;
    EXPECT_GE(coverage.events[kind], count / 100) << "events of kind " << kind << " are too rare";
  }
}

}  // namespace
}  // namespace gp
