#pragma once

#include <vector>

#include "adapters/inbound/job_import/slurm/shell_words.h"

namespace gp {

// The here-documents of one line of a script, whose texts follow the line.  `cursor` and `words`
// must outlive it.
class HereDocuments {
 public:
  HereDocuments(ShellCursor& cursor, ShellWords& words) : cursor_(cursor), words_(words) {}

  // After "<<" or, with tabs, "<<-".
  void Expect(const ShellWord& end, bool has_tabs);
  // Skips the texts of all expected documents; their expansions are read.
  void Skip();

 private:
  struct HereDocument {
    std::string end;
    bool expands = true;
    bool has_tabs = false;  // before its end
  };
  void SkipOne(const HereDocument& document);

  ShellCursor& cursor_;
  ShellWords& words_;
  std::vector<HereDocument> expected_;
};

}  // namespace gp
