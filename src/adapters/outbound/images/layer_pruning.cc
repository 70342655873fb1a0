// The care for the layers of a LayerStore: those that nobody uses, and those that are damaged.

#include <algorithm>
#include <vector>

#include "adapters/outbound/images/layer_directory.h"
#include "adapters/outbound/images/layer_store.h"
#include "base/ignore_result.h"
#include "files/replace_file.h"

namespace gp {

PrunedLayers LayerStore::Prune(const Prunable& which, bool is_trial,
                               const std::function<bool()>& may_go_on) {
  PrunedLayers pruned;
  std::vector<std::pair<int64_t, std::string>> chosen;  // by the time of the last use
  std::set<std::string> only;
  if (which.diff_ids) {
    for (const std::string& diff_id : *which.diff_ids) only.insert(DigitsOf(diff_id));
  }
  std::unique_lock lock(mutex_);
  for (const auto& [digits, layer] : layers_) {
    if (which.diff_ids && !only.contains(digits)) continue;
    if (IsPinned(digits)) {
      ++pruned.layers_in_use;
      pruned.bytes_in_use += layer.bytes;
    } else if (layer.used_at_ns <= which.unused_since_ns) {
      chosen.emplace_back(layer.used_at_ns, digits);
    }
  }
  std::ranges::sort(chosen);
  for (const auto& [used_at_ns, digits] : chosen) {
    const auto layer = layers_.find(digits);
    // While another one was removed, an attempt may have come for this one.
    if (layer == layers_.end() || IsPinned(digits) || layer->second.used_at_ns != used_at_ns)
      continue;
    if (!is_trial && !may_go_on()) {
      pruned.is_unfinished = true;
      break;
    }
    ++pruned.layers;
    pruned.bytes += layer->second.bytes;
    if (!is_trial) Remove(lock, layer);
  }
  return pruned;
}

std::vector<LayerStore::Unpacked> LayerStore::All() const {
  std::vector<Unpacked> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [digits, layer] : layers_) {
    all.push_back({.diff_id = "sha256:" + digits,
                   .root = PathOf(digits) + "/root",
                   .list_path = PathOf(digits) + "/list",
                   .list = layer.list,
                   .bytes = layer.bytes,
                   .files = layer.files,
                   .number = layer.number});
  }
  return all;
}

bool LayerStore::IsThere(const Unpacked& layer) const {
  const std::lock_guard lock(mutex_);
  const auto found = layers_.find(DigitsOf(layer.diff_id));
  return found != layers_.end() && found->second.number == layer.number;
}

LayerStore::Damage LayerStore::NoteDamage(const Unpacked& layer) {
  const std::string digits = DigitsOf(layer.diff_id);
  std::unique_lock lock(mutex_);
  const auto found = layers_.find(digits);
  if (found == layers_.end() || found->second.number != layer.number) return Damage::kGone;
  if (!IsPinned(digits)) {
    Remove(lock, found);
    return Damage::kRemoved;
  }
  found->second.is_damaged = true;
  IgnoreResult(ReplaceFile(PathOf(digits) + kDamagedMark, "", 0600, Survives::kCrash),
               "it is known until this process ends");
  return Damage::kInUse;
}

LayerStore::Layers::iterator LayerStore::UnusedDamaged() {
  return std::ranges::find_if(
      layers_, [this](const auto& one) { return one.second.is_damaged && !IsPinned(one.first); });
}

bool LayerStore::RemoveNextDamaged() {
  std::unique_lock lock(mutex_);
  auto next = layers_.end();
  left_.wait(lock, [&] { return is_ending_ || (next = UnusedDamaged()) != layers_.end(); });
  if (is_ending_) return false;
  Remove(lock, next);
  return true;
}

void LayerStore::EndWaits() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  left_.notify_all();
}

}  // namespace gp
