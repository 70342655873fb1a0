#pragma once

// Tells one receiver the newest values of the metrics that jobs report.  They are not kept like
// notifications of events: what cannot be delivered is replaced by what is newer, so nothing piles
// up for a receiver that is away, and a restart forgets what was not delivered.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/outbound/notify/notification.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/metric_cursor.h"
#include "ports/outbound/metric_store.h"
#include "ports/outbound/operator_log.h"

namespace gp {

struct ReportingJob {
  JobId id;
  EventLine line;       // its fields in each notification
  MetricPlaces places;  // whose reports count
  bool is_over = false;
};

// Which jobs are looked for.
struct ReportingQuery {
  bool running = false;                             // all that run
  std::set<JobId> also;                             // those of these that are known
  std::function<bool(const EventLine&)> is_wanted;  // of all these, by their lines
};

// Where reports of jobs are found.
struct JobReportSource {
  MetricStore* store = nullptr;  // nullptr: jobs report nothing
  // Any thread.
  std::function<Result<std::vector<ReportingJob>>(const ReportingQuery& query)> jobs;
};

class MetricTeller {
 public:
  // `say` is called on the teller's thread.
  MetricTeller(NotifyConfig config, Receiver receiver, JobReportSource source,
               std::function<void(LogLevel, const std::string&)> say, Clock& clock);
  ~MetricTeller();
  // Starts the shutdown without waiting.
  void End();
  // Waits for the shutdown.  Call it once.
  void Join();
  // The job has ended: the receiver gets its last values some seconds later, when all have arrived.
  // Any thread; does not block.
  void NoteEnd(JobId job);

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Newest {
    int attempt = 0;
    int rank = 0;
    MetricPoint point;
  };
  struct Known {
    MetricCursor cursor;
    std::map<std::string, Newest> values;  // by name
    bool is_fresh = false;                 // some are not told yet
  };
  struct Ended {
    SteadyClock::time_point due;
    int tries = 0;
  };

  void Run();
  // Until the next round: at this time, or when jobs that have ended are due, but for those not
  // before `ends_from`.  False: the teller ends.
  bool AwaitNext(SteadyClock::time_point next, SteadyClock::time_point ends_from);
  std::map<JobId, Ended> TakeDue();
  void TellAll(bool is_due, std::map<JobId, Ended> ended);
  // Of what is known, keeps the running jobs, those of which the last values are not delivered,
  // and, if the running ones were not looked for, all that were not either.
  void Forget(const ReportingQuery& query, const std::vector<ReportingJob>& jobs);
  Status TellOne(const ReportingJob& job, const Known& known);
  void Read(const ReportingJob& job, Known& known, size_t& bytes_left);
  static void Take(const MetricRecords& records, Known& known);
  void TryAgain(const std::map<JobId, Ended>& ended);
  void SayProblem(const std::string& problem);

  const NotifyConfig config_;
  const Receiver receiver_;
  const JobReportSource source_;
  const std::function<void(LogLevel, const std::string&)> say_;
  Clock& clock_;
  const int stop_fd_;  // readable: stop what runs

  // Used only by the teller's thread.
  std::map<JobId, Known> known_;
  std::string problem_;

  std::mutex mutex_;  // held briefly, also by the writer's thread
  std::condition_variable changed_;
  std::map<JobId, Ended> ended_;
  bool is_ending_ = false;

  std::thread thread_;
};

}  // namespace gp
