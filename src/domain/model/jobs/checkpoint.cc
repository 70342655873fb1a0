#include "domain/model/jobs/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

#include "base/assert.h"
#include "base/paths.h"

namespace gp {
namespace {

// The largest integer whose square is not above the value.
int64_t SquareRoot(int64_t value) {
  int64_t root = 0;
  for (int64_t bit = int64_t{1} << 31; bit > 0; bit >>= 1) {
    const int64_t next = root + bit;
    if (next <= value / next) root = next;
  }
  return root;
}

bool IsBetter(BestScore best, const Checkpoint& one, const Checkpoint& other) {
  return best == BestScore::kMin ? one.score < other.score : one.score > other.score;
}

// The best checkpoint; of equal ones the newest.
const Checkpoint* BestOf(BestScore best, const std::vector<Checkpoint>& checkpoints) {
  const Checkpoint* found = nullptr;
  if (best == BestScore::kNone) return found;
  for (const Checkpoint& one : checkpoints) {
    if (one.is_complete && one.is_scored && (found == nullptr || !IsBetter(best, *found, one)))
      found = &one;
  }
  return found;
}

// For each checkpoint, whether it must stay: the newest complete ones, the best, and the one from
// which an attempt starts.
std::vector<bool> FindKept(const CheckpointRequest& request, int beginning,
                           const std::vector<Checkpoint>& checkpoints) {
  std::vector<bool> kept(checkpoints.size(), false);
  int left = std::max(request.keep, 1);
  for (size_t i = checkpoints.size(); i-- > 0 && left > 0;) {
    if (!checkpoints[i].is_complete) continue;
    kept[i] = true;
    --left;
  }
  const Checkpoint* needed = beginning == 0 ? nullptr : NewestBefore(beginning, checkpoints);
  for (const Checkpoint* one : {BestOf(request.best, checkpoints), needed}) {
    if (one != nullptr) kept[static_cast<size_t>(one - checkpoints.data())] = true;
  }
  return kept;
}

// Removes nothing whose path overlaps with a checkpoint that stays.
void TakeOutSurplus(const CheckpointRequest& request, int beginning,
                    std::vector<Checkpoint>& checkpoints, std::vector<SurplusCheckpoint>& surplus) {
  const std::vector<bool> kept = FindKept(request, beginning, checkpoints);
  std::vector<Checkpoint> staying;
  std::vector<Checkpoint> leaving;
  for (size_t i = 0; i < checkpoints.size(); ++i)
    (kept[i] || !checkpoints[i].is_complete ? staying : leaving)
        .push_back(std::move(checkpoints[i]));
  for (const Checkpoint& one : leaving) {
    const bool is_in_use = std::ranges::any_of(
        staying, [&](const Checkpoint& other) { return PathsOverlap(one.path, other.path); });
    if (!is_in_use && !WordsBelow(request.directory, one.path).empty())
      surplus.push_back({one.rank, one.path});
  }
  if (surplus.size() > kSurplusMax)
    surplus.erase(surplus.begin(), surplus.end() - static_cast<std::ptrdiff_t>(kSurplusMax));
  checkpoints = std::move(staying);
}

// Takes `word` and the number after it from the front of the text.
std::optional<int64_t> TakeNumber(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  int64_t number = 0;
  const char* const begin = text.data() + word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// The attempt, rank and number of a copy.
std::optional<Checkpoint> CopyFromName(std::string_view name) {
  const auto attempt = TakeNumber(name, "attempt-");
  const auto rank = attempt ? TakeNumber(name, ".rank-") : std::nullopt;
  const auto number = rank ? TakeNumber(name, ".") : std::nullopt;
  if (!number || !name.empty()) return std::nullopt;
  return Checkpoint{
      .attempt = static_cast<int>(*attempt), .rank = static_cast<int>(*rank), .number = *number};
}

// Of one rank.
bool IsOlderCopy(std::string_view one, std::string_view other) {
  const auto a = CopyFromName(one);
  const auto b = CopyFromName(other);
  return a && b && a->rank == b->rank &&
         std::pair(a->attempt, a->number) < std::pair(b->attempt, b->number);
}

}  // namespace

void AddCheckpoint(const CheckpointRequest& request, Checkpoint added, bool is_beginning,
                   std::vector<Checkpoint>& checkpoints, std::vector<SurplusCheckpoint>& surplus) {
  const auto is_written_over = [&](const auto& one) { return PathsOverlap(one.path, added.path); };
  const int beginning = is_beginning ? added.attempt : 0;
  std::erase_if(surplus, is_written_over);
  if (request.keep > 0 && added.is_complete) std::erase_if(checkpoints, is_written_over);
  checkpoints.push_back(std::move(added));
  if (request.keep > 0) TakeOutSurplus(request, beginning, checkpoints, surplus);
  if (checkpoints.size() <= kCheckpointsMax) return;
  // The checkpoints that must stay do so, however many incomplete ones came after them.
  const std::vector<bool> kept = FindKept(request, beginning, checkpoints);
  const auto oldest = std::ranges::find(kept, false);
  checkpoints.erase(checkpoints.begin() + (oldest == kept.end() ? 0 : oldest - kept.begin()));
}

const Checkpoint* NewestComplete(const std::vector<Checkpoint>& checkpoints) {
  return NewestBefore(std::numeric_limits<int>::max(), checkpoints);
}

const Checkpoint* NewestBefore(int attempt, const std::vector<Checkpoint>& checkpoints) {
  for (const Checkpoint& checkpoint : std::views::reverse(checkpoints)) {
    if (checkpoint.is_complete && checkpoint.attempt < attempt) return &checkpoint;
  }
  return nullptr;
}

std::string CopyName(const Checkpoint& checkpoint) {
  return "attempt-" + std::to_string(checkpoint.attempt) + ".rank-" +
         std::to_string(checkpoint.rank) + "." + std::to_string(checkpoint.number);
}

bool IsReplacedCopy(std::string_view name, const std::vector<std::string>& staying) {
  return std::ranges::find(staying, name) == staying.end() &&
         std::ranges::any_of(staying,
                             [&](const std::string& other) { return IsOlderCopy(name, other); });
}

Duration BestInterval(Duration cost, int nodes, Duration node_mtbf) {
  GP_ASSERT(cost.ns > 0 && nodes > 0 && node_mtbf.ns > 0,
            "an interval follows from what faults and checkpoints cost");
  // In milliseconds the largest product (2 · a day · ten years) is far below the limit.
  const int64_t cost_ms =
      std::clamp<int64_t>(cost.ToMilliseconds(), 1, Duration::Minutes(60 * 24).ToMilliseconds());
  const int64_t mtbf_ms = std::max<int64_t>(node_mtbf.ToMilliseconds() / nodes, 1);
  return Duration::Milliseconds(SquareRoot(2 * cost_ms * mtbf_ms));
}

}  // namespace gp
