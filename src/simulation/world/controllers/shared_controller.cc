#include "simulation/world/controllers/shared_controller.h"

#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr int kTriesMax = 6;

Duration Moment(Rng& rng, int longest_us) {
  return Duration::Nanoseconds(1'000 *
                               static_cast<int64_t>(rng.Below(static_cast<uint64_t>(longest_us))));
}

}  // namespace

SharedController::SharedController(QuorumStore& store, Journal& own, Clock& clock,
                                   std::string machine, std::string name, Duration lease_time,
                                   Place place)
    : place_(std::move(place)),
      store_(store),
      clock_(clock),
      log_(store, StoreKeys("world")),
      key_(store, StoreKeys("world"), std::move(name), lease_time),
      replica_(log_, own, clock, {place_.records_per_snapshot, {}, {}, place_.formats}),
      standby_(log_, key_, replica_, clock, Member{.name = machine}),
      controllers_(store, health_, StoreKeys("world"), machine) {}

Journal& SharedController::BeginLead() {
  const LogHead& head = standby_.head();
  writer_.emplace(log_, key_.term(), head, [](int tries) { return tries < kTriesMax; }, &written_);
  trimmer_.emplace(store_, log_.keys(), clock_, key_.term(), head.last, written_, place_.trim);
  journal_.emplace(*writer_, replica_.journal(),
                   [this](Instant now) { return standby_.TellOfItself(now); });
  return *journal_;
}

Result<bool> SharedController::Care() {
  IgnoreResult(controllers_.Look(), "what was seen before counts");
  return trimmer_->Turn();
}

uint64_t SharedController::FormatOfAll() const {
  const std::optional<ControllersSeen> seen = controllers_.LastSeen();
  return seen ? gp::FormatOfAll(*seen, /*without_silent=*/false) : 0;
}

void SharedController::WhenProven(std::function<void()> then) {
  proofs_.Add(std::move(then));
  if (!std::exchange(proves_, true)) Prove();
}

// The process asks, the store reads, the process hears of it: each at its own time, whatever
// happens in between.
void SharedController::Prove() {
  const std::weak_ptr<int> alive = alive_;
  place_.timeline.After(Moment(place_.rng, 500), [this, alive] {
    if (alive.expired()) return;
    place_.run([this, alive] {
      proofs_.Begin();
      place_.timeline.After(Moment(place_.rng, 2'000), [this, alive] {
        if (alive.expired()) return;
        const Result<bool> leads = key_.Leads();
        place_.timeline.After(Moment(place_.rng, 2'000), [this, alive, leads] {
          if (!alive.expired()) place_.run([this, leads] { EndProof(leads); });
        });
      });
    });
  });
}

void SharedController::EndProof(const Result<bool>& leads) {
  if (leads && !*leads) return place_.deposed();
  if (leads) {
    for (const LeadProofs::Then& then : proofs_.Succeed()) then();
  }
  if (proofs_.has_waiting()) return Prove();
  proves_ = false;
}

Status SharedController::Await() {
  const bool leads = GP_TRY(key_.Leads());
  if (!leads) place_.deposed();
  return Ok();
}

}  // namespace gp
