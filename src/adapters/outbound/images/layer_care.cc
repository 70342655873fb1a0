#include "adapters/outbound/images/layer_care.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "adapters/outbound/images/image_answers.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr size_t kImagesShown = 16;  // of images, with a damaged layer
constexpr size_t kDigestMin = 19;    // "sha256:" and 12 digits
constexpr size_t kPathShown = 300;   // bytes
constexpr int kDropTries = 20;
constexpr size_t kUnfinishedMax = 64;

void SetEvent(int event_fd) {
  const uint64_t one = 1;
  IgnoreResult(write(event_fd, &one, sizeof one), "a full counter wakes as well");
}

bool IsReadable(int event_fd) {
  pollfd event{event_fd, POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * Duration::Seconds(1).ns + now.tv_nsec;
}

// By its name, or by its digest or the beginning of that.
bool IsMeant(const ImageRecord& record, const std::string& image) {
  return record.name == image || (image.size() >= kDigestMin && record.digest.starts_with(image));
}

std::set<std::string> LayersOf(const std::vector<ImageRecord>& all, const std::string& image,
                               bool of_others) {
  std::set<std::string> layers;
  for (const ImageRecord& record : all) {
    if (IsMeant(record, image) != of_others)
      layers.insert(record.diff_ids.begin(), record.diff_ids.end());
  }
  return layers;
}

// Those that have the layer.
std::vector<std::string> NamesOf(const std::string& diff_id, const std::vector<ImageRecord>& all) {
  std::vector<std::string> names;
  for (const ImageRecord& record : all) {
    const bool has_it = std::ranges::find(record.diff_ids, diff_id) != record.diff_ids.end();
    const bool is_new = std::ranges::find(names, record.name) == names.end();
    if (has_it && is_new && names.size() < kImagesShown) names.push_back(record.name);
  }
  return names;
}

// How many of them are meant.
int CountMeant(const std::vector<ImageRecord>& all, const std::string& image) {
  return static_cast<int>(std::ranges::count_if(
      all, [&](const ImageRecord& record) { return image.empty() || IsMeant(record, image); }));
}

}  // namespace

// A call that may run.
class LayerCare::Turn {
 public:
  static Result<std::unique_ptr<Turn>> Begin(LayerCare& care, int stop_fd) {
    const std::lock_guard lock(care.mutex_);
    if (care.is_ending_) return Fail(Unavailable("the node's agent is stopping"));
    if (stop_fd >= 0 && care.is_verifying_)
      return Fail(Unavailable("the node's layers are being verified already"));
    return std::unique_ptr<Turn>(new Turn(care, stop_fd));
  }
  ~Turn() {
    const std::lock_guard lock(care_.mutex_);
    --care_.running_;
    if (stop_fd_ >= 0) {
      care_.stop_fds_.erase(stop_fd_);
      care_.is_verifying_ = false;
    }
    care_.over_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turn(LayerCare& care, int stop_fd) : care_(care), stop_fd_(stop_fd) {
    ++care_.running_;
    if (stop_fd_ < 0) return;
    care_.stop_fds_.insert(stop_fd_);
    care_.is_verifying_ = true;
  }

  LayerCare& care_;
  const int stop_fd_;  // -1: it verifies nothing
};

LayerCare::LayerCare(Options options, std::shared_ptr<LayerStore> layers,
                     std::shared_ptr<ImageRecords> records)
    : options_(std::move(options)), layers_(std::move(layers)), records_(std::move(records)) {}

LayerCare::~LayerCare() {
  Stop();
  layers_->EndWaits();
  if (remover_.joinable()) remover_.join();
}

void LayerCare::Stop() {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  for (const int stop_fd : stop_fds_) SetEvent(stop_fd);
  over_.wait(lock, [this] { return running_ == 0; });
}

Result<PrunedLayers> LayerCare::Prune(const PruneOrder& order) {
  const auto turn = GP_TRY(Turn::Begin(*this, -1));
  const auto all = records_->All();
  const LayerStore::Prunable which = WhatToPrune(order, *all);
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(options_.prune_time_limit.ns);
  PrunedLayers pruned = layers_->Prune(which, order.is_trial, [&] {
    const std::lock_guard lock(mutex_);
    return !is_ending_ && std::chrono::steady_clock::now() < until;
  });
  pruned.images = CountMeant(*all, order.image);
  if (order.is_trial) return pruned;
  NoteUnfinished(order, which, pruned);
  if (!pruned.is_unfinished) Forget(order);
  return pruned;
}

LayerStore::Prunable LayerCare::WhatToPrune(const PruneOrder& order,
                                            const std::vector<ImageRecord>& all) const {
  LayerStore::Prunable which;
  if (order.unused_for.ns > 0) which.unused_since_ns = NowNs() - order.unused_for.ns;
  if (order.image.empty()) return which;
  which.diff_ids = LayersOf(all, order.image, false);
  {
    const std::lock_guard lock(mutex_);
    const auto rest = unfinished_.find(order.image);
    if (rest != unfinished_.end()) which.diff_ids->insert(rest->second.begin(), rest->second.end());
  }
  for (const std::string& shared : LayersOf(all, order.image, true)) which.diff_ids->erase(shared);
  return which;
}

// An image that has lost a layer is no longer on record when the call is repeated.
void LayerCare::NoteUnfinished(const PruneOrder& order, const LayerStore::Prunable& which,
                               PrunedLayers& pruned) {
  const std::lock_guard lock(mutex_);
  if (unfinished_.contains(order.image)) pruned.images = std::max(pruned.images, 1);
  unfinished_.erase(order.image);
  if (pruned.is_unfinished && which.diff_ids && unfinished_.size() < kUnfinishedMax)
    unfinished_[order.image] = *which.diff_ids;
}

// An image that was named may have kept all of its layers, as others have them.
void LayerCare::Forget(const PruneOrder& order) {
  const auto all = records_->All();
  for (const ImageRecord& record : *all) {
    const bool is_gone = !layers_->HasAll(record.diff_ids);
    const bool is_named = !order.image.empty() && order.unused_for.ns == 0 &&
                          IsMeant(record, order.image) && layers_->KeysOf(record.diff_ids).empty();
    if (!is_gone && !is_named) continue;
    // It drops nothing while a record is written.
    for (int i = 0; i < kDropTries && !records_->Drop(record); ++i) usleep(10'000);
  }
}

Status LayerCare::Verify(const std::string& image, int stop_fd, const Tell& tell) {
  const auto turn = GP_TRY(Turn::Begin(*this, stop_fd));
  const auto records = records_->All();  // those of images that lose a layer go meanwhile
  const std::vector<LayerStore::Unpacked> layers = WhatToVerify(image, *records);
  Status first = Ok();  // of those that failed; others are verified nevertheless
  VerifiedLayers sums;
  sums.images = CountMeant(*records, image);
  sums.layers_total = static_cast<int>(layers.size());
  tell(sums, nullptr);
  for (const LayerStore::Unpacked& layer : layers) {
    if (IsReadable(stop_fd)) return Fail(Unavailable("the verification was stopped"));
    const Status verified = VerifyLayer(layer, *records, stop_fd, sums, tell);
    if (!verified && first) first = verified;
  }
  return first;
}

std::vector<LayerStore::Unpacked> LayerCare::WhatToVerify(
    const std::string& image, const std::vector<ImageRecord>& all) const {
  std::vector<LayerStore::Unpacked> layers = layers_->All();
  if (image.empty()) return layers;
  const std::set<std::string> wanted = LayersOf(all, image, false);
  std::erase_if(layers, [&](const auto& layer) { return !wanted.contains(layer.diff_id); });
  return layers;
}

Result<LayerLook> LayerCare::LookAt(const LayerStore::Unpacked& layer, int stop_fd) const {
  const CommandEnd end = RunCommand(options_.look(layer), {.time_limit = options_.look_time_limit,
                                                           .stop_fd = stop_fd,
                                                           .has_environment = false,
                                                           .output_max = kImageAnswerBytesMax});
  if (end.ok) return ReadLayerLook(end.output);
  return Fail(Internal("the layer " + layer.diff_id + " cannot be verified: " + end.output));
}

// While it was read it may have been removed to make room: what was found then means nothing.
Status LayerCare::VerifyLayer(const LayerStore::Unpacked& layer,
                              const std::vector<ImageRecord>& all, int stop_fd,
                              VerifiedLayers& sums, const Tell& tell) {
  if (!layers_->IsThere(layer)) {
    --sums.layers_total;
    return Ok();
  }
  Result<LayerLook> look = LookAt(layer, stop_fd);
  if (!layers_->IsThere(layer)) {
    --sums.layers_total;
    return Ok();
  }
  if (!look && IsReadable(stop_fd)) return Fail(Unavailable("the verification was stopped"));
  if (!look) return Fail(look.error());
  if (layer.list.empty() && look->what.empty() && look->files > layer.files) {
    look->path = ".";
    look->what = "has " + std::to_string(look->files) + " files, and " +
                 std::to_string(layer.files) + " were unpacked";
  }
  ++sums.layers;
  sums.bytes += layer.bytes;
  sums.counted += layer.list.empty() ? 1 : 0;
  if (look->what.empty()) {
    tell(sums, nullptr);
    return Ok();
  }
  DamagedLayer damaged{.diff_id = layer.diff_id,
                       .images = NamesOf(layer.diff_id, all),
                       .path = Printable(look->path, kPathShown),
                       .what = Printable(look->what, kPathShown),
                       .bytes = layer.bytes};
  const LayerStore::Damage done = layers_->NoteDamage(layer);
  damaged.is_in_use = done == LayerStore::Damage::kInUse;
  if (damaged.is_in_use) RemoveDamagedLater();
  ++sums.damaged;
  tell(sums, &damaged);
  return Ok();
}

void LayerCare::Begin() {
  std::vector<std::string> all;
  for (const LayerStore::Unpacked& layer : layers_->All()) all.push_back(layer.diff_id);
  if (layers_->HasDamaged(all)) RemoveDamagedLater();
}

void LayerCare::RemoveDamagedLater() {
  const std::lock_guard lock(mutex_);
  if (remover_.joinable()) return;
  remover_ = std::thread([layers = layers_] {
    while (layers->RemoveNextDamaged()) {
    }
  });
}

}  // namespace gp
