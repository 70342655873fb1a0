#pragma once

// One thread with its connections.  Those whose answers go on are looked at together, and not more
// often than a person can tell: a thousand of them cost a busy controller little.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

namespace gp {

// An answer that goes on.
class Streaming {
 public:
  virtual ~Streaming() = default;
  // Sends what there is; where there is nothing, a heartbeat if it is asked for one.
  virtual void Push(bool is_beat) = 0;
};

class Lane {
 public:
  boost::asio::io_context& context() { return context_; }
  void Add(std::weak_ptr<Streaming> stream) { streams_.push_back(std::move(stream)); }
  // Until the context is stopped.
  void Run();
  // There may be more to send.  Any thread.
  void Wake();

 private:
  void Look();
  void Beat();
  void PushAll(bool is_beat);

  boost::asio::io_context context_{1};  // its one thread wakes no other
  boost::asio::steady_timer pause_{context_};
  boost::asio::steady_timer beat_{context_};
  bool is_resting_ = false;
  std::atomic<bool> is_notified_ = false;
  std::vector<std::weak_ptr<Streaming>> streams_;
};

}  // namespace gp
