#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/traces/span.h"
#include "adapters/wire/event_line.h"
#include "lib/http/web_post.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// Sends the spans of jobs that have ended to a collector.  Traces are for viewing, not for
// accounting: spans that the collector does not accept in time are dropped, and the exporter logs
// how many.  The writer's thread calls OnCommit, which only queues; an own thread sends.
class TraceExporter : public CommitObserver {
 public:
  struct Options {
    WebAddress collector;         // with its path
    std::string version;          // of this program
    size_t waiting_max = 20'000;  // spans
    // Logs a message for the operator; called on the exporter's thread.
    std::function<void(LogLevel, const std::string&)> say;
  };

  explicit TraceExporter(Options options);
  // Sends the queued spans once more, if the collector accepts them at once.
  ~TraceExporter() override;

  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  void Run();
  std::vector<Span> Next(std::unique_lock<std::mutex>& lock);
  enum class Outcome { kTaken, kLater, kRefused };
  Outcome Send(const std::vector<Span>& spans, Duration time_limit, int stop_fd);
  void Restore(std::vector<Span> batch);
  void SayLost(size_t spans) const;

  const Options options_;
  int stop_fd_;  // readable: stop what runs
  bool is_reached_ = true;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Span> waiting_;
  size_t lost_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

// Parses a collector's address, "http://127.0.0.1:4318"; without a path it gets /v1/traces.
Result<WebAddress> ParseCollector(const std::string& url);

}  // namespace gp
