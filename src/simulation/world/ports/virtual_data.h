#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "ports/outbound/data_store.h"
#include "simulation/world/savings.h"
#include "simulation/world/timeline.h"

namespace gp {

// What jobs with artifacts leave; nobody looks at it.
inline constexpr char kArtifactOfWorlds[] = "/out";

// The data of one agent process: sources are fetched and copies made after a while, or their store
// does not answer.
class VirtualData : public DataStore {
 public:
  VirtualData(Timeline& timeline, Savings& savings, Rng& rng, std::function<void()> changed)
      : timeline_(timeline), savings_(savings), rng_(rng), changed_(std::move(changed)) {}

  std::optional<Result<std::vector<std::string>>> Prepare(const LaunchSpec& spec) override;
  void Keep(const std::string&, const std::vector<std::string>&) override {}
  void Release(const std::string& key) override;
  std::optional<Status> Copy(const DataCopy& copy) override;
  StagingProgress ProgressOf(const std::string&) override { return {}; }
  int EventDescriptor() const override { return -1; }
  void ClearEvents() override {}

 private:
  template <typename T>
  using Outcome = std::shared_ptr<std::optional<T>>;

  // Sets the outcome after a while, unless nobody has it any more.
  template <typename T>
  void Later(const Outcome<T>& outcome, std::function<T()> what);

  Timeline& timeline_;
  Savings& savings_;
  Rng& rng_;
  const std::function<void()> changed_;
  std::map<std::string, Outcome<Result<std::vector<std::string>>>> fetched_;  // by key
  std::map<std::pair<std::string, std::string>, Outcome<Status>> copied_;     // by key and URL
};

}  // namespace gp
