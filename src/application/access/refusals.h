#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "ports/inbound/control_gateway.h"

namespace gp {

// Writes refused calls into the journal.  Repeated refusals of a caller are combined into one
// record with their number at an interval, so that an attack cannot fill the disk.  Any thread.
class Refusals {
 public:
  explicit Refusals(ControlGateway& gateway) : gateway_(gateway) {}

  void Note(const Origin& origin, std::string_view operation, const std::string& why);
  // Writes the combined refusals that are due.
  void Flush();

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // principal, host, operation
  struct Repeated {
    Origin origin;
    std::string why;
    int times = 0;  // not written yet
    Instant written_at;
  };

  void Write(const Key& key, Repeated& repeated, Instant now);
  void FlushDue(Instant now);

  ControlGateway& gateway_;
  std::mutex mutex_;
  std::map<Key, Repeated> recent_;
};

}  // namespace gp
