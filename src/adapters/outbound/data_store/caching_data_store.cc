#include "adapters/outbound/data_store/caching_data_store.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/ignore_result.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kLookForStop{100};

void WakeBy(int event_fd) {
  const uint64_t one = 1;
  IgnoreResult(write(event_fd, &one, sizeof one), "a full counter wakes as well");
}

std::shared_ptr<const Descriptor> NewStopEvent() {
  return std::make_shared<const Descriptor>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

bool IsStopped(const std::shared_ptr<const Descriptor>& stop) {
  pollfd event{stop->get(), POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

// The same content for the same user and credentials has the same name; the credentials cannot be
// found out by it.  What may change without a sign is fetched for each attempt.
std::string EntryName(const TransferOrder& order, const TransferAnswer& listed,
                      const std::string& key) {
  const std::string& content = listed.tree_digest.empty() ? key : listed.tree_digest;
  return Sha256(std::to_string(order.uid) + "\n" + order.url + "\n" + Join(order.include, "\n") +
                "\n" + order.sha256 + "\n" + Sha256(order.credentials) + "\n" + content);
}

TransferOrder OrderFor(const LaunchSpec& spec, const DataSource& source) {
  return {.kind = TransferOrder::Kind::kList,
          .url = source.url,
          .include = source.include,
          .sha256 = source.sha256,
          .credentials = source.credentials,
          .path = {},
          .uid = spec.uid,
          .gid = spec.gid,
          .groups = spec.groups,
          .tree_digest = {},
          .staying = {}};
}

}  // namespace

CachingDataStore::CachingDataStore(TransferRunner run, std::unique_ptr<DataCache> cache,
                                   size_t transfers_max)
    : run_(std::move(run)),
      cache_(std::move(cache)),
      transfers_max_(transfers_max),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CachingDataStore::~CachingDataStore() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    waiting_.clear();
    for (const auto& [key, attempt] : attempts_) WakeBy(attempt.stop->get());
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  close(event_fd_);
}

CachingDataStore::Attempt& CachingDataStore::AttemptOf(const std::string& key) {
  Attempt& attempt = attempts_[key];
  if (attempt.stop == nullptr) attempt.stop = NewStopEvent();
  return attempt;
}

CachingDataStore::Attempt* CachingDataStore::Find(const std::string& key, const StopEvent& stop) {
  const auto attempt = attempts_.find(key);
  return attempt == attempts_.end() || attempt->second.stop != stop ? nullptr : &attempt->second;
}

std::optional<Result<std::vector<std::string>>> CachingDataStore::Prepare(const LaunchSpec& spec) {
  const std::lock_guard lock(mutex_);
  Attempt& attempt = AttemptOf(spec.key);
  if (std::exchange(attempt.is_fetching, true)) return attempt.fetched;
  Add([this, spec, stop = attempt.stop] { Fetch(spec, stop); });
  return std::nullopt;
}

std::optional<Status> CachingDataStore::Copy(const DataCopy& copy) {
  const std::lock_guard lock(mutex_);
  Attempt& attempt = AttemptOf(copy.key);
  const auto [entry, is_new] = attempt.copies.try_emplace(copy.url);
  if (!is_new) return entry->second;
  Add([this, copy, stop = attempt.stop] { CopyNow(copy, stop); });
  return std::nullopt;
}

StagingProgress CachingDataStore::ProgressOf(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto attempt = attempts_.find(key);
  return attempt == attempts_.end() ? StagingProgress{} : attempt->second.progress;
}

void CachingDataStore::Keep(const std::string& key, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (const std::string name = cache_->NameOf(path); !name.empty()) cache_->Pin(key, name);
  }
}

void CachingDataStore::Release(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto attempt = attempts_.find(key);
  if (attempt != attempts_.end()) {
    WakeBy(attempt->second.stop->get());
    attempts_.erase(attempt);
  }
  cache_->Unpin(key);
}

void CachingDataStore::ClearEvents() {
  uint64_t drained = 0;
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
}

void CachingDataStore::Add(Work work) {
  waiting_.push_back(std::move(work));
  if (idle_ < waiting_.size() && workers_.size() < transfers_max_)
    workers_.emplace_back([this] { RunWork(); });
  changed_.notify_one();
}

void CachingDataStore::RunWork() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    --idle_;
    if (is_ending_) return;
    const Work work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void CachingDataStore::Fetch(const LaunchSpec& spec, const StopEvent& stop) {
  Result<std::vector<std::string>> fetched = std::vector<std::string>{};
  for (const DataSource& source : spec.sources) {
    Result<std::string> path = FetchOne(spec, source, stop);
    if (!path) {
      fetched = Fail(path.error());
      break;
    }
    fetched->push_back(*std::move(path));
  }
  const std::lock_guard lock(mutex_);
  Attempt* const attempt = Find(spec.key, stop);
  if (attempt == nullptr) return;
  attempt->fetched = std::move(fetched);
  attempt->progress = {};
  WakeBy(event_fd_);
}

Result<std::string> CachingDataStore::FetchOne(const LaunchSpec& spec, const DataSource& source,
                                               const StopEvent& stop) {
  TransferOrder order = OrderFor(spec, source);
  if (source.restores) {
    order.kind = TransferOrder::Kind::kRestore;
    order.path = source.at;
    GP_TRY(Run(order, spec.key, stop));
    return "";
  }
  const TransferAnswer listed = GP_TRY(Run(order, spec.key, stop));
  const std::string name = EntryName(order, listed, spec.key);
  order.kind = TransferOrder::Kind::kFetch;
  order.tree_digest = listed.tree_digest;
  order.bytes_max = listed.bytes;
  if (!PinFor(spec.key, stop, name)) return Fail(Unavailable("it was stopped"));
  GP_CHECK_OK(FetchInto(name, std::move(order),
                        listed.bytes + listed.files * DataCache::kBytesPerFile, spec.key, stop));
  const std::string tree = cache_->TreeOf(name);
  return listed.single.empty() ? tree : tree + "/" + listed.single;
}

// Not for an attempt that was released meanwhile: nobody would unpin it.
bool CachingDataStore::PinFor(const std::string& key, const StopEvent& stop,
                              const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (Find(key, stop) == nullptr) return false;
  cache_->Pin(key, name);
  return true;
}

Status CachingDataStore::FetchInto(const std::string& name, TransferOrder order, int64_t bytes,
                                   const std::string& key, const StopEvent& stop) {
  if (!AwaitTurn(name, stop)) return Fail(Unavailable("it was stopped"));
  Status fetched = Ok();
  if (!cache_->Use(name)) {
    order.path = cache_->TreeOf(name);
    fetched = cache_->Reserve(name, bytes, order.uid, order.gid);
    if (fetched) {
      const auto answer = Run(order, key, stop);
      fetched = answer ? cache_->Finish(name) : Fail(answer.error());
    }
  }
  EndTurn(name);
  return fetched;
}

void CachingDataStore::CopyNow(const DataCopy& copy, const StopEvent& stop) {
  const TransferOrder order{.kind = TransferOrder::Kind::kPut,
                            .url = copy.url,
                            .include = {},
                            .sha256 = {},
                            .credentials = copy.credentials,
                            .path = copy.path,
                            .uid = copy.uid,
                            .gid = copy.gid,
                            .groups = copy.groups,
                            .tree_digest = {},
                            .is_fixed = copy.is_fixed,
                            .staying = copy.staying};
  const auto answer = Run(order, copy.key, stop);
  const std::lock_guard lock(mutex_);
  Attempt* const attempt = Find(copy.key, stop);
  if (attempt == nullptr) return;
  attempt->copies[copy.url] = answer ? Ok() : Fail(answer.error());
  attempt->progress = {};
  WakeBy(event_fd_);
}

Result<TransferAnswer> CachingDataStore::Run(const TransferOrder& order, const std::string& key,
                                             const StopEvent& stop) {
  const auto progress = [&](int64_t bytes, int64_t total) {
    const std::lock_guard lock(mutex_);
    if (Attempt* const attempt = Find(key, stop); attempt != nullptr)
      attempt->progress = {order.url, bytes, total};
  };
  progress(0, 0);
  return run_(order, stop->get(), progress);
}

bool CachingDataStore::AwaitTurn(const std::string& name, const StopEvent& stop) {
  std::unique_lock lock(mutex_);
  while (!is_ending_ && !IsStopped(stop)) {
    if (turns_.insert(name).second) return true;
    changed_.wait_for(lock, kLookForStop);
  }
  return false;
}

void CachingDataStore::EndTurn(const std::string& name) {
  const std::lock_guard lock(mutex_);
  turns_.erase(name);
  changed_.notify_all();
}

}  // namespace gp
