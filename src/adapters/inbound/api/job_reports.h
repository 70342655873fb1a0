#pragma once

// What the answers about a job show of its metrics and links: which metrics are not finite
// any more, and its links.  Each look reads only what the job has reported since the one before.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/model/jobs/job.h"
#include "gpu_platform/v1/control.pb.h"
#include "ports/outbound/metric_cursor.h"
#include "ports/outbound/metric_store.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The nodes of an attempt, by rank.
struct AttemptNodes {
  int attempt = 0;
  std::vector<NodeId> nodes;
};

// Cheap enough for the writer's thread, unlike the set that MetricPlacesOf makes of it.
std::vector<AttemptNodes> NodesOfAttempts(const Job& job);
MetricPlaces MetricPlacesOf(JobId job, const std::vector<AttemptNodes>& attempts);

// "train/loss is nan since step 812"; empty: all are finite.
std::string NotFiniteText(const v1::Job& job);

// Any thread; no lock is held while the store reads.
class JobReports {
 public:
  // `store`: nullptr: no job reports anything.
  explicit JobReports(MetricStore* store) : store_(store) {}

  // Only the fields `not_finite` and `links`.  About `bytes_max` are read, in pieces of 1 MiB: of a
  // job that has reported more since the last look, the newest values may be missing until the next
  // one.  Errors: as MetricStore::ReadAfter.
  Result<v1::Job> Of(JobId job, const MetricPlaces& places, size_t bytes_max = kBytesMax);

 private:
  static constexpr size_t kBytesMax = size_t{128} << 20;
  static constexpr size_t kJobsMax = 256;  // that are remembered

  // Of one name and rank.
  struct Curve {
    int attempt = 0;
    double last = 0;
    std::optional<int64_t> since;  // step since which no value is finite
  };
  struct Link {
    int attempt = 0;
    int rank = 0;
    std::string url;
  };
  struct Seen {
    MetricCursor cursor;
    std::map<std::pair<std::string, int>, Curve> curves;
    std::map<std::string, Link> links;
  };
  struct Remembered {
    std::shared_ptr<const Seen> seen;
    uint64_t used = 0;
  };

  static void TakePoint(const MetricSource& source, const MetricPoint& point, Seen& seen);
  static void TakeLink(const MetricSource& source, const JobLink& link, Seen& seen);
  static void Take(const std::vector<MetricRecords>& records, const MetricPlaces& places,
                   Seen& seen);
  static v1::Job ToMessage(const Seen& seen);
  std::shared_ptr<const Seen> Recall(JobId job);
  void Remember(JobId job, std::shared_ptr<const Seen> seen);

  MetricStore* const store_;
  std::mutex mutex_;
  std::map<JobId, Remembered> jobs_;
  uint64_t uses_ = 0;
};

}  // namespace gp
