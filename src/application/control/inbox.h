#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// A command and the function that receives its result.
struct CommandItem {
  Origin origin;
  ClientRequest request;
  Command command;
  WhenDone done;                   // may be empty
  Precondition precondition = {};  // may be empty
  // Whether jobs are accepted, for all commands of one request; nullopt: not asked yet.  Of the
  // writer's thread.
  std::shared_ptr<std::optional<Status>> admission = {};  // nullptr: it is a request of its own
};

// Runs between two batches, so it sees only durable state.
struct ReadItem {
  std::function<void(const State&)> read;
};

using InboxItem = std::variant<CommandItem, ReadItem>;

// The bounded queue of commands and reads in front of the writer.  Any thread may push; if it is
// full, Push fails with kUnavailable.  This is the only place of back-pressure.
class Inbox {
 public:
  explicit Inbox(size_t items_max) : items_max_(items_max) {}

  Status Push(std::vector<InboxItem> items);
  // Returns if something was pushed since the last Await (even if it was taken since), if an item
  // is left, after the timeout, or after Close.
  void Await(Duration timeout);
  // Takes at most `max` items without waiting.
  std::vector<InboxItem> Take(size_t max);
  void Close();
  bool closed() const;
  size_t size() const;

 private:
  const size_t items_max_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<InboxItem> items_;
  bool pushed_ = false;
  bool closed_ = false;
};

}  // namespace gp
