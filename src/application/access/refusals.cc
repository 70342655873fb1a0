#include "application/access/refusals.h"

#include "base/text.h"

namespace gp {
namespace {

constexpr Duration kTogether =
    Duration::Seconds(10);             // one record for a caller and operation in this time
constexpr size_t kCallersMax = 1'000;  // further callers are combined as "others"

// "127.0.0.1:40312" -> "127.0.0.1": a caller may come from another port each time.
std::string HostOf(const std::string& from) { return from.substr(0, from.rfind(':')); }

}  // namespace

void Refusals::Note(const Origin& origin, std::string_view operation, const std::string& why) {
  const Instant now = gateway_.Now();
  const std::lock_guard lock(mutex_);
  FlushDue(now);
  Key key{origin.principal, HostOf(origin.from), std::string(operation)};
  if (recent_.size() >= kCallersMax && !recent_.contains(key)) key = {"others", "", "any"};
  const auto [found, is_new] = recent_.try_emplace(key);
  Repeated& repeated = found->second;
  repeated.origin = std::get<0>(key) == "others" ? Origin("others") : origin;
  repeated.why = Printable(why, 200);
  ++repeated.times;
  if (is_new) Write(key, repeated, now);
}

void Refusals::Flush() {
  const std::lock_guard lock(mutex_);
  if (!recent_.empty()) FlushDue(gateway_.Now());
}

void Refusals::FlushDue(Instant now) {
  for (auto next = recent_.begin(); next != recent_.end();) {
    auto& [key, repeated] = *next;
    if (now - repeated.written_at < kTogether) {
      ++next;
      continue;
    }
    if (repeated.times > 0) {
      Write(key, repeated, now);
      ++next;
    } else {
      next = recent_.erase(next);
    }
  }
}

// Does not wait; if the writer's inbox is full, the next flush tries again.
void Refusals::Write(const Key& key, Repeated& repeated, Instant now) {
  if (!gateway_.Post(repeated.origin, NoteRefusal{std::get<2>(key), repeated.why, repeated.times},
                     {}))
    return;
  repeated.times = 0;
  repeated.written_at = now;
}

}  // namespace gp
