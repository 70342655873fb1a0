#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/outbound/control_link.h"
#include "ports/outbound/log_reader.h"
#include "ports/outbound/metric_store.h"

namespace gp {

// Sends what supervisors have written of their jobs' metrics to the controller, at most once a
// second and one message at a time.  The controller says how much of a rank it has, so a message
// that is lost, or a new controller, costs nothing: it goes on from there.
class MetricFeed {
 public:
  // `path_of`: the file of a rank.  The reader outlives it.
  MetricFeed(LogReader& files, std::function<std::string(const MetricSource&)> path_of)
      : files_(files), path_of_(std::move(path_of)) {}

  // The ranks that are here, and whether each still runs.  Of others the rest is still sent.
  void Watch(const std::map<MetricSource, bool>& ranks);
  // Another connection: nothing is sent before the controller takes metrics.
  void Begin();
  // The controller takes metrics.
  void Allow() { is_allowed_ = true; }
  void TakeKept(const std::vector<MetricMark>& kept);
  // What is to be sent now; nullopt: nothing.
  std::optional<MetricParts> Next(int64_t boot_ns);

 private:
  struct Progress {
    std::optional<int64_t> kept;  // bytes that the controller has; nullopt: it was not asked yet
    bool is_running = true;
  };
  // nullopt: there is nothing new of it.  Errors: of the reader.
  Result<std::optional<MetricPart>> PartOf(const MetricSource& source, const Progress& progress,
                                           int64_t bytes_max) const;

  LogReader& files_;
  const std::function<std::string(const MetricSource&)> path_of_;
  std::map<MetricSource, Progress> sources_;
  MetricSource last_;  // the next message begins behind it, so that all have their turn
  bool is_allowed_ = false;
  bool waits_ = false;  // for the answer to the last parts
  int64_t next_ns_ = 0;
  int64_t again_ns_ = 0;  // the answer has not come: send again
};

}  // namespace gp
