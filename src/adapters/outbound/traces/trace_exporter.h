#pragma once

// Sends the spans of jobs that have ended to a collector.  Traces are for looking at, not for
// keeping books: what a collector does not take in time is lost, and said.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/event_log/event_line.h"
#include "adapters/outbound/http/web_post.h"
#include "adapters/outbound/traces/span.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class TraceExporter : public CommitObserver {
 public:
  struct Options {
    WebAddress collector;         // with its path
    std::string version;          // of this program
    size_t waiting_max = 20'000;  // spans
    // Words for whoever keeps the host, from the exporter's thread.
    std::function<void(LogLevel, const std::string&)> say;
  };

  explicit TraceExporter(Options options);
  // What waits is sent, if the collector takes it at once.
  ~TraceExporter() override;

  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  void Run();
  std::vector<Span> Next(std::unique_lock<std::mutex>& lock);
  enum class Outcome { kTaken, kLater, kRefused };
  Outcome Send(const std::vector<Span>& spans, Duration time_limit, int stop_fd);
  void Restore(std::vector<Span> batch);
  void SayLost(size_t spans) const;

  const Options options_;
  int stop_fd_;  // readable: end what runs
  bool is_reached_ = true;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Span> waiting_;
  size_t lost_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

// "http://127.0.0.1:4318" as a collector's address for traces: /v1/traces where it has no path.
Result<WebAddress> ParseCollector(const std::string& url);

}  // namespace gp
