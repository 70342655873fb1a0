#include "cmd/text/job_text.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "cmd/text/node_ranges.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

std::string Thousandths(int share) {
  std::string text = fmt::format("{}.{:03}", share / 1000, share % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

void Line(std::string& out, const char* label, const std::string& text) {
  if (!text.empty()) out += fmt::format("{:<12}{}\n", label, Printable(text, 4'000));
}

// A script is shown unchanged below its label.
void DescribeCommand(const v1::JobSpec& spec, std::string& out) {
  std::string words;
  for (const std::string& word : spec.command()) words += (words.empty() ? "" : " ") + word;
  const char* label = "Command";
  for (const std::string& line : Split(words, '\n')) {
    Line(out, label, line);
    label = "";
  }
}

// A job always has a command, or stages an image or data; the controller leaves them out for those
// who may not know what the job runs with.
bool IsRedacted(const v1::JobSpec& spec) {
  return spec.command().empty() && spec.image().empty() && spec.stage().empty();
}

void DescribeData(const v1::JobSpec& spec, std::string& out) {
  const char* label = "Stage";
  for (const v1::StagedData& one : spec.stage()) {
    Line(out, label, one.from() + " at " + one.to());
    label = "";
  }
  label = "Artifacts";
  for (const v1::Artifact& one : spec.artifacts()) {
    Line(out, label, one.from() + " to " + one.to());
    label = "";
  }
  Line(out, "Copies",
       spec.checkpoint_copy_to().empty() ? "" : "of checkpoints to " + spec.checkpoint_copy_to());
}

void DescribeSurroundings(const v1::Job& job, std::string& out) {
  const v1::JobSpec& spec = job.spec();
  if (IsRedacted(spec)) {
    return Line(out, "Command", "shown to its owner and to admins only, like its environment");
  }
  if (spec.stage_only()) Line(out, "Command", "none: the job only stages");
  DescribeCommand(spec, out);
  Line(out, "File", spec.file());
  Line(out, "Image", spec.image());
  if (!job.image_digest().empty()) Line(out, "", job.image_digest());
  if (!spec.image_credentials().empty()) Line(out, "", "credentials: " + spec.image_credentials());
  std::vector<std::string> mounts;
  for (const v1::Mount& one : spec.mounts())
    mounts.push_back(ToText(Mount{one.from(), one.to(), one.read_only()}));
  Line(out, "Mounts", Join(mounts, ", "));
  if (spec.network() == v1::NETWORK_ACCESS_NONE) Line(out, "Network", "none");
  if (spec.graphics()) Line(out, "Graphics", "on its GPUs");
  if (spec.launcher() != v1::LAUNCHER_NONE)
    Line(out, "Launcher", std::string(ToText(static_cast<Launcher>(spec.launcher()))));
  Line(out, "Directory", spec.working_directory());
  DescribeData(spec, out);
  Line(out, "Labels", LabelsText(spec));
  const auto& environment = spec.environment();
  const std::map<std::string, std::string> variables(environment.begin(), environment.end());
  const char* label = "Environment";
  for (const auto& [name, value] : variables) {
    Line(out, label, name + "=" + value);
    label = "";
  }
  Line(out, "Secrets", fmt::format("{}", fmt::join(spec.secrets(), ", ")));
}

// "2.1 of 8.4 GiB"
std::string PartText(int64_t bytes, int64_t total) {
  std::string part = BytesToText(bytes);
  if (total <= 0) return part;
  const std::string whole = BytesToText(total);
  const auto unit_of = [](const std::string& text) { return text.substr(text.find(' ')); };
  if (unit_of(part) == unit_of(whole)) part.resize(part.find(' '));
  return part + " of " + whole;
}

// "image registry.lab/ana/train: 3 of 11 layers, 2.1 of 8.4 GiB, 1m4s left"
std::string StagingText(const v1::Progress& progress) {
  std::string text = progress.staging();
  if (progress.staging_layers() > 0)
    text += fmt::format(": {} of {}", progress.staged_layers(),
                        Count(progress.staging_layers(), "layer"));
  // Of an image nothing is known before its layers are.
  if (!text.starts_with("image ") || progress.staging_layers() > 0)
    text += ", " + PartText(progress.staged_bytes(), progress.staging_bytes());
  if (progress.has_staging_left_seconds())
    text += ", " + SpanText(progress.staging_left_seconds()) + " left";
  return text;
}

void DescribeCheckpoints(const v1::Job& job, std::string& out) {
  const v1::Progress& progress = job.progress();
  if (!progress.at().empty()) {
    const std::string of = progress.steps() > 0 ? fmt::format(" of {}", progress.steps()) : "";
    Line(out, "Progress", fmt::format("step {}{} at {}", progress.step(), of, progress.at()));
  }
  if (!progress.staging().empty()) {
    Line(out, "Staging", StagingText(progress));
  }
  if (!progress.refused().empty()) Line(out, "Report", "not understood: " + progress.refused());
  for (const v1::Checkpoint& one : job.checkpoints()) {
    std::string text = fmt::format("step {} {} at {}, {}", one.step(), one.path(), one.at(),
                                   BytesToText(one.bytes()));
    if (one.took_seconds() > 0) text += ", took " + SpanText(one.took_seconds());
    if (one.has_score()) text += fmt::format(", score {}", one.score());
    if (!one.complete()) text += "; not complete: " + one.fault();
    Line(out, "Checkpoint", text);
  }
  if (job.checkpoint_best_seconds() > 0) {
    Line(out, "",
         fmt::format("least is lost with one every {}", SpanText(job.checkpoint_best_seconds())));
  }
}

void DescribeReports(const v1::Job& job, std::string& out) {
  for (const v1::NotFiniteMetric& one : job.not_finite()) {
    std::string text = fmt::format("{} is {} since step {}", one.name(), one.value(), one.since());
    if (one.ranks() > 1) {
      text += fmt::format(", on {} ranks", one.ranks());
    } else if (one.rank() > 0) {
      text += fmt::format(", on rank {}", one.rank());
    }
    Line(out, "Metrics", text);
  }
  for (const v1::JobLink& link : job.links()) Line(out, "Link", link.name() + " " + link.url());
}

void DescribeAttempt(const v1::Attempt& attempt, std::string& out) {
  // The warning at the end of the placement has a line of its own.
  const std::string& warning = attempt.warning();
  const std::string suffix = warning.empty() ? "" : "; warning: " + warning;
  Line(out, "Placement", attempt.placement().substr(0, attempt.placement().size() - suffix.size()));
  Line(out, "Warning", warning);
  if (!attempt.end_class().empty() && attempt.end_class() != "completed") {
    const std::string whose =
        attempt.charged_to() == "nobody" ? "uses no retry" : "charged to " + attempt.charged_to();
    Line(out, "Ended by", fmt::format("{} ({})", attempt.end_class(), whose));
  }
  for (const v1::Rank& rank : attempt.ranks()) {
    std::string text = fmt::format("rank {}: {}", rank.rank(), rank.node());
    if (rank.gpu_uuids_size() > 0) text += " GPU";
    for (int i = 0; i < rank.gpu_uuids_size(); ++i)
      text += fmt::format(" {} {}", rank.gpus(i), rank.gpu_uuids(i));
    if (rank.numa_nodes_size() > 0)
      text += fmt::format("  NUMA {}", fmt::join(rank.numa_nodes(), ","));
    if (!rank.cpus().empty()) text += "  cpus " + rank.cpus();
    if (!rank.outcome().empty()) {
      text += "  " + rank.outcome();
      if (rank.signal() != 0) text += fmt::format(" signal {}", rank.signal());
      if (rank.signal() == 0 && rank.exit_code() != 0)
        text += fmt::format(" code {}", rank.exit_code());
    }
    Line(out, "", text);
    Line(out, "Last error", rank.last_error());
  }
}

void DescribeUse(const v1::JobUse& use, std::string& out) {
  if (use.gpu_hours() == 0 && use.repeated_gpu_hours() == 0) return;
  std::string text = fmt::format("{:.3f}", use.gpu_hours());
  if (use.cost() > 0) text += fmt::format(", {:.2f} {}", use.cost(), use.currency());
  if (use.repeated_gpu_hours() > 0)
    text += fmt::format("; {:.3f} more were lost to faults and are not charged",
                        use.repeated_gpu_hours());
  Line(out, "GPU-hours", text);
}

// The number of the job, also for an element of an array.
std::optional<JobId> NumberOf(const v1::Job& job) {
  const bool is_element = job.has_array_index();
  const auto id = ParseJobId(is_element ? job.array_id() : job.id());
  if (!id) return std::nullopt;
  return is_element ? ElementId(*id, job.array_index()) : *id;
}

// Retries after the job's own failures, and attempts lost to faults.
std::string RetriesText(const v1::Job& job) {
  const v1::RetryPolicy& retry = job.spec().retry();
  std::string text =
      retry.on_failure()
          ? fmt::format("{} of {}", job.retries_used(), retry.retries_max())
          : fmt::format("{} (own failures are not retried; --retries N)", job.retries_used());
  if (job.faults() > 0) text += "; " + Count(job.faults(), "attempt") + " lost to faults";
  return text;
}

std::string JobHeadline(const v1::Job& job) {
  const std::string& state = v1::JobState_Name(job.state());
  std::string text = fmt::format("{} ({})  {}", Printable(job.spec().name(), 128), job.id(), state);
  if (job.detail() != state) text += " (" + job.detail() + ")";
  return text + (job.has_elements() ? "\n" : fmt::format("  attempt {}\n", job.attempt()));
}

// The elements of an array, or which one of them it is.
void DescribeArray(const v1::Job& job, std::string& out) {
  if (job.has_elements())
    Line(out, "Elements",
         fmt::format("{}: {}", job.elements().count(), ElementsText(job.elements())));
  if (job.has_array_index())
    Line(out, "Element",
         fmt::format("{} of 0 to {}", job.array_index(), job.spec().array().count() - 1));
}

// What the job asks of its nodes besides GPUs; what is in proportion to its GPUs is left out.
void DescribeLimits(const v1::JobSpec& spec, std::string& out) {
  const std::map<std::string, std::string> labels(spec.node_labels().begin(),
                                                  spec.node_labels().end());
  std::vector<std::string> wanted;
  for (const auto& [name, value] : labels) wanted.push_back(name + "=" + value);
  Line(out, "Node labels", Join(wanted, ", "));
  if (spec.memory_bytes() > 0) Line(out, "Memory", BytesToText(spec.memory_bytes()) + " per node");
  if (spec.shm_bytes() > 0) Line(out, "/dev/shm", BytesToText(spec.shm_bytes()) + " per node");
  if (spec.time_limit_ms() > 0)
    Line(out, "Time limit", ToText(Duration::Milliseconds(spec.time_limit_ms())));
  if (spec.has_grace_ms())
    Line(out, "Grace",
         ToText(Duration::Milliseconds(spec.grace_ms())) + " from SIGTERM to SIGKILL");
}

void DescribeRequest(const v1::JobSpec& spec, std::string& out) {
  const bool is_one = spec.gpus().count() * spec.nodes() == 1;
  Line(out, "Requested",
       fmt::format("{} {}, {}, cpus {}, priority {}", GpusText(spec), is_one ? "GPU" : "GPUs",
                   Count(spec.nodes(), "node"),
                   spec.cpus() > 0 ? std::to_string(spec.cpus()) : "auto", spec.priority()));
  DescribeLimits(spec, out);
}

void DescribeTimeline(const v1::Job& job, std::string& out) {
  Line(out, "Submitted", job.submitted_at());
  if (job.has_started_at())
    Line(out, "Started", job.started_at() + "  after " + SpanText(job.wait_seconds()));
  if (job.has_ended_at())
    Line(out, "Ended", job.ended_at() + "  after " + SpanText(job.run_seconds()));
  if (job.has_exit_code()) Line(out, "Exit code", std::to_string(job.exit_code()));
  if (!job.has_elements()) Line(out, "Retries", RetriesText(job));
  if (job.preemptions() > 0)
    Line(out, "Preempted", Count(job.preemptions(), "time") + " by other jobs");
}

void DescribeXid(const v1::XidNote& note, std::string& out) {
  Line(out, "GPU error",
       fmt::format("XID {} on {} at {}, attempt {}{}", note.xid(), note.gpu(), note.at(),
                   note.attempt(), note.forgiven() ? "; not charged to the job" : ""));
}

void DescribeAttempts(const v1::Job& job, std::string& out) {
  for (const v1::Attempt& attempt : job.attempts()) {
    if (job.attempts_size() > 1)
      Line(out, "Attempt", std::to_string(attempt.number()) + " placed " + attempt.placed_at());
    DescribeAttempt(attempt, out);
  }
}

}  // namespace

bool IsOver(const v1::Job& job) { return job.state() >= v1::COMPLETED; }

std::string GpusText(const v1::JobSpec& spec) {
  const v1::GpuRequest& gpus = spec.gpus();
  if (gpus.count() == 0) return "0";
  std::string text = std::to_string(gpus.count() * spec.nodes());
  if (gpus.share_thousandths() != 1000) text += "×" + Thousandths(gpus.share_thousandths());
  if (gpus.models_size() > 0) text += "×" + gpus.models(0);
  if (gpus.memory_mib() > 0) text += fmt::format("×{}MiB", gpus.memory_mib());
  return text;
}

std::string SpanText(double seconds) {
  return ToText(Duration::Milliseconds(static_cast<int64_t>(seconds * 1000)));
}

std::string PlacesText(const v1::Job& job) {
  return NodeRanges({job.places().begin(), job.places().end()});
}

std::string LabelsText(const v1::JobSpec& spec) {
  const std::map<std::string, std::string> labels(spec.labels().begin(), spec.labels().end());
  std::string text;
  for (const auto& [name, value] : labels) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

std::string ElementsText(const v1::Elements& elements) {
  std::string text;
  const auto add = [&text](int count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(elements.completed(), "done");
  add(elements.failed(), "failed");
  add(elements.cancelled(), "cancelled");
  add(elements.running(), "running");
  add(elements.waiting(), "waiting");
  return text;
}

std::string DescribeJob(const v1::Job& job) {
  const v1::JobSpec& spec = job.spec();
  std::string out = JobHeadline(job);
  DescribeArray(job, out);
  Line(out, "Reason", job.reason());
  Line(out, "Note", job.note());
  DescribeRequest(spec, out);
  Line(out, "By", fmt::format("{}, project {}, queue {}", job.user(), spec.project(), job.queue()));
  DescribeSurroundings(job, out);
  DescribeTimeline(job, out);
  DescribeUse(job.use(), out);
  DescribeCheckpoints(job, out);
  DescribeReports(job, out);
  for (const v1::XidNote& note : job.xids()) DescribeXid(note, out);
  DescribeAttempts(job, out);
  return out;
}

std::string DescribeOutput(const v1::Job& job) {
  std::string out;
  if (job.attempts().empty()) return out;
  Line(out, "Output", "gpu-platform jobs logs " + job.id());
  const auto number = NumberOf(job);
  if (!number) return out;
  const v1::Attempt& last = job.attempts(job.attempts_size() - 1);
  std::set<std::string> nodes;
  for (const v1::Rank& rank : last.ranks()) nodes.insert(rank.node());
  const std::string files =
      fmt::format("STATE/logs/{}/{}/RANK.out and RANK.err", KeyOf(*number), last.number());
  Line(out, "", fmt::format("{}, where STATE is the agent's on {}", files, fmt::join(nodes, ", ")));
  return out;
}

}  // namespace gp
