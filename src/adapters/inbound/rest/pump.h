#pragma once

// Streaming answers from calls that block: each call has its own thread, and the connection sends
// what it writes.

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "adapters/inbound/rest/http.h"
#include "base/result.h"

namespace gp {

// A bounded buffer between the thread that makes an answer and the connection that sends it.
class Pump {
 public:
  // For the thread that makes the answer.
  void Begin();
  // Waits while kUnsentMax bytes or more are unsent.  False: the reader is gone.
  bool Write(std::string piece);
  bool IsGone() const;
  void End(Status made);
  bool HasEnded() const;

  // For the connection, as in HttpStream.
  std::optional<std::string> Take();
  std::optional<Error> Failure() const;
  bool HasBegun() const;
  void OnNews(std::function<void()> tell);
  void Abandon();

 private:
  static constexpr size_t kUnsentMax = 256 << 10;

  void Tell();

  mutable std::mutex mutex_;
  std::condition_variable taken_;
  std::string unsent_;
  std::optional<Status> ended_;
  bool has_begun_ = false;
  bool is_abandoned_ = false;
  std::function<void()> tell_;
};

// The threads of all pumps, limited in number.  Any thread.
class Pumps {
 public:
  using Make = std::function<Status(Pump&)>;

  explicit Pumps(size_t max = 256, size_t max_of_one = 64) : max_(max), max_of_one_(max_of_one) {}
  // Abandons all pumps and waits for their threads.
  ~Pumps();

  // `owner`: the limit `max_of_one` applies to each owner.  kUnavailable: the owner or all together
  // have reached the limit.
  Result<std::shared_ptr<Pump>> Start(const std::string& owner, Make make);
  // Marks all readers as gone.
  void Abandon();

 private:
  struct Running {
    std::string owner;
    std::shared_ptr<Pump> pump;
    std::thread thread;
  };

  const size_t max_;
  const size_t max_of_one_;
  std::mutex mutex_;
  std::list<Running> running_;
};

// A connection's end of a pump.
class PumpedStream : public HttpStream {
 public:
  // `beat`: sent when there is nothing else.  `may_go_on`: called at each heartbeat; an error, such
  // as an expired token, ends the stream.
  PumpedStream(std::shared_ptr<Pump> pump, std::string beat, std::function<Status()> may_go_on)
      : pump_(std::move(pump)), beat_(std::move(beat)), may_go_on_(std::move(may_go_on)) {}
  ~PumpedStream() override;

  std::optional<std::string> Take() override { return stopped_by_ ? std::nullopt : pump_->Take(); }
  std::optional<Error> Failure() const override {
    return stopped_by_ ? stopped_by_ : pump_->Failure();
  }
  bool HasBegun() const override { return pump_->HasBegun(); }
  void OnNews(std::function<void()> tell) override { pump_->OnNews(std::move(tell)); }
  std::string Heartbeat() override;

 private:
  const std::shared_ptr<Pump> pump_;
  const std::string beat_;
  const std::function<Status()> may_go_on_;
  std::optional<Error> stopped_by_;
};

}  // namespace gp
