#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace gp {

// What somebody wants of the controller.
struct WatchRequest {
  enum class What {
    kCancel,
    kHold,
    kRelease,
    kDrain,
    kOnline,
    kReadLog,
    kExplainJob,
    kDescribeJob,
    kDescribeNode
  };
  What what = What::kDescribeJob;
  std::string subject;  // id of a job, name of a node, or "node/3" of a GPU
  bool errors = false;  // kReadLog: standard error instead of standard output
  int width = 0;        // columns of a table in the answer; 0: any number

  bool operator==(const WatchRequest&) const = default;
};

// Whether the request changes something.
inline bool IsChange(const WatchRequest& request) {
  return request.what <= WatchRequest::What::kOnline;
}

struct WatchAnswer {
  WatchRequest request;
  Result<std::string> text;  // one line for a change, else the lines of a page; text of users
};

// Who performs requests, in their order, while the screen goes on.  One thread calls.
class WatchCaller {
 public:
  virtual ~WatchCaller() = default;
  virtual void Ask(const WatchRequest& request) = 0;
  // The next answer, if there is one.
  virtual std::optional<WatchAnswer> Take() = 0;
};

}  // namespace gp
