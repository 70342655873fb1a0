#include "cmd/simulate/recorded_journal.h"

#include <unistd.h>

#include "adapters/outbound/sqlite/sqlite_journal.h"

namespace gp {

Result<RecordedRun> ReadRecordedRun(const std::string& path, RunWatch watch,
                                    const DoneWatch& done) {
  if (access(path.c_str(), R_OK) != 0) return Fail(NotFound(path + ": no journal there"));
  const auto journal = GP_TRY(SqliteJournal::Open(path));
  if (const uint64_t base = GP_TRY(journal->BaseNumber()); base > 0) {
    return Fail(Unsupported(path + ": its records up to " + std::to_string(base) +
                            " were dropped (serve --keep-journal), and a what-if plays a run from "
                            "its beginning; take a backup that has them"));
  }
  RunRecorder recorder(std::move(watch));
  GP_CHECK_OK(journal->ReadAfter(0, [&](uint64_t sequence, std::string_view bytes) -> Status {
    if (done) done(static_cast<double>(sequence) / static_cast<double>(journal->LastSequence()));
    auto record = DecodeRecord(bytes);
    if (!record) return Fail(record.error().Within("record " + std::to_string(sequence)));
    recorder.Add(*record);
    return Ok();
  }));
  return recorder.Take();
}

}  // namespace gp
