#include "cmd/text/job_table.h"

#include <fmt/format.h>

#include "cmd/text/hundredths.h"
#include "cmd/text/job_text.h"
#include "cmd/text/state_color.h"

namespace gp {
namespace {

std::string NoteOf(const v1::Job& job) {
  if (job.has_elements())
    return ElementsText(job.elements()) + (job.reason().empty() ? "" : "; " + job.reason());
  return job.state() == v1::COMPLETED ? "" : job.reason();
}

Cell SpanCell(bool is_known, double seconds) {
  return is_known ? Cell(SpanText(seconds), seconds) : kDash;
}

// Busy part of the time in which its GPUs were measured; unknown is not zero.
Cell BusyCell(const v1::Job& job) {
  const double percent = 100 * job.gpu_busy();
  return job.has_gpu_busy() ? Cell(fmt::format("{:.0f}%", percent), percent) : kDash;
}

Cell NumberCell(bool is_known, double value) {
  return is_known ? Cell(fmt::format("{}", value), value) : kDash;
}

Cell CostCell(const v1::Job& job) {
  if (!job.has_use() || job.use().currency().empty()) return kDash;
  return {Hundredths(job.use().cost()) + " " + job.use().currency(), job.use().cost()};
}

std::vector<Column> JobColumns() {
  return {{.title = "JOB"},
          {.title = "NAME", .cut = true},
          {.title = "USER", .drop = 2},
          {.title = "PROJECT", .drop = 7},
          {.title = "STATE", .color = StateColor},
          {.title = "PRI", .right = true, .drop = 5},
          {.title = "GPUS"},
          {.title = "WHERE", .cut = true},
          {.title = "WAIT", .right = true, .drop = 3},
          {.title = "RUN", .right = true, .drop = 1},
          {.title = "BUSY", .right = true, .drop = 6},
          {.title = "EXIT", .right = true, .drop = 4},
          {.title = "GPU-HOURS", .right = true, .drop = 8, .wide = true},
          {.title = "COST", .right = true, .drop = 9, .wide = true},
          {.title = "QUEUE", .drop = 10, .wide = true},
          {.title = "DETAIL", .drop = 14, .wide = true},
          {.title = "ATTEMPT", .right = true, .drop = 13, .wide = true},
          {.title = "LABELS", .cut = true, .drop = 12, .wide = true},
          {.title = "SUBMITTED", .drop = 11, .wide = true},
          {.title = "NOTE", .cut = true}};
}

}  // namespace

Table JobTable(const v1::ListJobsReply& reply) {
  Table table(JobColumns());
  for (const v1::Job& job : reply.jobs()) {
    const double gpus = job.spec().gpus().count() * job.spec().nodes() *
                        job.spec().gpus().share_thousandths() / 1000.0;
    table.Add(
        {job.id(),
         job.spec().name(),
         job.user(),
         job.spec().project(),
         v1::JobState_Name(job.state()),
         NumberCell(true, job.spec().priority()),
         {GpusText(job.spec()), gpus},
         job.places_size() == 0 ? kDash : PlacesText(job),
         SpanCell(!job.has_elements(), job.wait_seconds()),
         SpanCell(job.has_started_at(), job.run_seconds()),
         BusyCell(job),
         NumberCell(job.has_exit_code(), job.exit_code()),
         job.has_use() ? Cell(Hundredths(job.use().gpu_hours()), job.use().gpu_hours()) : kDash,
         CostCell(job),
         job.queue(),
         job.detail(),
         NumberCell(true, job.attempt()),
         LabelsText(job.spec()),
         job.submitted_at(),
         NoteOf(job)});
  }
  return table;
}

}  // namespace gp
