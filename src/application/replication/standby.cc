#include "application/replication/standby.h"

namespace gp {
namespace {

// Several times in the time for which a member counts as live without it.
constexpr Duration kPublishEvery = Duration::Seconds(2);

}  // namespace

// While the machine has not booted again, its boot clock tells what time it is though the process
// is new.
Status Standby::Remember() {
  if (has_remembered_) return Ok();
  // What it cannot read it does without.
  const Result<std::optional<Member>> found = board_.Find(self_.name);
  if (!found && found.error().code == ErrorCode::kUnavailable) return Fail(found.error());
  const std::optional<Member> own = found ? *found : std::nullopt;
  if (own && own->boot == clock_.BootId()) replica_.Remember(own->sight);
  if (own) replica_.RememberDifference(own->differs_after);
  has_remembered_ = true;
  return Ok();
}

void Standby::PublishWhenDue() {
  if (!replica_.head_time() || clock_.BootNs() < publish_not_before_ns_) return;
  // A failure is tried again at the next turn.
  const uint64_t applied = replica_.journal().LastSequence();
  if (board_.Publish(Self(applied, *replica_.head_time(), replica_.sight())))
    publish_not_before_ns_ = clock_.BootNs() + kPublishEvery.ns;
}

Member Standby::Self(uint64_t applied, Instant told_at,
                     const std::optional<Recovered::Sight>& sight) const {
  Member self = self_;
  self.formats = replica_.formats();
  self.unfit = unfit_;
  self.differs_after = replica_.differs_after();
  self.applied = applied;
  self.told_at = told_at;
  self.boot = sight ? clock_.BootId() : "";
  self.sight = sight.value_or(Recovered::Sight{});
  return self;
}

// A program that cannot read on says so, and stays: a restart would change nothing.  One whose
// state has turned out to differ ends, and what it tells now stays for its operator.
Result<bool> Standby::Follow() {
  const uint64_t differed_after = replica_.differs_after();
  const Result<bool> has_all = replica_.CatchUp();
  if (replica_.differs_after() != differed_after) {
    publish_not_before_ns_ = 0;
    PublishWhenDue();
  }
  const bool is_unfit = !has_all && has_all.error().code == ErrorCode::kUnsupported;
  if (!is_unfit) return has_all;
  BecomeUnfit(has_all.error().message);
  publish_not_before_ns_ = 0;
  return false;
}

// Others follow the leader through it all the same.
Result<Standby::Role> Standby::TurnUnfit() {
  key_.Resign();
  GP_CHECK_OK(replica_.SeeHead());
  PublishWhenDue();
  GP_CHECK_OK(key_.Look());
  return Role::kIsUnfit;
}

Result<Standby::Role> Standby::Turn() {
  const bool led = key_.term() != 0;
  GP_CHECK_OK(Remember());
  if (!unfit_.empty()) return TurnUnfit();
  const bool has_all = GP_TRY(Follow());
  if (!unfit_.empty()) return TurnUnfit();
  // Also while it catches up, or what it still lacks would be trimmed.
  PublishWhenDue();
  if (!has_all) return Role::kIsLate;
  if (!may_create_ && !replica_.head_time())
    return Fail(
        Conflict("the store has no log of this cluster, though this controller has followed "
                 "one: are --store and --cluster right? docs/controllers.md says what to do "
                 "when the store is lost"));
  if (!led) {
    // Only a controller that has everything is a candidate: its lead begins without a delay.
    if (!GP_TRY(key_.TryTake())) return Role::kFollows;
  }
  // The leader before may have written until the very moment at which this term began.
  const auto head = GP_TRY(replica_.SeeHead());
  if (!head) {
    GP_CHECK_OK(log_.Create(replica_.applied(), replica_.chain()));
    return Role::kIsLate;
  }
  head_ = *head;
  return head_.last == replica_.applied() ? Role::kLeads : Role::kIsLate;
}

}  // namespace gp
