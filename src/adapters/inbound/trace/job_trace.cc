#include "adapters/inbound/trace/job_trace.h"

#include "adapters/inbound/trace/csv_table.h"

namespace gp {
namespace {

constexpr int64_t kGpusMax = 100'000;

}  // namespace

Result<TraceWorkload> ReadTraceWorkload(const std::string& path) {
  const CsvTable table = GP_TRY(CsvTable::Read(path));
  if (table.rows() == 0) return Fail(InvalidArgument(path + ": lists no job"));
  TraceWorkload workload;
  for (size_t row = 0; row < table.rows(); ++row) {
    TraceJob job;
    job.submit_s = GP_TRY(table.Number(row, "submit_s", 0, kTraceSecondsMax));
    job.duration_s = GP_TRY(table.Number(row, "duration_s", 1, kTraceSecondsMax));
    job.gpus = static_cast<int>(GP_TRY(table.Number(row, "num_gpus", 1, kGpusMax)));
    if (row > 0 && job.submit_s < workload.jobs.back().submit_s) {
      return Fail(table.At(row, "submit_s",
                           "earlier than the row before; jobs come in order of submission"));
    }
    workload.jobs.push_back(job);
  }
  return workload;
}

}  // namespace gp
