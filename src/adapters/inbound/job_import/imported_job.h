#pragma once

// A job of another scheduler, converted to a job file (docs/how-to/import.md).

#include <map>
#include <string>
#include <vector>

namespace gp {

// A request that the job file does not contain, and what to do about it.
struct ImportNote {
  int line = 0;      // in the imported file, from 1
  std::string what;  // as written there: "--partition=h100"
  std::string why;   // "set queue: …"
  bool operator==(const ImportNote&) const = default;
};

struct ImportOptions {
  // Queues of this cluster, by Slurm partition or Kubernetes queue.
  std::map<std::string, std::string> queues;
};

struct ImportedJob {
  std::string text;               // a job file, or a script with one in its first comments
  std::vector<ImportNote> notes;  // by line; no request is left out without a note
};

}  // namespace gp
