#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/outbound/object_store.h"

namespace gp {

// Objects in memory, of a store that fails and lies as a test says.
class MemoryObjects : public ObjectStore {
 public:
  enum class Fault {
    kNone,
    kRefused,     // nothing happens, and it says so
    kAnswerLost,  // it happens, and it says that it may not have
    kLost,        // nothing happens, and it says that it has
  };

  Result<std::vector<StoredObject>> List(const std::string& folder) override {
    const std::scoped_lock lock(mutex_);
    if (is_away) return Fail(Unavailable("the store is away"));
    if (is_in_conflict) return Fail(Conflict("the store is busy with something else"));
    const auto& listed = stale ? *stale : objects;
    std::vector<StoredObject> all;
    for (const auto& [name, bytes] : listed)
      if (folder.empty() || name.starts_with(folder + "/"))
        all.push_back({name, static_cast<int64_t>(bytes.size()), ""});
    return all;
  }
  Result<std::string> Get(const StoredObject& object) override {
    const std::scoped_lock lock(mutex_);
    if (is_away) return Fail(Unavailable("the store is away"));
    const auto found = objects.find(object.name);
    if (found == objects.end()) return Fail(NotFound(object.name + " is not there"));
    return found->second;
  }
  Status Put(const std::string& name, std::string_view bytes) override {
    const std::scoped_lock lock(mutex_);
    if (is_away) return Fail(Unavailable("the store is away"));
    const Fault fault = next_put ? next_put(name) : Fault::kNone;
    if (fault == Fault::kNone || fault == Fault::kAnswerLost) objects[name] = bytes;
    if (fault == Fault::kNone || fault == Fault::kLost) return Ok();
    return Fail(Unavailable("no answer"));
  }
  Status PutNew(const std::string& name, std::string_view bytes) override {
    {
      const std::scoped_lock lock(mutex_);
      if (knows_conditions && objects.contains(name)) return Fail(Conflict("it exists"));
    }
    return Put(name, bytes);
  }
  Status Delete(const std::string& name) override {
    const std::scoped_lock lock(mutex_);
    if (is_away) return Fail(Unavailable("the store is away"));
    if (refuses_deletions) return Fail(PermissionDenied("you may not delete"));
    objects.erase(name);
    return Ok();
  }

  std::map<std::string, std::string> objects;
  std::function<Fault(const std::string& name)> next_put;  // empty: no fault
  // What lists show; nullptr: what there is.
  const std::map<std::string, std::string>* stale = nullptr;
  bool is_in_conflict = false;  // as 409 of HTTP: it lists nothing
  bool is_away = false;
  bool refuses_deletions = false;
  bool knows_conditions = true;

 private:
  std::mutex mutex_;
};

}  // namespace gp
