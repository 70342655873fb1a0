#pragma once

#include <cstdint>

namespace gp {

// A small seeded random generator (SplitMix64) for tests and simulations: the same seed gives the
// same sequence on every machine.  Decisions of the domain never use it.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); REQUIRES: bound > 0.  The modulo has a bias below 2^-40 here.
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  int Between(int low, int high) {
    return low + static_cast<int>(Below(static_cast<uint64_t>(high - low + 1)));
  }
  bool Chance(uint64_t numerator, uint64_t denominator) { return Below(denominator) < numerator; }

 private:
  uint64_t state_;
};

}  // namespace gp
