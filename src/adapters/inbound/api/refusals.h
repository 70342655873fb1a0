#pragma once

// What was refused, on its way into the journal.  Who asks again and again is written down once in
// a while, with how often: an attack fills no disk.  All calls are for any thread.

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "ports/inbound/control_gateway.h"

namespace gp {

class Refusals {
 public:
  explicit Refusals(ControlGateway& gateway) : gateway_(gateway) {}

  void Note(const Origin& origin, std::string_view operation, const std::string& why);
  // Those that have waited for long enough.
  void Flush();

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // who, from which host, what
  struct Repeated {
    Origin origin;
    std::string why;
    int times = 0;  // that are not written down
    Instant written_at;
  };

  void Write(const Key& key, Repeated& repeated, Instant now);
  void FlushDue(Instant now);

  ControlGateway& gateway_;
  std::mutex mutex_;
  std::map<Key, Repeated> recent_;
};

}  // namespace gp
