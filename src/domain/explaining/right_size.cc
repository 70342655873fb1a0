#include "domain/explaining/right_size.h"

#include <algorithm>
#include <optional>

namespace gp {
namespace {

constexpr int64_t kSeenMsMin = 60'000;  // shorter measurements are ignored
constexpr int kPartPercent = 40;        // a job that uses less than this needs only a part
constexpr Duration kShortened = Duration::Minutes(10);

// Adds a quarter as reserve.
int64_t WithRoom(int64_t needed) { return needed + (needed + 3) / 4; }
int PercentOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<int>(part * 100 / whole);
}
std::string Number(int64_t value) { return std::to_string(value); }

// "its GPU was", "none of 4 GPUs was"
std::string NoneOf(int count) {
  return count == 1 ? "its GPU was never" : "none of its " + Number(count) + " GPUs was";
}

// Tenths, as "3.1".
std::string Tenths(int64_t tenths) { return Number(tenths / 10) + "." + Number(tenths % 10); }

class Adviser {
 public:
  Adviser(const JobSpec& spec, const AttemptUsed& used) : spec_(spec), used_(used) {
    for (const RankUsed& rank : used.ranks) {
      int busy = 0;
      for (const GpuUsed& gpu : rank.gpus) {
        ++gpus_;
        if (gpu.use.seen_ms < kSeenMsMin) continue;
        ++seen_;
        seen_ms_ = std::max(seen_ms_, gpu.use.seen_ms);
        busiest_ = std::max(busiest_, PercentOf(gpu.use.busy_ms, gpu.use.seen_ms));
        if (gpu.use.memory_mib >= 0)
          fullest_mib_ = std::max(fullest_mib_.value_or(0), gpu.use.memory_mib);
        smallest_mib_ =
            smallest_mib_ == 0 ? gpu.memory_mib : std::min(smallest_mib_, gpu.memory_mib);
        busy += gpu.use.busy_ms > 0 ? 1 : 0;
      }
      busy_ += busy;
      busy_of_rank_ = std::max(busy_of_rank_, busy);
    }
  }

  std::vector<Advice> All() {
    if (gpus_ > 0 && seen_ == gpus_) OfGpuTime();
    Cpus();
    Memory();
    TimeLimit();
    std::ranges::stable_sort(advice_, std::ranges::greater{}, &Advice::saved_thousandths);
    return std::move(advice_);
  }

 private:
  void Add(AdviceKind kind, std::string text, int saved = 0) {
    advice_.push_back({kind, std::move(text), saved});
  }
  std::string Span() const { return ToText(Duration::Seconds(seen_ms_ / 1000)); }

  void OfGpuTime() {
    if (busy_ == 0) {
      return Add(AdviceKind::kIdle,
                 NoneOf(gpus_) + " busy in " + Span() +
                     ": request none (gpus: 0), or see whether the program finds them",
                 1000);
    }
    const int requested = spec_.resources.gpus.count;
    if (busy_of_rank_ < requested) {
      const std::string each = used_.ranks.size() > 1 ? " of each node" : "";
      return Add(AdviceKind::kGpus,
                 "no more than " + Number(busy_of_rank_) + " of " + Number(requested) + " GPUs" +
                     each + " were ever busy in " + Span() + ": gpus: " + Number(busy_of_rank_),
                 (requested - busy_of_rank_) * 1000 / requested);
    }
    Part();
  }

  // Advises a part of one GPU.
  void Part() {
    if (spec_.resources.gpus.count != 1 ||
        spec_.resources.gpus.isolation != Isolation::kExclusive || !fullest_mib_ ||
        smallest_mib_ == 0)
      return;
    const int memory = PercentOf(*fullest_mib_, smallest_mib_);
    const int needed = static_cast<int>(WithRoom(std::max(busiest_, memory)));
    if (std::max(busiest_, memory) > kPartPercent) return;
    const int share = needed <= 12 ? 125 : needed <= 25 ? 250 : 500;
    const char* word = share == 125 ? "0.125" : share == 250 ? "0.25" : "0.5";
    Add(AdviceKind::kShare,
        "its GPU was busy for " + Number(busiest_) + " % of " + Span() + ", with " +
            Number(*fullest_mib_) + " of " + Number(smallest_mib_) +
            " MiB in use: a part is enough, share: " + word + " (isolation: mps, mig or timeslice)",
        1000 - share);
  }

  void Cpus() {
    int64_t tenths = 0;  // cores, of the rank with the highest use
    for (const RankUsed& rank : used_.ranks) {
      if (rank.cpu_seen_ms < kSeenMsMin) return;
      tenths = std::max(tenths, rank.cpu_ms * 10 / rank.cpu_seen_ms);
    }
    const int64_t enough = std::max<int64_t>(1, (WithRoom(tenths) + 9) / 10);
    if (used_.ranks.empty() || spec_.resources.cpus == 0 || enough * 2 > spec_.resources.cpus)
      return;
    Add(AdviceKind::kCpus, "it used " + Tenths(tenths) + " of " + Number(spec_.resources.cpus) +
                               " cores: cpus: " + Number(enough));
  }

  void Memory() {
    int64_t most = GpuUse::kNotSeen;
    for (const RankUsed& rank : used_.ranks) {
      if (rank.memory_mib == GpuUse::kNotSeen) return;
      most = std::max(most, rank.memory_mib);
    }
    const int64_t requested = spec_.resources.memory_bytes >> 20;
    const int64_t enough_gib = std::max<int64_t>(1, (WithRoom(most) + 1023) / 1024);
    if (used_.ranks.empty() || used_.length < Duration::Milliseconds(kSeenMsMin) ||
        enough_gib * 1024 * 2 > requested)
      return;
    Add(AdviceKind::kMemory,
        "it used " + Number(most) + " of " + Number(requested) +
            " MiB of the host's memory at the most: memory: " + Number(enough_gib) + "GiB");
  }

  void TimeLimit() {
    const Duration limit = spec_.policy.time_limit;
    if (!used_.is_completed || limit.ns == 0 || limit < used_.length * 3 ||
        limit - used_.length < kShortened)
      return;
    const int64_t minutes =
        std::max<int64_t>(1, WithRoom(used_.length.ToMilliseconds()) / 60'000 + 1);
    Add(AdviceKind::kTimeLimit,
        "it ran for " + ToText(Duration::Seconds(used_.length.ToMilliseconds() / 1000)) +
            " of the " + ToText(limit) + " that it requested: time_limit: " + Number(minutes) +
            "m lets backfill start it earlier");
  }

  const JobSpec& spec_;
  const AttemptUsed& used_;
  int gpus_ = 0;
  int seen_ = 0;
  int busy_ = 0;
  int busy_of_rank_ = 0;  // of the rank with the most
  int busiest_ = 0;       // per cent
  int64_t seen_ms_ = 0;
  std::optional<int64_t> fullest_mib_;
  int64_t smallest_mib_ = 0;
  std::vector<Advice> advice_;
};

}  // namespace

const char* Name(AdviceKind kind) {
  switch (kind) {
    case AdviceKind::kIdle: return "idle";
    case AdviceKind::kGpus: return "gpus";
    case AdviceKind::kShare: return "share";
    case AdviceKind::kCpus: return "cpus";
    case AdviceKind::kMemory: return "memory";
    case AdviceKind::kTimeLimit: return "time-limit";
  }
  return "?";
}

std::vector<Advice> RightSize(const JobSpec& spec, const AttemptUsed& used) {
  return Adviser(spec, used).All();
}

}  // namespace gp
