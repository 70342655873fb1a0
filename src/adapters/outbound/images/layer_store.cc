#include "adapters/outbound/images/layer_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "adapters/outbound/images/layer_directory.h"
#include "base/ignore_result.h"
#include "files/descriptor.h"
#include "files/replace_file.h"

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

Error Cannot(const std::string& what, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return {ErrorCode::kResourceExhausted, "the disk of images is full"};
  return Internal("cannot " + what + ": " + std::strerror(error));
}

// A new directory, whatever the umask of the process is.
Status Make(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0 && chmod(path.c_str(), mode) == 0) return Ok();
  return Fail(Cannot("make " + path, errno));
}

Status MakeIfMissing(const std::string& path, mode_t mode) {
  const Status made = Make(path, mode);
  return made || std::filesystem::is_directory(path) ? Ok() : made;
}

std::string MarkOf(const std::string& layer, uint32_t uid) {
  return layer + "/users/" + std::to_string(uid);
}

Status MarkFor(const std::string& layer, uint32_t uid) {
  return ReplaceFile(MarkOf(layer, uid), "", 0600, Survives::kCrash);
}

std::vector<std::string> NamesIn(const std::string& path) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed))
    names.push_back(entry.path().filename());
  return names;
}

// A power cut must not leave a layer whose files are empty.
Status SyncFiles(const std::string& root) {
  const Descriptor directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid() && syncfs(directory.get()) == 0) return Ok();
  return Fail(Cannot("write " + root, errno));
}

}  // namespace

Result<std::unique_ptr<LayerStore>> LayerStore::Open(const std::string& directory, Limits limits) {
  std::unique_ptr<LayerStore> store(new LayerStore(directory, limits));
  GP_CHECK_OK(store->Load());
  return store;
}

Status LayerStore::Load() {
  GP_CHECK_OK(MakeIfMissing(directory_, 0700));
  RemoveLayerFiles(directory_ + "/building");
  GP_CHECK_OK(MakeIfMissing(directory_ + "/building", 0700));
  GP_CHECK_OK(MakeIfMissing(directory_ + "/layers", 0700));
  for (const std::string& digits : NamesIn(directory_ + "/layers")) {
    const std::string facts = PathOf(digits) + "/facts";
    struct stat file;
    Layer layer;
    std::ifstream line(facts);
    if (line >> layer.bytes && stat(facts.c_str(), &file) == 0) {
      layer.used_at_ns = file.st_mtim.tv_sec * kSecond + file.st_mtim.tv_nsec;
      layer.list = ReadListMark(line >> layer.files);
      layer.is_damaged = access((PathOf(digits) + kDamagedMark).c_str(), F_OK) == 0;
      layer.number = ++begun_;
      layers_[digits] = layer;
    } else {
      RemoveLayerFiles(PathOf(digits));  // its removal was not finished
    }
  }
  return Ok();
}

std::string LayerStore::RootOf(const std::string& diff_id) const {
  return PathOf(DigitsOf(diff_id)) + "/root";
}

std::optional<LayerStore::State> LayerStore::Enter(const std::string& key,
                                                   const std::string& diff_id, uint32_t uid) {
  const std::string digits = DigitsOf(diff_id);
  std::unique_lock lock(mutex_);
  left_.wait(lock, [&] { return !busy_.contains(digits) || !pins_.contains(key); });
  const auto pins = pins_.find(key);
  if (pins == pins_.end()) return std::nullopt;
  const auto layer = layers_.find(digits);
  const bool is_damaged = layer != layers_.end() && layer->second.is_damaged;
  // Also one that this attempt has pinned before: its blob may not have been pulled.
  if (is_damaged && IsPinned(digits)) return State::kDamaged;
  pins->second.insert(digits);
  if (layer == layers_.end() || is_damaged) {
    busy_[digits] = 0;
    if (is_damaged) Remove(lock, layer);
    return State::kAbsent;
  }
  if (!HasShown(digits, uid)) return State::kUnshown;
  Touch(digits);
  return State::kReady;
}

bool LayerStore::HasShown(const std::string& digits, uint32_t uid) const {
  return access(MarkOf(PathOf(digits), uid).c_str(), F_OK) == 0;
}

bool LayerStore::IsReady(const std::string& diff_id, uint32_t uid) const {
  const std::string digits = DigitsOf(diff_id);
  const std::lock_guard lock(mutex_);
  const auto layer = layers_.find(digits);
  return layer != layers_.end() && !layer->second.is_damaged && HasShown(digits, uid);
}

void LayerStore::Leave(const std::string& diff_id) {
  const std::lock_guard lock(mutex_);
  busy_.erase(DigitsOf(diff_id));
  left_.notify_all();
}

bool LayerStore::IsPinned(const std::string& digits) const {
  return busy_.contains(digits) ||
         std::ranges::any_of(pins_, [&](const auto& one) { return one.second.contains(digits); });
}

int64_t LayerStore::Used() const {
  int64_t used = 0;
  for (const auto& [digits, layer] : layers_) used += layer.bytes;
  return used;
}

int64_t LayerStore::Blobs() const {
  int64_t bytes = 0;
  for (const auto& [uid, of_user] : blobs_) bytes += of_user;
  return bytes;
}

// What new layers may take, without that which others have reserved.
int64_t LayerStore::Room() const {
  int64_t reserved = 0;
  for (const auto& [digits, bytes] : busy_) reserved += bytes;
  int64_t room = limits_.bytes_max - Used() - Blobs();
  struct statvfs system;
  if (statvfs(directory_.c_str(), &system) == 0) {
    const auto unit = static_cast<int64_t>(system.f_frsize);
    const int64_t kept = static_cast<int64_t>(system.f_blocks) / 100 * limits_.free_percent_min;
    room = std::min(room, (static_cast<int64_t>(system.f_bavail) - kept) * unit - awaited_);
  }
  return room - reserved;
}

// A free name for what is made or removed.
std::string LayerStore::NewName(const std::string& what) {
  std::string path;
  do {
    path = directory_ + "/building/" + what + "." + std::to_string(++begun_);
  } while (access(path.c_str(), F_OK) == 0);  // what an earlier agent could not remove
  return path;
}

// Moves a layer out of the way, and returns where its files are now.
std::string LayerStore::TakeAway(Layers::iterator layer) {
  const std::string path = PathOf(layer->first);
  const std::string away = NewName("removed");
  layers_.erase(layer);
  // Without its facts it is none, wherever it is.
  unlink((path + "/facts").c_str());
  return rename(path.c_str(), away.c_str()) == 0 ? away : path;
}

// What removing all layers that no attempt has pinned would give.
int64_t LayerStore::Unpinned() const {
  int64_t bytes = 0;
  for (const auto& [digits, layer] : layers_) bytes += IsPinned(digits) ? 0 : layer.bytes;
  return bytes;
}

Result<int64_t> LayerStore::MakeRoom(const std::string& key, const std::string& diff_id,
                                     int64_t wanted, int64_t least) {
  const std::string digits = DigitsOf(diff_id);
  if (least > limits_.bytes_max)
    return Fail(InvalidArgument(
        "a layer of the image is larger than all layers may be on this node (image_store_gib)"));
  std::unique_lock lock(mutex_);
  busy_[digits] = 0;
  while (pins_.contains(key)) {
    const int64_t bytes = std::min(wanted, Room() + Unpinned());
    if (bytes >= least && Room() >= bytes) return busy_[digits] = bytes;
    if (bytes >= least) {
      RemoveOldest(lock);
    } else if (removals_ > 0 || HasReservations()) {
      left_.wait(lock);  // what others have reserved is more than they need
    } else {
      return Fail(Error{ErrorCode::kResourceExhausted,
                        "the node has no room for the image's layers: running jobs use those that "
                        "are there, or the disk is full"});
    }
  }
  return Fail(Internal("the attempt was stopped"));
}

// REQUIRES: there is a layer that is not pinned.
void LayerStore::RemoveOldest(std::unique_lock<std::mutex>& lock) {
  const auto order = [](const Layer& layer) {
    return std::pair(!layer.is_damaged, layer.used_at_ns);
  };
  auto oldest = layers_.end();
  for (auto at = layers_.begin(); at != layers_.end(); ++at) {
    if (IsPinned(at->first)) continue;
    if (oldest == layers_.end() || order(at->second) < order(oldest->second)) oldest = at;
  }
  Remove(lock, oldest);
}

void LayerStore::Remove(std::unique_lock<std::mutex>& lock, Layers::iterator layer) {
  const std::string away = TakeAway(layer);
  ++removals_;
  lock.unlock();
  RemoveLayerFiles(away);  // this may take long
  lock.lock();
  --removals_;
  left_.notify_all();
}

// Does not wait for what others have reserved: they may wait for this one.
Result<LayerStore::BlobRoom> LayerStore::MakeBlobRoom(uint32_t uid, int64_t bytes) {
  std::unique_lock lock(mutex_);
  if (bytes > limits_.bytes_max / 2)
    return Fail(InvalidArgument(
        "the image is larger than half of what all layers may be on this node (image_store_gib)"));
  const auto is_user_full = [&] {
    const auto of_user = blobs_.find(uid);
    return of_user != blobs_.end() && of_user->second + bytes > limits_.bytes_max / 2;
  };
  while (Room() < bytes && !is_user_full()) {
    if (Room() + Unpinned() >= bytes && Unpinned() > 0) {
      RemoveOldest(lock);
    } else if (removals_ > 0) {
      left_.wait(lock);  // what is being removed still takes of the disk
    } else {
      break;
    }
  }
  if (Room() < bytes || is_user_full())
    return Fail(Error{ErrorCode::kResourceExhausted,
                      "the node has no room to pull the image: running jobs use the layers that "
                      "are there, other images of the user are being pulled, or the disk is full"});
  blobs_[uid] += bytes;
  awaited_ += bytes;
  return BlobRoom(*this, uid, bytes);
}

void LayerStore::BlobRoom::Landed() {
  const std::lock_guard lock(store_->mutex_);
  store_->awaited_ -= std::exchange(awaited_, 0);
}

LayerStore::BlobRoom::~BlobRoom() {
  if (store_ == nullptr) return;
  const std::lock_guard lock(store_->mutex_);
  if ((store_->blobs_[uid_] -= bytes_) == 0) store_->blobs_.erase(uid_);
  store_->awaited_ -= awaited_;
  store_->left_.notify_all();
}

bool LayerStore::HasReservations() const {
  return std::ranges::any_of(busy_, [](const auto& one) { return one.second > 0; });
}

int64_t LayerStore::BytesOf(const std::string& diff_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = layers_.find(DigitsOf(diff_id));
  return found == layers_.end() ? 0 : found->second.bytes;
}

bool LayerStore::HasAll(const std::vector<std::string>& diff_ids) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(
      diff_ids, [&](const std::string& diff_id) { return layers_.contains(DigitsOf(diff_id)); });
}

bool LayerStore::HasDamaged(const std::vector<std::string>& diff_ids) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(diff_ids, [&](const std::string& diff_id) {
    const auto layer = layers_.find(DigitsOf(diff_id));
    return layer != layers_.end() && layer->second.is_damaged;
  });
}

std::vector<std::string> LayerStore::KeysOf(const std::vector<std::string>& diff_ids) const {
  std::set<std::string> wanted;
  for (const std::string& diff_id : diff_ids) wanted.insert(DigitsOf(diff_id));
  std::vector<std::string> keys;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, pinned] : pins_) {
    if (pinned == wanted) keys.push_back(key);
  }
  return keys;
}

Result<std::string> LayerStore::Begin(const std::string& diff_id) {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    path = NewName(DigitsOf(diff_id));
  }
  GP_CHECK_OK(Make(path, 0700));
  GP_CHECK_OK(Make(path + "/users", 0700));
  GP_CHECK_OK(Make(path + "/root", 0755));
  return path + "/root";
}

Status LayerStore::Finish(const std::string& diff_id, const std::string& root,
                          const UnpackedLayer& layer, uint32_t uid) {
  const std::string digits = DigitsOf(diff_id);
  const std::string path = std::filesystem::path(root).parent_path();
  GP_CHECK_OK(MarkFor(path, uid));
  GP_CHECK_OK(ReplaceFile(
      path + "/facts",
      std::to_string(layer.bytes) + " " + std::to_string(layer.files) + ListMark(layer.list) + "\n",
      0600, Survives::kCrash));
  GP_CHECK_OK(SyncFiles(root));
  const Descriptor above(
      open((directory_ + "/layers").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (rename(path.c_str(), PathOf(digits).c_str()) != 0) return Fail(Cannot("keep a layer", errno));
  IgnoreResult(SyncDirectory(above.get()), "after a power cut it is unpacked again");
  const std::lock_guard lock(mutex_);
  layers_[digits] = {
      .bytes = layer.bytes, .files = layer.files, .list = layer.list, .number = ++begun_};
  Touch(digits);
  return Ok();
}

std::string LayerStore::ListFor(const std::string& root) {
  return std::filesystem::path(root).parent_path() / "list";
}

void LayerStore::Abandon(const std::string& root) {
  RemoveLayerFiles(std::filesystem::path(root).parent_path());
}

Status LayerStore::Show(const std::string& diff_id, uint32_t uid) {
  return MarkFor(PathOf(DigitsOf(diff_id)), uid);
}

void LayerStore::Touch(const std::string& digits) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const timespec times[] = {now, now};
  utimensat(AT_FDCWD, (PathOf(digits) + "/facts").c_str(), times, 0);
  layers_[digits].used_at_ns = now.tv_sec * kSecond + now.tv_nsec;
}

void LayerStore::Pin(const std::string& key, const std::string& root) {
  const std::lock_guard lock(mutex_);
  pins_[key];
  if (!root.empty()) pins_[key].insert(std::filesystem::path(root).parent_path().filename());
}

void LayerStore::PinAll(const std::string& key, const std::vector<std::string>& diff_ids) {
  const std::lock_guard lock(mutex_);
  const auto pins = pins_.find(key);
  if (pins == pins_.end()) return;
  for (const std::string& diff_id : diff_ids) {
    const auto layer = layers_.find(DigitsOf(diff_id));
    // A damaged one is unpacked again.
    if (layer == layers_.end() || !layer->second.is_damaged) pins->second.insert(DigitsOf(diff_id));
  }
}

void LayerStore::Unpin(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto pins = pins_.find(key);
  if (pins == pins_.end()) return;
  for (const std::string& digits : pins->second) {
    if (layers_.contains(digits)) Touch(digits);  // it was in use until now
  }
  pins_.erase(pins);
  left_.notify_all();  // it waits for nothing any more
}

int64_t LayerStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return Used();
}

size_t LayerStore::size() const {
  const std::lock_guard lock(mutex_);
  return layers_.size();
}

}  // namespace gp
