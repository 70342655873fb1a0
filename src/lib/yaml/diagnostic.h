#pragma once

// Problems of a file, reported as a compiler reports them: place, problem and fix.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/yaml/file_code.h"
#include "lib/yaml/source_text.h"

namespace gp {

struct Diagnostic {
  std::string file;  // or the option, such as "--set"
  int line = 0;      // from 1; 0: in an option
  int column = 0;    // from 1, in characters
  std::string code;  // "GP1007"
  std::string message;
  std::string excerpt;  // the line and ^^^^ under the place

  bool operator==(const Diagnostic&) const = default;
};

// The text for users; it ends with the number of problems and the outcome.
std::string RenderDiagnostics(std::span<const Diagnostic> diagnostics,
                              std::string_view outcome = "nothing submitted");

// "FILE:LINE:COLUMN: MESSAGE", or "OPTION: MESSAGE", one line for each.
std::string AsLines(std::span<const Diagnostic> diagnostics);

inline constexpr size_t kDiagnosticsMax = 100;

// Collects diagnostics while a file is read, at most kDiagnosticsMax and one that says there are
// more.
class Report {
 public:
  void Add(const Place& place, FileCode code, std::string message);
  // The same, and marks the value at `path` as doubtful.
  void AddAt(std::string_view path, const Place& place, FileCode code, std::string message);

  bool empty() const { return diagnostics_.empty(); }
  size_t size() const { return diagnostics_.size(); }
  // Whether further problems are dropped, so that callers may stop looking for them.
  bool IsFull() const { return diagnostics_.size() > kDiagnosticsMax; }
  // Whether a value at or near the path was refused, so that a problem found there may be a
  // consequence.
  bool DoubtsAbout(std::string_view path) const;
  void ForgetDoubts() { doubtful_paths_.clear(); }

  // The diagnostics, in the order of the text.
  std::vector<Diagnostic> Take();

 private:
  std::vector<Diagnostic> diagnostics_;
  std::set<std::string, std::less<>> doubtful_paths_;
};

}  // namespace gp
