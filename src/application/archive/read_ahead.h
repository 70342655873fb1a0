#pragma once

#include <deque>
#include <functional>
#include <future>
#include <utility>

#include "base/result.h"

namespace gp {

inline constexpr size_t kArchiveReads = 8;  // at once

// Calls `visit(index, what load(index) returned)` for each index below `count`, in order, while up
// to `threads` later ones are loaded.  Ends with the first error of `visit`, which decides what an
// error of `load` means.
template <typename Loaded>
Status ReadAhead(size_t count, size_t threads, const std::function<Result<Loaded>(size_t)>& load,
                 const std::function<Status(size_t, Result<Loaded>)>& visit) {
  std::deque<std::future<Result<Loaded>>> ahead;
  size_t next = 0;
  for (size_t index = 0; index < count; ++index) {
    for (; next < count && ahead.size() < threads; ++next)
      ahead.push_back(std::async(std::launch::async, load, next));
    Result<Loaded> loaded = ahead.front().get();
    ahead.pop_front();
    GP_CHECK_OK(visit(index, std::move(loaded)));
  }
  return Ok();
}

}  // namespace gp
