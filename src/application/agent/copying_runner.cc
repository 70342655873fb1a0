#include "application/agent/copying_runner.h"

#include <utility>

#include "base/paths.h"

namespace gp {
namespace {

DataCopy CopyOf(const LaunchSpec& launch, std::string path, std::string url,
                std::string credentials) {
  return {.key = launch.key,
          .path = std::move(path),
          .url = std::move(url),
          .credentials = std::move(credentials),
          .uid = launch.uid,
          .gid = launch.gid,
          .groups = launch.groups,
          .staying = {}};
}

Status NotInTime() {
  return Fail(Error{ErrorCode::kDeadlineExceeded, "not within " + ToText(CopyingRunner::kCopyMax)});
}

void AddMessage(const std::string& text, std::string& message) {
  message += (message.empty() ? "" : "; ") + text;
}

}  // namespace

CopyingRunner::CopyingRunner(DataStore& data, AttemptRunner& runner, Clock& clock)
    : WrappingRunner(runner, "its copies"), data_(data), clock_(clock) {
  WakeAlsoBy(data_.EventDescriptor());
}

void CopyingRunner::SetCopies(const std::string& key, const CopyOrders& orders) {
  attempts_[key].orders = orders;
}

void CopyingRunner::Stop(const std::string& key, Duration grace) {
  if (const auto found = attempts_.find(key); found != attempts_.end() && grace.ns == 0)
    found->second.waits_no_more = true;
  runner_.Stop(key, grace);
}

std::vector<AttemptStatus> CopyingRunner::Observe() {
  data_.ClearEvents();
  std::vector<AttemptStatus> statuses = runner_.Observe();
  for (AttemptStatus& status : statuses) {
    if (status.launch != nullptr && status.launch->copies) Pass(status);
  }
  return statuses;
}

void CopyingRunner::Pass(AttemptStatus& status) {
  Attempt& attempt = attempts_[status.key];
  const bool has_ended = status.phase == AttemptPhase::kExited;
  if (has_ended && attempt.ended_at_ns == 0) attempt.ended_at_ns = clock_.BootNs();
  const bool has_run = status.started_at.ns != 0;
  const bool is_done = PassCheckpoints(attempt, status) &&
                       (!has_ended || !has_run || CopyArtifacts(attempt, status));
  if (is_done) return;
  status.staging = data_.ProgressOf(status.key);
  if (!has_ended) return;
  // Its GPUs are free for others only when nothing of it is left to be done.
  status.phase = AttemptPhase::kRunning;
  status.is_copied_last = true;
  status.ended_at = {};
  status.ended_boot_ns = 0;
}

bool CopyingRunner::PassCheckpoints(Attempt& attempt, AttemptStatus& status) {
  if (!status.launch->copies_checkpoints) return true;
  const int64_t decided = attempt.orders ? attempt.orders->decided : 0;
  for (const CheckpointReport& report : status.progress.checkpoints) {
    if (report.number > decided) attempt.reports.try_emplace(report.number, report);
  }
  std::erase_if(attempt.reports, [&](const auto& one) { return one.first <= decided; });
  if (attempt.copying <= decided) attempt.copying = 0;
  while (CopyNewest(attempt, *status.launch)) {
  }
  std::vector<CheckpointReport>& passed = status.progress.checkpoints;
  std::erase_if(passed, [&](const CheckpointReport& one) { return one.number > decided; });
  bool is_done = true;
  for (const auto& [number, report] : attempt.reports) {
    is_done = !report.is_complete || attempt.copied.contains(number);
    if (!is_done) break;
    passed.push_back(report);
  }
  if (passed.size() > kCheckpointReportsMax)
    passed.erase(passed.begin(), passed.end() - static_cast<int>(kCheckpointReportsMax));
  return is_done;
}

// The newest one first: it is what an attempt resumes from.  True: another one may follow.
bool CopyingRunner::CopyNewest(Attempt& attempt, const LaunchSpec& launch) {
  if (attempt.copying == 0) {
    for (const auto& [number, report] : attempt.reports) {
      if (report.is_complete && !attempt.copied.contains(number)) attempt.copying = number;
    }
  }
  if (attempt.copying == 0) return false;
  CheckpointReport& report = attempt.reports.at(attempt.copying);
  auto result = CopyCheckpoint(attempt, launch, report);
  if (!result && !MayWait(attempt)) result = NotInTime();
  if (!result) return false;
  Decide(attempt, report, *result);
  for (auto& [number, older] : attempt.reports) {
    if (*result && number < attempt.copying && older.is_complete &&
        !attempt.copied.contains(number))
      Decide(attempt, older, Fail(Conflict("there was a newer one before its turn")));
  }
  attempt.copying = 0;
  return true;
}

void CopyingRunner::Decide(Attempt& attempt, CheckpointReport& report, const Status& copied) {
  if (copied) {
    attempt.copied.insert(report.number);
    return;
  }
  report.is_complete = false;
  report.fault = "not copied: " + copied.error().message;
}

std::optional<Status> CopyingRunner::CopyCheckpoint(const Attempt& attempt,
                                                    const LaunchSpec& launch,
                                                    const CheckpointReport& report) {
  if (!attempt.orders) return std::nullopt;
  const CopyOrders& orders = *attempt.orders;
  // Elsewhere the host may have something else at the path than the job has.
  if (WordsBelow(orders.checkpoint_directory, report.path).empty())
    return Fail(InvalidArgument("it is not in checkpoint.dir"));
  DataCopy copy = CopyOf(launch, report.path, orders.checkpoint_url + std::to_string(report.number),
                         orders.credentials);
  copy.is_fixed = true;
  copy.staying = orders.staying;
  return data_.Copy(copy);
}

bool CopyingRunner::CopyArtifacts(Attempt& attempt, AttemptStatus& status) {
  // Another attempt may run already, and copies to the same place.
  if (status.cause == EndCause::kLeaseLost || status.cause == EndCause::kSupervisorLost)
    return true;
  if (!attempt.orders) {
    const bool is_over = !MayWait(attempt);
    if (is_over) AddMessage("its artifacts are not copied: no order for it came", status.message);
    return is_over;
  }
  bool is_done = true;
  for (const ArtifactCopy& artifact : attempt.orders->artifacts) {
    auto done = attempt.artifacts.find(artifact.url);
    if (done == attempt.artifacts.end()) {
      auto result =
          data_.Copy(CopyOf(*status.launch, artifact.path, artifact.url, artifact.credentials));
      if (!result && !MayWait(attempt)) result = NotInTime();
      if (result) done = attempt.artifacts.emplace(artifact.url, *std::move(result)).first;
    }
    if (done == attempt.artifacts.end()) {
      is_done = false;
    } else if (!done->second) {
      AddMessage(artifact.path + " is not copied: " + done->second.error().message, status.message);
    }
  }
  return is_done;
}

bool CopyingRunner::MayWait(Attempt& attempt) {
  if (attempt.ended_at_ns == 0) return true;
  return !attempt.waits_no_more && clock_.BootNs() - attempt.ended_at_ns < kCopyMax.ns;
}

Status CopyingRunner::Forget(const std::string& key) {
  GP_CHECK_OK(runner_.Forget(key));
  if (attempts_.erase(key) > 0) data_.Release(key);
  return Ok();
}

}  // namespace gp
