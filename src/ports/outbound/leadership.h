#pragma once

#include <functional>
#include <utility>

#include "base/result.h"

namespace gp {

// Whether this controller still leads.  What it says without a change of the journal must wait for
// a proof: a controller that was suspended, or is cut off, does not know that another one leads.
// A proof begins after what waits for it, and does not rest on any clock.  Any thread.
class Leadership {
 public:
  virtual ~Leadership() = default;
  // Calls `then`, on any thread, when it is proven that this controller has led at some moment
  // after the call; never, if another one leads.  `then` must not wait.
  virtual void WhenProven(std::function<void()> then) = 0;
  // Likewise, for what many ask all the time and nobody waits for: up to a tenth of a second later,
  // so that one proof serves them all.
  virtual void WhenProvenSoon(std::function<void()> then) { WhenProven(std::move(then)); }
  // Waits for such a proof.  Errors: kUnavailable (another controller leads, or it cannot be known
  // which one does).
  virtual Status Await() = 0;
};

}  // namespace gp
