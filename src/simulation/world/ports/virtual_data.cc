#include "simulation/world/ports/virtual_data.h"

#include <algorithm>

namespace gp {

template <typename T>
void VirtualData::Later(const Outcome<T>& outcome, std::function<T()> what) {
  const auto wait = Duration::Milliseconds(rng_.Between(1, rng_.Chance(1, 6) ? 15'000 : 80));
  timeline_.After(wait, [this, still = std::weak_ptr(outcome), what = std::move(what)] {
    const auto one = still.lock();
    if (one == nullptr) return;
    one->emplace(what());
    changed_();
  });
}

std::optional<Result<std::vector<std::string>>> VirtualData::Prepare(const LaunchSpec& spec) {
  using Paths = Result<std::vector<std::string>>;
  const auto [entry, is_new] = fetched_.try_emplace(spec.key);
  if (!is_new) return *entry->second;
  entry->second = std::make_shared<std::optional<Paths>>();
  Later<Paths>(entry->second, [this, sources = spec.sources]() -> Paths {
    if (rng_.Chance(1, 12)) return Fail(Unavailable("the store does not answer"));
    std::vector<std::string> paths;
    for (const DataSource& source : sources) {
      if (source.restores) savings_.Restore(source.url, source.at);
      paths.push_back(source.restores ? "" : "/data/" + source.url);
    }
    return paths;
  });
  return std::nullopt;
}

std::optional<Status> VirtualData::Copy(const DataCopy& copy) {
  const auto [entry, is_new] = copied_.try_emplace({copy.key, copy.url});
  if (!is_new) return *entry->second;
  entry->second = std::make_shared<std::optional<Status>>();
  Later<Status>(entry->second, [this, copy]() -> Status {
    if (rng_.Chance(1, 12)) return Fail(Unavailable("the store does not answer"));
    const bool is_artifact = copy.path == kArtifactOfWorlds;
    if (!is_artifact && !savings_.Copy(copy.path, copy.url, copy.staying))
      return Fail(InvalidArgument("it is not there"));
    return Ok();
  });
  return std::nullopt;
}

void VirtualData::Release(const std::string& key) {
  fetched_.erase(key);
  std::erase_if(copied_, [&](const auto& one) { return one.first.first == key; });
}

}  // namespace gp
