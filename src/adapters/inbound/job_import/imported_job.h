#pragma once

// A job that was written for another scheduler, as a job file (docs/how-to/import.md).

#include <map>
#include <string>
#include <vector>

namespace gp {

// What the job file does not say, and what to do about it.
struct ImportNote {
  int line = 0;      // of what was read, from 1
  std::string what;  // as it is written there: "--partition=h100"
  std::string why;   // "say queue: …"
  bool operator==(const ImportNote&) const = default;
};

struct ImportOptions {
  // Ours, by partitions of Slurm's or queues of Kubernetes
  std::map<std::string, std::string> queues;
};

struct ImportedJob {
  std::string text;               // a job file, or a script with one in its first comments
  std::vector<ImportNote> notes;  // by line; nothing that was asked for is left out without one
};

}  // namespace gp
