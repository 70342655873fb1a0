#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "files/descriptor.h"
#include "lib/sockets/event_loop.h"

namespace gp {

// A connection of which nothing is known yet: its first byte tells an agent's from others, and an
// agent's greeting says whether it uses TLS.  One that says nothing is closed.
class Newcomer : public Watched {
 public:
  struct Hosts {
    // Its greeting has been read.
    std::function<void(Descriptor, bool has_tls)> agent;
    // Nothing has been read.
    std::function<void(Descriptor)> other;
    // One that is silent for longer is closed.
    std::chrono::milliseconds patience;
  };
  // All outlive it.
  Newcomer(EventLoop& loop, const Hosts& hosts, Descriptor connection)
      : loop_(loop), hosts_(hosts), connection_(std::move(connection)) {}

  int descriptor() const { return connection_.get(); }
  void OnReady(uint32_t events) override;
  void OnSecond() override;

 private:
  // The loop forgets it, before its descriptor gets another owner.
  Descriptor Leave();

  EventLoop& loop_;
  const Hosts& hosts_;
  Descriptor connection_;
  const std::chrono::steady_clock::time_point came_at_ = std::chrono::steady_clock::now();
  std::string greeting_;  // as far as it has come
};

}  // namespace gp
