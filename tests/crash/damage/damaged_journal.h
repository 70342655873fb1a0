#pragma once

// A journal, and the judgement of what a start makes of it after it was damaged: all of it, a
// prefix with the loss told, or a refusal that names the file.  Anything else is wrong.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/crash/journal_life.h"

namespace gp {

enum class Fate { kWhole, kPrefix, kRefused, kWrong };

enum class LeftBy {
  kStop,  // all of it is in the database
  kKill,  // what is new is in the log
};

class DamagedJournal {
 public:
  // Makes the journal in this directory, which is written again for each damage.
  DamagedJournal(std::string directory, WorkloadKind kind, LeftBy left_by);

  // Its files by the ends of their names: "", "-wal" (what is used of it), ".mark".
  const std::string& file(const std::string& suffix) const { return files_.at(suffix); }
  // Puts all files in place, this one changed.
  void Place(const std::string& suffix, const std::string& changed) const;
  // What a start finds; `why` says what is wrong, or how the loss was reported.
  Fate Start(std::string& why) const;
  // After the start: one more record is taken, and found again by the next, or that one is refused.
  std::string AppendAndStartAgain() const;
  // What is sound is kept on request, or it is said why not; empty: so it is.
  std::string Salvage() const;

  uint64_t records() const { return records_.size(); }

 private:
  std::string Path() const { return directory_ + "/journal.db"; }
  std::string Check(Journal& journal) const;

  const std::string directory_;
  Witness witness_;
  std::map<std::string, std::string> files_;
  std::vector<std::string> records_;
  std::vector<uint64_t> digests_;  // of the state after each
};

}  // namespace gp
