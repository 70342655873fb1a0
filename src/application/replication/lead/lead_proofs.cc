#include "application/replication/lead/lead_proofs.h"

namespace gp {

void LeadProofs::Begin() {
  for (Then& then : waiting_) served_.push_back(std::move(then));
  waiting_.clear();
}

std::vector<LeadProofs::Then> LeadProofs::Succeed() { return std::exchange(served_, {}); }

}  // namespace gp
