#pragma once

// Reads times, amounts of memory, GPUs and arrays as Slurm writes them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gp {

// "90", "1:30", "2:00:00", "1-12", "1-12:30", "1-12:30:00" in seconds; 0: without a limit.
std::optional<int64_t> SlurmSeconds(std::string_view text);

// "4000", "64G" in MiB, which is also the unit of a plain number.
std::optional<int64_t> SlurmMebibytes(std::string_view text);

// "8", "h100:8", "h100".
struct SlurmGpus {
  std::string model;  // empty: any
  int64_t count = 1;
  bool operator==(const SlurmGpus&) const = default;
};
std::optional<SlurmGpus> ReadSlurmGpus(std::string_view text);

// "0-99", "1-10:3%2", "1,3,7-9".
struct SlurmArray {
  // Numbers with a constant step.
  struct Run {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 0;
    int64_t Last() const { return first + step * (count - 1); }
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs;     // in order, each number once
  int64_t max_parallel = 0;  // 0: any number
  int64_t Count() const;
  bool operator==(const SlurmArray&) const = default;
};
// nullopt: not an array, or a list of more than a million numbers.
std::optional<SlurmArray> ReadSlurmArray(std::string_view text);

// "2", "2-4".
struct SlurmRange {
  int64_t least = 1;
  int64_t most = 1;
  bool operator==(const SlurmRange&) const = default;
};
std::optional<SlurmRange> ReadSlurmRange(std::string_view text);

// "B:USR1@120": a signal, and its time before the end.
struct SlurmSignal {
  std::string name;             // "SIGUSR1"
  int64_t seconds_before = 60;  // if not given
  bool operator==(const SlurmSignal&) const = default;
};
// nullopt: not a signal, or one that a job here cannot receive.
std::optional<SlurmSignal> ReadSlurmSignal(std::string_view text);

}  // namespace gp
