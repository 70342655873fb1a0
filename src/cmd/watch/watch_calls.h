#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "cmd/watch/watch_caller.h"
#include "cmd/watch/watch_line.h"

namespace gp {

// Performs one request: a change with its outcome, or a page of text.
Result<std::string> Perform(const WatchRequest& request, WatchLine& line);

// Performs requests in a thread of its own.  Its end does not wait for the controller; requests
// whose turn has not come are dropped then.
class WatchCalls : public WatchCaller {
 public:
  explicit WatchCalls(std::string place);
  ~WatchCalls() override;
  void Ask(const WatchRequest& request) override;
  std::optional<WatchAnswer> Take() override;

 private:
  void Work();

  WatchLine line_;
  std::mutex mutex_;
  std::condition_variable news_;
  bool is_over_ = false;
  std::deque<WatchRequest> requests_;
  std::deque<WatchAnswer> answers_;
  std::thread thread_;
};

}  // namespace gp
