#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ports/outbound/data_store.h"

namespace gp {

// The store's part, played: data is there, and a copy is made, when the test says so.
class PlayedData : public DataStore {
 public:
  std::optional<Result<std::vector<std::string>>> Prepare(const LaunchSpec& spec) override {
    if (fetched.try_emplace(spec.key).second) calls += "prepare " + spec.key + ";";
    return fetched[spec.key];
  }
  void Keep(const std::string& key, const std::vector<std::string>& paths) override {
    calls += "keep " + key + " " + paths.front() + ";";
  }
  void Release(const std::string& key) override {
    fetched.erase(key);
    calls += "release " + key + ";";
  }
  std::optional<Status> Copy(const DataCopy& copy) override {
    if (copied.try_emplace(copy.url).second) copies.push_back(copy);
    return copied[copy.url];
  }
  StagingProgress ProgressOf(const std::string&) override { return progress; }
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override {
    uint64_t drained = 0;
    (void)!read(event_fd_, &drained, sizeof drained);
  }

  std::string TakeCalls() { return std::exchange(calls, ""); }

  std::map<std::string, std::optional<Result<std::vector<std::string>>>> fetched;  // by key
  std::map<std::string, std::optional<Status>> copied;                             // by URL
  std::vector<DataCopy> copies;
  StagingProgress progress;
  std::string calls;

 private:
  int event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

}  // namespace gp
