#include "domain/model/queue.h"

#include <algorithm>
#include <utility>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

Status CheckRange(const std::string& field, int64_t value, int64_t from, int64_t to) {
  if (value >= from && value <= to) return Ok();
  return Fail(InvalidArgument(field + ": " + std::to_string(value) + " is not between " +
                              std::to_string(from) + " and " + std::to_string(to)));
}

Status CheckQuota(const std::string& field, const Quota& quota) {
  GP_CHECK_OK(CheckRange(field + ".gpus", quota.gpus.value_or(0), 0, kQueueGpusMax));
  GP_CHECK_OK(CheckRange(field + ".jobs", quota.jobs.value_or(0), 0, kQueueJobsMax));
  GP_CHECK_OK(CheckRange(field + ".gpu_hours", quota.gpu_hours.value_or(0), 0, kQueueGpuHoursMax));
  GP_CHECK_OK(CheckRange(field + ".cpus", quota.cpus.value_or(0), 0, kQueueCpusMax));
  return CheckRange(field + ".memory", quota.memory_mib.value_or(0), 0, kQueueMemoryMiBMax);
}

}  // namespace

std::string ParentOf(const std::string& queue) {
  const size_t slash = queue.rfind('/');
  return slash == std::string::npos ? "" : queue.substr(0, slash);
}

Status ValidateQueue(const Queue& queue) {
  if (const auto fault = QueueFault(queue.name)) return Fail(InvalidArgument("queue: " + *fault));
  if (const auto fault = NameFault(queue.pool)) return Fail(InvalidArgument("pool: " + *fault));
  GP_CHECK_OK(CheckRange("weight", queue.weight, 1, kQueueWeightMax));
  GP_CHECK_OK(CheckRange("guaranteed", queue.guaranteed, 0, kQueueGpusMax));
  GP_CHECK_OK(CheckRange("min_gpus", queue.min_gpus, 0, kQueueGpusMax));
  GP_CHECK_OK(CheckQuota("limit", queue.limit));
  GP_CHECK_OK(CheckQuota("user_limit", queue.user_limit));
  for (const auto& [field, time] :
       {std::pair("default_time", queue.default_time), std::pair("max_time", queue.max_time),
        std::pair("wait_target", queue.wait_target)}) {
    if (time.ns < 0 || time > kTimeLimitMax)
      return Fail(
          InvalidArgument(std::string(field) + ": must be from 0s to " + ToText(kTimeLimitMax)));
  }
  if (queue.max_time.ns != 0 && queue.default_time > queue.max_time) {
    return Fail(InvalidArgument("default_time: " + ToText(queue.default_time) +
                                " is more than its max_time of " + ToText(queue.max_time)));
  }
  if (queue.limit.gpus && queue.min_gpus > *queue.limit.gpus) {
    return Fail(InvalidArgument("min_gpus: " + std::to_string(queue.min_gpus) +
                                " GPUs are more than its limit of " +
                                std::to_string(*queue.limit.gpus) + ": no job could start"));
  }
  if (queue.limit.gpus && queue.guaranteed > *queue.limit.gpus) {
    return Fail(InvalidArgument("guaranteed: " + std::to_string(queue.guaranteed) +
                                " GPUs are more than its limit of " +
                                std::to_string(*queue.limit.gpus)));
  }
  return Ok();
}

}  // namespace gp
