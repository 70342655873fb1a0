#pragma once

// The unpacked layers of a node: which there are, who may use them, and which are removed when room
// is needed.
//
//   building/<digits>.<n>/root        a layer that is being unpacked
//   layers/<digits>/root              the layer, named by the digest of its archive
//   layers/<digits>/facts             one line: bytes, files, and the digest of the list, if there
//                                     is one; its time: of the last use
//   layers/<digits>/list              of its files, when it was unpacked (layer_list.h)
//   layers/<digits>/damaged           its files are not those of the list any more
//   layers/<digits>/users/<uid>       this user has shown the layer's content
//
// Only root enters the directory: files in it may have any owner.  All calls are thread-safe.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/outbound/images/layer_process.h"
#include "base/result.h"
#include "ports/outbound/image_care.h"

namespace gp {

class LayerStore {
 public:
  struct Limits {
    int64_t bytes_max = 0;     // of all layers
    int free_percent_min = 5;  // of the file system, that stays free
  };

  // Makes the directory, removes what was not finished, and looks at what is there.
  static Result<std::unique_ptr<LayerStore>> Open(const std::string& directory, Limits limits);

  enum class State {
    kReady,    // for this user
    kUnshown,  // there, but the user has not shown its content
    kAbsent,
    kDamaged,  // there, and others use it
  };
  // Pins the layer for `key`, once nobody unpacks it.  kAbsent: the caller alone may unpack it,
  // until Leave; a damaged layer that nobody uses is removed for that.  kDamaged: it is not pinned.
  // nullopt: `key` is not pinned, or no longer.
  std::optional<State> Enter(const std::string& key, const std::string& diff_id, uint32_t uid);
  void Leave(const std::string& diff_id);

  // Reserves room for a layer until Leave, and returns how much: `wanted`, or what there is, but
  // `least`.  Layers that no attempt has pinned are removed for it, the longest unused first; none
  // is if that does not help.  Errors: kResourceExhausted (there is no room), kInvalidArgument
  // (there never is), kInternal (`key` is no longer pinned).
  Result<int64_t> MakeRoom(const std::string& key, const std::string& diff_id, int64_t wanted,
                           int64_t least);
  // A new empty directory for the layer's files.
  Result<std::string> Begin(const std::string& diff_id);
  // Where the list of these files belongs before Finish.
  static std::string ListFor(const std::string& root);
  // The files are complete: on disk from now on, and the user's.
  Status Finish(const std::string& diff_id, const std::string& root, const UnpackedLayer& layer,
                uint32_t uid);
  // They are not.
  void Abandon(const std::string& root);
  // The user has shown the content of a layer that is there.
  Status Show(const std::string& diff_id, uint32_t uid);
  // Whether the layer is there, whole, and for this user.
  bool IsReady(const std::string& diff_id, uint32_t uid) const;

  // Reserves room for blobs that a user pulls before they are unpacked, until the end of the
  // object. Layers that no attempt has pinned are removed for it.  A user has at most half of all
  // room. Errors: kResourceExhausted (there is none), kInvalidArgument (there never is).
  class BlobRoom {
   public:
    BlobRoom(LayerStore& store, uint32_t uid, int64_t bytes)
        : store_(&store), uid_(uid), bytes_(bytes), awaited_(bytes) {}
    ~BlobRoom();
    BlobRoom(BlobRoom&& other) noexcept
        : store_(std::exchange(other.store_, nullptr)),
          uid_(other.uid_),
          bytes_(other.bytes_),
          awaited_(other.awaited_) {}
    // The blobs are there: they take of the disk by themselves.
    void Landed();

   private:
    LayerStore* store_;
    uint32_t uid_;
    int64_t bytes_;
    int64_t awaited_;  // of the disk
  };
  Result<BlobRoom> MakeBlobRoom(uint32_t uid, int64_t bytes);

  std::string RootOf(const std::string& diff_id) const;
  // That it takes; 0: it is not there.
  int64_t BytesOf(const std::string& diff_id) const;
  // Whether all these layers are there.
  bool HasAll(const std::vector<std::string>& diff_ids) const;
  // Whether one of them is there and damaged.
  bool HasDamaged(const std::vector<std::string>& diff_ids) const;
  // Those who have pinned these layers, and no others.
  std::vector<std::string> KeysOf(const std::vector<std::string>& diff_ids) const;
  // Pins a layer by its root, as RootOf has it.
  void Pin(const std::string& key, const std::string& root);
  // Pins layers that the key will enter, so that those which are there stay.
  void PinAll(const std::string& key, const std::vector<std::string>& diff_ids);
  void Unpin(const std::string& key);

  // What Prune may remove.
  struct Prunable {
    std::optional<std::set<std::string>> diff_ids;  // only these; nullopt: all
    int64_t unused_since_ns = INT64_MAX;            // only those that were not used after that
  };
  // Removes layers that no attempt has pinned, the longest unused first, while `may_go_on`.
  // `is_trial`: only says what it would do.
  PrunedLayers Prune(const Prunable& which, bool is_trial, const std::function<bool()>& may_go_on);

  // A layer as it is now.
  struct Unpacked {
    std::string diff_id;
    std::string root;
    std::string list_path;
    std::string list;  // "sha256:…"; empty: there is no list
    int64_t bytes = 0;
    int64_t files = 0;
    uint64_t number = 0;  // the same layer gets another one when it is unpacked again
  };
  std::vector<Unpacked> All() const;
  bool IsThere(const Unpacked& layer) const;
  // No attempt gets the layer any more.  Removes it if none has it pinned.
  enum class Damage { kGone, kInUse, kRemoved };
  Damage NoteDamage(const Unpacked& layer);
  // Waits for a damaged layer that no attempt has pinned any more, and removes it.  False: by
  // EndWaits, there comes none.
  bool RemoveNextDamaged();
  void EndWaits();

  int64_t bytes() const;
  size_t size() const;

 private:
  struct Layer {
    int64_t bytes = 0;
    int64_t files = 0;
    int64_t used_at_ns = 0;
    std::string list = {};
    bool is_damaged = false;
    uint64_t number = 0;
  };
  using Layers = std::map<std::string, Layer>;  // by digits

  LayerStore(std::string directory, Limits limits)
      : directory_(std::move(directory)), limits_(limits) {}
  Status Load();
  std::string PathOf(const std::string& digits) const { return directory_ + "/layers/" + digits; }
  bool HasShown(const std::string& digits, uint32_t uid) const;
  // Both unlock meanwhile.
  void RemoveOldest(std::unique_lock<std::mutex>& lock);
  void Remove(std::unique_lock<std::mutex>& lock, Layers::iterator layer);
  bool IsPinned(const std::string& digits) const;
  std::string NewName(const std::string& what);
  std::string TakeAway(Layers::iterator layer);
  Layers::iterator UnusedDamaged();
  bool HasReservations() const;
  int64_t Used() const;
  int64_t Unpinned() const;
  int64_t Room() const;
  int64_t Blobs() const;
  void Touch(const std::string& digits);

  const std::string directory_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  Layers layers_;
  std::map<std::string, std::set<std::string>> pins_;  // digits, by key
  std::map<std::string, int64_t> busy_;                // layers that are entered, and their room
  std::map<uint32_t, int64_t> blobs_;                  // that are being pulled, by user
  int64_t awaited_ = 0;                                // of them, those that are not there yet
  int removals_ = 0;                                   // that are not finished
  bool is_ending_ = false;                             // nobody waits for damaged layers any more
  uint64_t begun_ = 0;
};

}  // namespace gp
