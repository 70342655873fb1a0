#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/images/image_layout.h"
#include "adapters/outbound/images/layer_store.h"
#include "base/time.h"
#include "files/descriptor.h"
#include "lib/spawn/run_command.h"
#include "ports/outbound/image_store.h"

namespace gp {

// What the process of a layer does.
struct LayerTask {
  std::string digest;     // of the blob
  std::string root;       // the empty directory that it is confined to, and unpacks into
  int64_t bytes_max = 0;  // that the layer may take
  bool is_check = false;  // only reads and digests it
};

// ImageStore by processes: each image is read, and each layer unpacked, in a process of its own,
// which is confined and is killed when it takes too long.  The agent's thread makes all calls.
class ProcessImageStore : public ImageStore {
 public:
  struct Options {
    // Prints the plan of an image, read with the rights of the launch's user (image_answers.h).
    std::function<std::vector<std::string>(const LaunchSpec&)> read;
    // Prints the digests and the size of a layer.
    std::function<std::vector<std::string>(const LaunchSpec&, const LayerTask&)> unpack;
    size_t images_max = 32;    // that are prepared at the same time
    ptrdiff_t layers_max = 4;  // that are unpacked at the same time
    Duration read_time_limit = Duration::Seconds(60);
    Duration unpack_time_limit = Duration::Minutes(30);  // of one layer
  };

  ProcessImageStore(Options options, std::unique_ptr<LayerStore> layers);
  ~ProcessImageStore() override;

  std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec& spec) override;
  std::string DigestOf(const std::string& key) override;
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
  };
  struct Prepared {
    StopEvent stop;
    std::string digest;                          // empty: not yet known
    std::optional<Result<UnpackedImage>> image;  // nullopt: not yet known
  };

  void Work();
  // Of a request, unless it was released since.  REQUIRES: mutex_ is locked.
  Prepared* Find(const Request& request);
  void NoteDigest(const Request& request, const std::string& digest);
  Result<UnpackedImage> PrepareNow(const Request& request);
  Status PrepareLayer(const Request& request, const LayerPlan& layer);
  Status CheckContent(const Request& request, const LayerPlan& layer);
  Status Unpack(const Request& request, const LayerPlan& layer);
  Result<UnpackedLayer> RunTask(const Request& request, const LayerTask& task) const;
  static bool IsStopped(const StopEvent& stop);
  static CommandEnd Run(std::vector<std::string> words, const StopEvent& stop, Duration time_limit);

  const Options options_;
  const std::unique_ptr<LayerStore> layers_;
  const int event_fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::deque<Request> waiting_;
  std::map<std::string, Prepared> prepared_;  // by key
  mutable std::counting_semaphore<> free_processes_;
  std::vector<std::thread> workers_;  // started as they are needed
  size_t idle_ = 0;
};

}  // namespace gp
