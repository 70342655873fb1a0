#include "application/replication/care/store_care.h"

#include <chrono>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr std::chrono::seconds kEvery{10};
// After this many bytes of records it does not wait any longer, or the store would grow by what a
// busy leader writes in that time.  It compares once a second.
constexpr uint64_t kAfterBytes = uint64_t{16} << 20;
constexpr std::chrono::seconds kLooksEvery{1};
// Between two steps of which there are many, so that appends find the store free.
constexpr std::chrono::milliseconds kBetweenSteps{5};

}  // namespace

StoreCare::StoreCare(Of of, OperatorLog& log) : of_(of), log_(log), thread_([this] { Run(); }) {}

StoreCare::~StoreCare() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void StoreCare::Run() {
  std::unique_lock lock(mutex_);
  bool is_due_at_once = false;
  auto look_at = std::chrono::steady_clock::now();
  while (!ends_) {
    lock.unlock();
    if (of_.controllers != nullptr && std::chrono::steady_clock::now() >= look_at) {
      look_at = std::chrono::steady_clock::now() + kEvery;
      IgnoreResult(of_.controllers->Look(), "who asks gets what was found before");
      of_.controllers->LookAtStore();
    }
    is_due_at_once = Turn();
    lock.lock();
    if (is_due_at_once) {
      ended_.wait_for(lock, kBetweenSteps, [this] { return ends_; });
    } else {
      Rest(lock);
    }
  }
}

void StoreCare::Rest(std::unique_lock<std::mutex>& lock) {
  const uint64_t before = of_.written.bytes();
  const auto until = std::chrono::steady_clock::now() + kEvery;
  while (!ends_ && std::chrono::steady_clock::now() < until &&
         of_.written.bytes() - before < kAfterBytes)
    ended_.wait_for(lock, kLooksEvery, [this] { return ends_; });
}

// True: there is more to trim.
bool StoreCare::Turn() {
  const Result<bool> trimmed = of_.trimmer.Turn();
  if (trimmed && *trimmed) return true;
  Status whole = trimmed ? Ok() : Status(Fail(trimmed.error()));
  if (of_.compactor != nullptr) {
    const Status compacted = of_.compactor->Turn();
    if (whole) whole = compacted;
  }
  const Status looked = of_.space.Look();
  Hear(whole ? looked : whole);
  return false;
}

// The same trouble is logged once.
void StoreCare::Hear(const Status& status) {
  const std::string trouble = status ? "" : status.error().message;
  if (!trouble.empty() && trouble != trouble_)
    log_.Write(LogLevel::kWarning, "the store of the shared log: " + trouble);
  trouble_ = trouble;
}

}  // namespace gp
