#pragma once

// Metrics of training that jobs report: docs/metrics.md.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"

namespace gp {

// The values of one metric in a short time, together.
struct MetricPoint {
  std::string name;
  int64_t step = 0;   // of the last value
  Instant at;         // of the last value, by the node's clock
  int64_t count = 0;  // of values, at least 1
  double min = 0;     // of all but NaN; NaN: there are none
  double max = 0;
  double last = 0;  // may be NaN or infinite
};

// Who reported.
struct MetricSource {
  JobId job;
  int attempt = 0;
  int rank = 0;
  auto operator<=>(const MetricSource&) const = default;
};

// A piece of what a source has reported, in the form of supervisor/records/metric_record.h: bytes
// that are appended, and never changed.
struct MetricPart {
  MetricSource source;
  int64_t offset = 0;
  std::string bytes;  // whole lines; empty: asks how much is kept
};

// How much of a source is kept.
struct MetricMark {
  MetricSource source;
  int64_t end = 0;  // bytes
};

// A page about the job, such as its run in a tracking service.
struct JobLink {
  std::string name;
  std::string url;
  bool operator==(const JobLink&) const = default;
};

// What is kept of one source of a job, or the next piece of it.
struct MetricRecords {
  MetricSource source;
  NodeId node;                      // that has sent them
  std::vector<MetricPoint> points;  // in the order of their writing
  std::vector<JobLink> links;       // likewise
  int64_t end = 0;                  // bytes up to here
};

// Up to where each source, as a node has sent it, has been read.
using MetricEnds = std::map<std::pair<MetricSource, NodeId>, int64_t>;

// What nodes have sent of their jobs' metrics.  A copy: the node's own file is the original.  Any
// thread may call it.
class MetricStore {
 public:
  virtual ~MetricStore() = default;

  // Appends, in the background, what follows directly what is kept of its source, and ignores the
  // rest; then calls `kept`, on another thread, with the ends of these sources.  Never calls it if
  // the store is busy or failed: the agent sends the parts again.
  virtual void Keep(NodeId node, std::vector<MetricPart> parts,
                    std::function<void(std::vector<MetricMark>)> kept) = 0;
  // All sources of the job, by attempt and rank; empty: nothing is known.  Errors: kInternal
  // (unreadable).
  virtual Result<std::vector<MetricRecords>> Read(JobId job) = 0;
  // What follows these ends, by attempt and rank: about `bytes_max` bytes of all sources together,
  // and of each source some or nothing.  Empty: there is no more.  Errors: kInvalidArgument (an end
  // that is none), kInternal (unreadable).
  virtual Result<std::vector<MetricRecords>> ReadAfter(JobId job, const MetricEnds& ends,
                                                       size_t bytes_max) = 0;
};

}  // namespace gp
