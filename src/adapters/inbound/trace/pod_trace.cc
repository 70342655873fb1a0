#include "adapters/inbound/trace/pod_trace.h"

#include <algorithm>

#include "adapters/inbound/trace/csv_table.h"

namespace gp {
namespace {

constexpr int64_t kPodGpusMax = 64;
constexpr int64_t kMilliMax = 1'000;

Result<TraceJob> ReadPod(const CsvTable& table, size_t row) {
  TraceJob job;
  job.submit_s = GP_TRY(table.Number(row, "creation_time", 0, kTraceSecondsMax));
  const int64_t end_s = GP_TRY(table.Number(row, "deletion_time", 0, kTraceSecondsMax));
  if (end_s < job.submit_s) return Fail(table.At(row, "deletion_time", "before its creation"));
  job.duration_s = std::max<int64_t>(1, end_s - job.submit_s);
  job.gpus = static_cast<int>(GP_TRY(table.Number(row, "num_gpu", 0, kPodGpusMax)));
  if (job.gpus > 0)
    job.share = static_cast<int>(GP_TRY(table.Number(row, "gpu_milli", 1, kMilliMax)));
  return job;
}

}  // namespace

Result<TraceWorkload> ReadPodWorkload(const std::string& path) {
  const CsvTable table = GP_TRY(CsvTable::Read(path));
  TraceWorkload workload;
  for (size_t row = 0; row < table.rows(); ++row) {
    const TraceJob job = GP_TRY(ReadPod(table, row));
    if (job.gpus > 0) workload.jobs.push_back(job);
  }
  if (workload.jobs.empty()) return Fail(InvalidArgument(path + ": has no pod with a GPU"));
  std::ranges::stable_sort(workload.jobs, {}, &TraceJob::submit_s);
  return workload;
}

}  // namespace gp
