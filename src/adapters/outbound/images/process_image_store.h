#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "adapters/outbound/images/files/converted_images.h"
#include "adapters/outbound/images/image_manifest.h"
#include "adapters/outbound/images/image_records.h"
#include "adapters/outbound/images/layer_store.h"
#include "adapters/outbound/images/pull_directory.h"
#include "base/time.h"
#include "files/descriptor.h"
#include "lib/spawn/run_command.h"
#include "ports/outbound/image_store.h"

namespace gp {

// What the process of a layer does.
struct LayerTask {
  LayerPlan layer;        // of its blob
  std::string root;       // the empty directory that it is confined to, and unpacks into
  int64_t bytes_max = 0;  // that the layer may take
  bool is_check = false;  // only reads and digests it
};

// What the process that pulls an image's layers does; the layout of the launch is where they go.
struct PullTask {
  std::string manifest;              // its digest
  std::vector<std::string> present;  // digests of layers that are not pulled
  int64_t bytes = 0;                 // of those that are, by the manifest
};

// ImageStore by processes: each image is read, and each layer unpacked, in a process of its own,
// which is confined and is killed when it takes too long.  The agent's thread makes all calls.
class ProcessImageStore : public ImageStore {
 public:
  struct Options {
    // Prints the plan of an image, read with the rights of the launch's user (image_answers.h).
    std::function<std::vector<std::string>(const LaunchSpec&)> read;
    // Prints the identity of a squashfs file, and the plan of one that has this identity.
    std::function<std::vector<std::string>(const LaunchSpec&)> identify;
    std::function<std::vector<std::string>(const LaunchSpec&, const std::string& identity)> convert;
    std::string converted_directory;  // for that of ConvertedImages
    // Pulls the layers of an image, and prints whether it did.
    std::function<std::vector<std::string>(const LaunchSpec&, const PullTask&)> pull;
    // Prints the digests and the size of a layer.
    std::function<std::vector<std::string>(const LaunchSpec&, const LayerTask&)> unpack;
    // Prints the list of the files in the directory of a layer (layer_list.h); empty: none is made.
    std::function<std::vector<std::string>(const std::string& root)> list;
    std::string pull_directory;  // for those of PullDirectory
    PullDirectory::Discard discard;
    std::vector<std::string> pull_environment;  // "NAME=value", of processes that ask a registry
    size_t images_max = 32;                     // that are prepared at the same time
    size_t images_per_user_max = 8;
    ptrdiff_t layers_max = 4;  // that are unpacked at the same time
    Duration read_time_limit = Duration::Seconds(60);
    Duration unpack_time_limit = Duration::Minutes(30);  // of one layer
    Duration pull_time_limit = Duration::Minutes(61);    // of all layers of an image
    // A user who got an image from a registry has it for this time without asking again.
    Duration access_lasts = Duration::Minutes(10);
  };

  ProcessImageStore(Options options, std::shared_ptr<LayerStore> layers,
                    std::shared_ptr<ImageRecords> records);
  ~ProcessImageStore() override;

  std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec& spec) override;
  std::string DigestOf(const std::string& key) override;
  StagingProgress ProgressOf(const std::string& key) override;
  std::vector<HeldImage> Held() override;
  void Keep(const std::string& key, const std::vector<std::string>& layers) override;
  void Release(const std::string& key) override;
  void ClearEvents() override;
  int EventDescriptor() const override { return event_fd_; }

 private:
  // Readable: stop what is done for a request.
  using StopEvent = std::shared_ptr<const Descriptor>;
  // A key that is released may be asked for again: each time is another request.
  struct Request {
    LaunchSpec spec;
    StopEvent stop;
    std::string credentials;  // a file of them, for processes that ask a registry
  };
  struct Prepared {
    StopEvent stop;
    std::string digest;                          // empty: not yet known
    std::vector<LayerPlan> layers;               // of its plan
    std::set<std::string> unpacked;              // diff ids of those that the user has
    int64_t pulled_bytes = 0;                    // of the others
    std::optional<Result<UnpackedImage>> image;  // nullopt: not yet known
  };

  void Work();
  // The first one that may begin.  REQUIRES: mutex_ is locked.
  std::optional<Request> TakeNext();
  // Of a request, unless it was released since.  REQUIRES: mutex_ is locked.
  Prepared* Find(const Request& request);
  void NoteUnpacked(const Request& request, const LayerPlan& layer);
  void NotePulled(const Request& request, int64_t bytes);
  // A plan that a registry has served to a user.
  struct Served {
    ImagePlan plan;
    int64_t until_boot_ns = 0;
  };
  // User, digest of the credentials, repository with the tag if that is what is asked for.
  using Asker = std::tuple<uint32_t, std::string, std::string>;
  using ServedKey = std::pair<Asker, std::string>;  // digest of the image
  // What a tag names; questions are numbered from 1.
  struct Question {
    uint64_t begun = 0;  // the last one
    uint64_t ended = 0;  // the last one that was answered
    bool is_asked = false;
    Result<std::string> answer = "";
    int requests = 0;  // that wait for an answer
  };

  Result<UnpackedImage> PrepareNow(const Request& request);
  Result<UnpackedImage> PrepareSquashfs(const Request& request);
  Result<UnpackedImage> PrepareConverted(const Request& request, const std::string& identity);
  Result<ImagePlan> Convert(const Request& request, const std::string& identity);
  Result<UnpackedImage> PreparePulled(Request request);
  Result<ImagePlan> ReadPlan(const Request& request);
  Result<ImagePlan> ServedPlan(const Request& request);
  std::optional<ImagePlan> FindServed(const ServedKey& key);
  Result<std::string> AskForDigest(const Request& request, const Asker& asker);
  Result<std::string> Identify(const Request& request) const;
  void NotePlan(const Request& request, const ImagePlan& plan);
  // A user pulls or converts an image once at a time: user, digest of the manifest or identity.
  using Turn = std::pair<uint32_t, std::string>;
  // False: the request was stopped.
  bool AwaitTurn(const Request& request, const Turn& turn);
  void EndTurn(const Turn& turn);
  Status PullMissing(const Request& request, const ImagePlan& plan,
                     std::optional<LayerStore::BlobRoom>& room);
  CommandEnd RunPull(const Request& request, const PullTask& task);
  Result<UnpackedImage> PrepareLayers(const Request& request, ImagePlan plan);
  Status PrepareLayer(const Request& request, const LayerPlan& layer);
  Status CheckContent(const Request& request, const LayerPlan& layer);
  Status Unpack(const Request& request, const LayerPlan& layer);
  Result<UnpackedLayer> UnpackInto(const Request& request, const LayerPlan& layer,
                                   const LayerTask& task);
  Status MakeListOf(const Request& request, const std::string& root, UnpackedLayer& layer) const;
  Result<UnpackedLayer> RunTask(const Request& request, const LayerTask& task) const;
  CommandEnd RunInTurn(std::vector<std::string> words, const Request& request) const;
  static bool IsStopped(const StopEvent& stop);
  CommandEnd Run(std::vector<std::string> words, const Request& request, Duration time_limit,
                 std::function<void(std::string_view)> on_output = nullptr) const;

  const Options options_;
  const std::shared_ptr<LayerStore> layers_;
  const std::shared_ptr<ImageRecords> records_;
  const int event_fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable pulled_;
  bool is_ending_ = false;
  std::deque<Request> waiting_;
  std::map<std::string, Prepared> prepared_;  // by key
  std::set<Turn> pulls_;                      // whose turn it is
  std::map<uint32_t, size_t> busy_;           // images that are being prepared, by user
  std::map<ServedKey, Served> served_;
  std::map<Asker, Question> questions_;
  const ConvertedImages converted_;
  mutable std::counting_semaphore<> free_processes_;
  const StopEvent ending_;            // set when all ends
  std::vector<std::thread> workers_;  // started as they are needed
  std::thread cleaner_;
  size_t idle_ = 0;
};

}  // namespace gp
