// Bytes from a damaged disk: whatever they are, decoding answers with a value or a refusal, and
// what was accepted can be looked at.  GP_CASES says how many of each kind.

#include <gtest/gtest.h>

#include <cstdlib>

#include "domain/cluster/check/invariants.h"
#include "domain/cluster/next_deadline.h"
#include "tests/property/sequence.h"

namespace gp {
namespace {

uint64_t Cases() {
  const char* text = std::getenv("GP_CASES");
  return text == nullptr ? 100'000 : std::strtoull(text, nullptr, 10);
}

// Records and snapshots of a few generated lives.
struct Corpus {
  std::vector<std::string> records;
  std::vector<std::string> snapshots;
};

Corpus MakeCorpus() {
  Corpus corpus;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Sequence sequence(seed);
    sequence.RunSteps();
    for (const Record& record : sequence.ledger().records())
      corpus.records.push_back(EncodeRecord(record));
    corpus.snapshots.push_back(EncodeState(sequence.ledger().state()));
  }
  return corpus;
}

std::string Damage(Rng& rng, std::string bytes) {
  for (int changes = rng.Between(1, 3); changes > 0 && !bytes.empty(); --changes) {
    const size_t at = rng.Below(bytes.size());
    switch (rng.Below(5)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.Below(8))); break;
      case 1: bytes[at] = static_cast<char>(rng.Next()); break;
      case 2: bytes.resize(at); break;
      case 3: bytes.erase(at, 1 + rng.Below(8)); break;
      default:
        bytes.insert(at, 1 + rng.Below(8), static_cast<char>(rng.Chance(1, 2) ? 0xff : rng.Next()));
    }
  }
  return bytes;
}

std::string Noise(Rng& rng) {
  std::string bytes(rng.Below(200), '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng.Next());
  if (!bytes.empty() && rng.Chance(1, 2)) bytes[0] = 2;  // the version that is known, as written
  return bytes;
}

// What a controller does with bytes that it accepted.
void Look(const Result<State>& state) {
  if (!state) return;
  (void)CheckInvariants(*state);
  (void)NextDeadline(*state);
  EXPECT_EQ(EncodeState(*state), EncodeState(*DecodeState(EncodeState(*state))));
}

void Look(const Result<Record>& record) {
  if (!record) return;
  EXPECT_TRUE(DecodeRecord(EncodeRecord(*record)).has_value());
}

TEST(Damage, RandomBytes) {
  Rng rng(1);
  for (uint64_t i = 0; i < Cases(); ++i) {
    Look(DecodeRecord(Noise(rng)));
    Look(DecodeState(Noise(rng)));
  }
}

TEST(Damage, ChangedRecords) {
  const Corpus corpus = MakeCorpus();
  Rng rng(2);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < Cases(); ++i) {
    const auto record = DecodeRecord(Damage(rng, corpus.records[rng.Below(corpus.records.size())]));
    Look(record);
    refused += record ? 0 : 1;
  }
  EXPECT_GT(refused, Cases() / 10);
}

TEST(Damage, ChangedSnapshots) {
  const Corpus corpus = MakeCorpus();
  Rng rng(3);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < Cases() / 5; ++i) {
    const auto state =
        DecodeState(Damage(rng, corpus.snapshots[rng.Below(corpus.snapshots.size())]));
    Look(state);
    refused += state ? 0 : 1;
  }
  EXPECT_GT(refused, Cases() / 50);
}

TEST(Damage, EveryPrefixIsRefused) {
  const Corpus corpus = MakeCorpus();
  for (size_t i = 0; i < corpus.records.size(); i += 7) {
    const std::string& bytes = corpus.records[i];
    for (size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(DecodeRecord(std::string_view(bytes).substr(0, length)).has_value());
    }
  }
  const std::string& snapshot = corpus.snapshots.front();
  for (size_t length = 0; length < snapshot.size(); ++length) {
    EXPECT_FALSE(DecodeState(std::string_view(snapshot).substr(0, length)).has_value());
  }
}

}  // namespace
}  // namespace gp
