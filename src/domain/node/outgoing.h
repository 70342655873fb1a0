#pragma once

// Messages of an agent that wait to be sent, in order. Reports are complete, so a newer report
// replaces a waiting one. All other messages are kept: a join or a change of GPUs is sent only
// once.

#include <deque>
#include <utility>

namespace gp {

// The queue of one connection. Not thread-safe.
template <typename Message>
class Outgoing {
 public:
  void Add(Message message) { waiting_.push_back({std::move(message), false}); }
  void AddReport(Message report) {
    std::erase_if(waiting_, [](const Waiting& one) { return one.is_report; });
    waiting_.push_back({std::move(report), true});
  }
  bool empty() const { return waiting_.empty(); }
  // REQUIRES: not empty.
  Message Take() {
    Message next = std::move(waiting_.front().message);
    waiting_.pop_front();
    return next;
  }

 private:
  struct Waiting {
    Message message;
    bool is_report = false;
  };
  std::deque<Waiting> waiting_;
};

}  // namespace gp
