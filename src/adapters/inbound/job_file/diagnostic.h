#pragma once

// What is wrong with a job file, told as a compiler tells it: where, what, and the fix.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/source_text.h"

namespace gp {

struct Diagnostic {
  std::string file;  // or the option, as "--set"
  int line = 0;      // from 1; 0: in an option
  int column = 0;    // from 1, in characters
  std::string code;  // "GP1007"
  std::string message;
  std::string excerpt;  // the line and ^^^^ under the place

  bool operator==(const Diagnostic&) const = default;
};

// As users read them, ending with how many there are and what came of it.
std::string RenderDiagnostics(std::span<const Diagnostic> diagnostics,
                              std::string_view outcome = "nothing submitted");

// "FILE:LINE:COLUMN: what", a line each.
std::string AsLines(std::span<const Diagnostic> diagnostics);

inline constexpr size_t kDiagnosticsMax = 100;

// Collects diagnostics while a file is read; the first hundred are enough for anybody.
class Report {
 public:
  void Add(const Place& place, JobFileCode code, std::string message);
  // The same, and remembers that the value of `path` is not to be trusted.
  void AddAt(std::string_view path, const Place& place, JobFileCode code, std::string message);

  bool empty() const { return diagnostics_.empty(); }
  size_t size() const { return diagnostics_.size(); }
  // Whether further problems are no longer kept, so that looking for them is a waste.
  bool IsFull() const { return diagnostics_.size() > kDiagnosticsMax; }
  // Whether something at or near the path was refused, so that what follows from it may be false.
  bool DoubtsAbout(std::string_view path) const;
  void ForgetDoubts() { doubtful_paths_.clear(); }

  // In the order of the text.
  std::vector<Diagnostic> Take();

 private:
  std::vector<Diagnostic> diagnostics_;
  std::set<std::string, std::less<>> doubtful_paths_;
};

}  // namespace gp
