#pragma once

// Tells receivers outside of what is committed.  The writer's thread only puts it into queues.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/outbound/notify/courier.h"
#include "base/text.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class Notifier : public CommitObserver {
 public:
  // `directory`: below it each receiver has one of its own.  kInternal: they cannot be made.
  static Result<std::unique_ptr<Notifier>> Start(const NotifyConfig& config, const std::string& directory, const NotifySay& say, Clock& clock);
  ~Notifier() override;

  // What happened when the controller before this one died: it was durable, and nobody was told.  On the writer's thread, as
  // OnCommit, which does it by itself where it comes first.
  void CatchUp(const State& state);
  void OnCommit(const State& state, const std::vector<Event>& events) override;

  // Of all receivers; any thread, as long as this lives.
  std::vector<std::pair<const Receiver*, Courier::Standing>> Standings() const;

 private:
  explicit Notifier(Clock& clock) : clock_(clock) {}
  std::string NextId(Instant at) { return ToBase32(static_cast<uint64_t>(at.ns)) + "." + std::to_string(++told_); }

  Clock& clock_;
  std::vector<std::unique_ptr<Courier>> couriers_;
  uint64_t told_ = 0;
  bool has_caught_up_ = false;
};

}  // namespace gp
