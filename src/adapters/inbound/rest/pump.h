#pragma once

// Answers that are made by calls which wait: each has a thread of its own, that writes what a
// connection sends when it can.

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

// Between the thread that makes an answer and the connection that sends it.
class Pump {
 public:
  // The maker's side.
  void Begin();
  // Waits while much is not sent yet.  False: nobody reads any more.
  bool Write(std::string piece);
  bool IsGone() const;
  void End(Status made);
  bool HasEnded() const;

  // The connection's side; as in HttpStream.
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

// The threads.
class Pumps {
 public:
  using Make = std::function<Status(Pump&)>;

  explicit Pumps(size_t max = 256, size_t max_of_one = 64) : max_(max), max_of_one_(max_of_one) {}
  // Waits for all of them.
  ~Pumps();

  // `owner`: who may have so many of them.  kUnavailable: there are as many as may be, of this
  // owner or of all.
  Result<std::shared_ptr<Pump>> Start(const std::string& owner, Make make);
  // Tells all that nobody reads any more.
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

// What a connection holds of a pump.
class PumpedStream : public HttpStream {
 public:
  // `beat`: what is sent where nothing else is.  `may_go_on`: asked now and then; an error cuts it
  // short, as that of a token that is over.
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
