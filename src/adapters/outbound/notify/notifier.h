#pragma once

// Tells receivers outside of what is committed.  The writer's thread only puts it into queues.

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/notify/courier.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class Notifier : public CommitObserver {
 public:
  // `directory`: below it each receiver has one of its own.  kInternal: it cannot be made.
  static Result<std::unique_ptr<Notifier>> Start(const NotifyConfig& config, const std::string& directory, const NotifySay& say, Clock& clock);

  // What happened when the controller before this one died: it was durable, and nobody was told.  Once, in whatever
  // order with OnCommit.
  void CatchUp(const State& state);
  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  explicit Notifier(Clock& clock) : clock_(clock) {}
  std::string IdOf(const State& state, const EventLine& line, Instant at);

  Clock& clock_;
  std::vector<std::unique_ptr<Courier>> couriers_;
  uint64_t told_ = 0;
};

}  // namespace gp
