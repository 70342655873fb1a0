#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/sockets/event_loop.h"

namespace gp {

// Sockets that listen at "HOST:PORT", with one port.  A name may stand for several addresses, of
// which this machine need not have all; an empty host stands for all addresses of this machine.
// Port 0: any.  Errors: kInvalidArgument (the address), kUnavailable (nothing can listen there).
Result<std::vector<Descriptor>> ListenOverTcp(const std::string& address);

// What to say when nothing can listen there.
Error CannotListen(const std::string& where, const Error& why);

// Accepts connections and hands each one on.  While no descriptor is left, the waiting ones wait.
class Listener : public Watched {
 public:
  using Take = std::function<void(Descriptor connection)>;
  // The loop outlives it.  Errors: kUnavailable (no memory is left).
  static Status Begin(EventLoop& loop, Descriptor socket, Take take);

  Listener(EventLoop& loop, Descriptor socket, Take take)
      : loop_(loop), socket_(std::move(socket)), take_(std::move(take)) {}
  void OnReady(uint32_t events) override;
  void OnSecond() override;

 private:
  void Rest();

  EventLoop& loop_;
  const Descriptor socket_;
  const Take take_;
  bool rests_ = false;
};

}  // namespace gp
