#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

namespace gp {

// A connection with a streaming answer.
class Streaming {
 public:
  virtual ~Streaming() = default;
  // Sends what is available; otherwise a heartbeat if `is_beat`.
  virtual void Push(bool is_beat) = 0;
};

// One thread with its connections.  All its streaming answers are served together, with a short
// pause between: a thousand of them cost a busy controller little.
class Lane {
 public:
  boost::asio::io_context& context() { return context_; }
  void Add(std::weak_ptr<Streaming> stream) { streams_.push_back(std::move(stream)); }
  // Returns when the context is stopped.
  void Run();
  // Streams may have more to send.  Any thread.
  void Wake();

 private:
  void Look();
  void Beat();
  void PushAll(bool is_beat);

  boost::asio::io_context context_{1};  // 1: only one thread runs it
  boost::asio::steady_timer pause_{context_};
  boost::asio::steady_timer beat_{context_};
  bool is_resting_ = false;
  std::atomic<bool> is_notified_ = false;
  std::vector<std::weak_ptr<Streaming>> streams_;
};

}  // namespace gp
