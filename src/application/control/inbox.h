#pragma once

// The door of the one writer: a bounded queue of commands and reads from any thread.  Full means
// kUnavailable: the one place of back-pressure.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

struct CommandItem {
  Origin origin;
  std::string request_id;
  Command command;
  std::function<void(const Outcome&)> done;  // may be empty
  Precondition precondition = {};            // may be empty
};

// Runs between two batches: sees only what is durable.
struct ReadItem {
  std::function<void(const State&)> read;
};

using InboxItem = std::variant<CommandItem, ReadItem>;

class Inbox {
 public:
  explicit Inbox(size_t items_max) : items_max_(items_max) {}

  Status Push(std::vector<InboxItem> items);
  // Returns when something was pushed since the last time, whoever took it, when something is left,
  // when the time is over, or after Close.
  void Await(Duration timeout);
  // At most `max`; waits for nothing.
  std::vector<InboxItem> Take(size_t max);
  void Close();
  bool closed() const;

 private:
  const size_t items_max_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<InboxItem> items_;
  bool pushed_ = false;
  bool closed_ = false;
};

}  // namespace gp
