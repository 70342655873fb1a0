#pragma once

// What a controller that may be killed at any moment has done, told to a parent who outlives it,
// through memory that both share: every record that it began to write, how many of them it had on
// disk, and every job that it promised to somebody.

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gp {

class Witness {
 public:
  Witness();
  ~Witness();
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  void Clear();
  // As it is now, to come back to: for one recovery that is tried many times.
  std::string Save() const;
  void Restore(const std::string& saved);

  // Called by the process that may be killed.  A batch offered after the same `sequence` replaces
  // the earlier one.
  void Offer(uint64_t sequence, std::span<const std::string> records);
  void MarkDurable(uint64_t sequence);
  void Promise(const std::string& request_id, uint64_t job);

  // By the one who is left.
  std::vector<std::string> Offered() const;
  uint64_t durable() const;
  std::map<std::string, uint64_t> Promised() const;

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace gp
