#pragma once

// The options of sbatch that are not about resources: names, queue, array, environment, times.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm/slurm_words.h"
#include "base/result.h"

namespace gp {

// What an import of a script has written so far.
struct SbatchDraft {
  void Note(const Directive& one, std::string_view why);

  YamlNode job_file;
  ScriptFacts facts;
  std::vector<ImportNote> notes;
};

// Takes one directive after the other.  `import_options` and `draft` must outlive it.
class SbatchOptions {
 public:
  SbatchOptions(const ImportOptions& import_options, SbatchDraft& draft)
      : import_options_(import_options), draft_(draft) {}

  // Whether the directive was handled: its values are in the job file, or it has a note.
  // kInvalidArgument: an array that cannot be read or is too large; one job in its place would do
  // other work.
  Result<bool> Take(const Directive& one);

  // Writes time_limit:, which depends on several options.
  void PutTime();

 private:
  Result<bool> TakeAccount(const Directive& one);
  Result<bool> TakeArray(const Directive& one);
  Result<bool> TakeBinding(const Directive& one);
  Result<bool> TakeDirectory(const Directive& one);
  Result<bool> TakeExport(const Directive& one);
  Result<bool> TakeName(const Directive& one);
  Result<bool> TakePartition(const Directive& one);
  Result<bool> TakeQos(const Directive& one);
  Result<bool> TakeReservation(const Directive& one);
  Result<bool> TakeSignal(const Directive& one);
  Result<bool> TakeTime(const Directive& one);
  // Notes what is expected, and returns true.
  bool Unreadable(const Directive& one, std::string_view wanted);

  const ImportOptions& import_options_;
  SbatchDraft& draft_;
  int64_t time_ = 0;    // in seconds; 0: no limit
  int64_t before_ = 0;  // seconds from the signal to the end
};

}  // namespace gp
