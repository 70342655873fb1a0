#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/job_import/slurm/sbatch_directives.h"

namespace gp {

// The lines of a script as one text; Apply writes the collected changes back to the lines, which
// must outlive it.
class ScriptText {
 public:
  explicit ScriptText(std::vector<ScriptLine>& lines) : lines_(lines) {
    for (const ScriptLine& line : lines) {
      begins_.push_back(text_.size());
      text_ += line.text + "\n";
    }
  }

  const std::string& Text() const { return text_; }
  int NumberAt(size_t at) const { return lines_[IndexAt(at)].number; }

  void Replace(size_t begin, size_t end, std::string with) {
    changes_.push_back({begin, end, std::move(with)});
  }

  // Writes the collected changes to the lines; a change within another one is dropped.
  void Apply();

 private:
  struct Change {
    size_t begin;
    size_t end;
    std::string with;
  };

  size_t IndexAt(size_t at) const {
    return static_cast<size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin()) - 1;
  }

  std::vector<ScriptLine>& lines_;
  std::vector<size_t> begins_;
  std::string text_;
  std::vector<Change> changes_;
};

}  // namespace gp
