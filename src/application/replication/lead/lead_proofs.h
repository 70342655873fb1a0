#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace gp {

// What waits for a proof of the lead, and for which one: a proof serves all that waited when it
// began, and nothing that came later, because another controller may have led in between.  It knows
// no threads; its owner guards it.
class LeadProofs {
 public:
  using Then = std::function<void()>;

  void Add(Then then) { waiting_.push_back(std::move(then)); }
  bool has_waiting() const { return !waiting_.empty() || !served_.empty(); }

  // A proof begins, one at a time.  If the one before found no answer, it serves those as well: it
  // begins later still.
  void Begin();
  // It has succeeded: these may go on.
  std::vector<Then> Succeed();

 private:
  std::vector<Then> waiting_;
  std::vector<Then> served_;  // by the proof under way
};

}  // namespace gp
