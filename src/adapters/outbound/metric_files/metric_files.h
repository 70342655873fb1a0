#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ports/inbound/control_gateway.h"
#include "ports/outbound/metric_store.h"

namespace gp {

// MetricStore in files: <directory>/<job>/<attempt>.<rank>.<node>.  Each node has its own, so that
// a node cannot change what another one has reported.  One thread writes, so no caller waits for
// the disk.  What is not of a job that the controller knows is removed: when it forgets a job, and
// when it starts.
class MetricFiles : public MetricStore, public CommitObserver {
 public:
  explicit MetricFiles(std::string directory);
  ~MetricFiles() override { Stop(); }
  // Nothing is kept any more, and nothing that was passed to Keep is called.
  void Stop();

  void Keep(NodeId node, std::vector<MetricPart> parts,
            std::function<void(std::vector<MetricMark>)> kept) override;
  Result<std::vector<MetricRecords>> Read(JobId job) override;
  Result<std::vector<MetricRecords>> ReadAfter(JobId job, const MetricEnds& ends,
                                               size_t bytes_max) override;
  // Removes what is of no job of this state.
  void OnBegin(const State& state, const CommittedRecords& newest) override;
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  bool Post(std::function<void()> work, size_t waiting_max);
  void Run();
  std::string DirectoryOf(JobId job) const;
  // By attempt and rank.
  Result<std::vector<MetricEnds::key_type>> SourcesOf(JobId job) const;
  std::string PathOf(const MetricEnds::key_type& source) const;
  // The end of the source afterwards; nullopt: it could not be written.
  std::optional<int64_t> Append(NodeId node, const MetricPart& part) const;

  const std::string directory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_ending_ = false;
  std::thread writer_;
};

}  // namespace gp
