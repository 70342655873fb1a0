#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/outbound/data_store/data_cache.h"
#include "adapters/outbound/data_store/transfer.h"
#include "files/descriptor.h"
#include "ports/outbound/data_store.h"

namespace gp {

// DataStore by transfers that others run, and a cache of what was fetched.  What one user fetched
// is shown to no other, so nobody sees what their own credentials do not give.  The agent's thread
// makes all calls.
class CachingDataStore : public DataStore {
 public:
  CachingDataStore(TransferRunner run, std::unique_ptr<DataCache> cache, size_t transfers_max = 32);
  ~CachingDataStore() override;

  std::optional<Result<std::vector<std::string>>> Prepare(const LaunchSpec& spec) override;
  void Keep(const std::string& key, const std::vector<std::string>& paths) override;
  void Release(const std::string& key) override;
  std::optional<Status> Copy(const DataCopy& copy) override;
  StagingProgress ProgressOf(const std::string& key) override;
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override;

 private:
  using StopEvent = std::shared_ptr<const Descriptor>;
  // What is done for an attempt.
  struct Attempt {
    StopEvent stop;
    bool is_fetching = false;
    std::optional<Result<std::vector<std::string>>> fetched;  // nullopt: not finished, or not asked
    std::map<std::string, std::optional<Status>> copies;      // by URL; nullopt: not finished
    StagingProgress progress;
  };
  using Work = std::function<void()>;

  Attempt& AttemptOf(const std::string& key);  // REQUIRES: mutex_ is locked
  // Of that request, unless it was released since.  REQUIRES: mutex_ is locked.
  Attempt* Find(const std::string& key, const StopEvent& stop);
  void Add(Work work);  // REQUIRES: mutex_ is locked
  void RunWork();
  void Fetch(const LaunchSpec& spec, const StopEvent& stop);
  Result<std::string> FetchOne(const LaunchSpec& spec, const DataSource& source,
                               const StopEvent& stop);
  // The entry stays from now on, also if it is there already.
  bool PinFor(const std::string& key, const StopEvent& stop, const std::string& name);
  Status FetchInto(const std::string& name, TransferOrder order, int64_t bytes,
                   const std::string& key, const StopEvent& stop);
  void CopyNow(const DataCopy& copy, const StopEvent& stop);
  Result<TransferAnswer> Run(const TransferOrder& order, const std::string& key,
                             const StopEvent& stop);
  // False: it was stopped.
  bool AwaitTurn(const std::string& name, const StopEvent& stop);
  void EndTurn(const std::string& name);

  const TransferRunner run_;
  const std::unique_ptr<DataCache> cache_;
  const size_t transfers_max_;
  const int event_fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::map<std::string, Attempt> attempts_;  // by key
  std::set<std::string> turns_;              // entries of the cache that are fetched now
  std::deque<Work> waiting_;
  std::vector<std::thread> workers_;  // started as they are needed
  size_t idle_ = 0;
};

}  // namespace gp
