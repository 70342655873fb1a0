#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/images/image_records.h"
#include "adapters/outbound/images/layer_list.h"
#include "adapters/outbound/images/layer_store.h"
#include "ports/outbound/image_care.h"

namespace gp {

// ImageCare for the layers of a LayerStore: each is read by a process of its own.
class LayerCare : public ImageCare {
 public:
  struct Options {
    // Prints what a look at the files of a layer has found (image_answers.h).
    std::function<std::vector<std::string>(const LayerStore::Unpacked&)> look;
    Duration look_time_limit = Duration::Minutes(60);   // of one layer
    Duration prune_time_limit = Duration::Seconds(60);  // no other layer is removed after that
  };

  LayerCare(Options options, std::shared_ptr<LayerStore> layers,
            std::shared_ptr<ImageRecords> records);
  // Ends what is being done.  No call may come any more.
  ~LayerCare() override;

  Result<PrunedLayers> Prune(const PruneOrder& order) override;
  Status Verify(const std::string& image, int stop_fd, const Tell& tell) override;
  // To be called once the attempts that run have pinned their layers: those that were damaged
  // before are removed when none does any more.
  void Begin();
  // What is being done ends soon, and what comes later is refused.
  void Stop();

 private:
  class Turn;

  LayerStore::Prunable WhatToPrune(const PruneOrder& order,
                                   const std::vector<ImageRecord>& all) const;
  void NoteUnfinished(const PruneOrder& order, const LayerStore::Prunable& which,
                      PrunedLayers& pruned);
  void Forget(const PruneOrder& order);
  std::vector<LayerStore::Unpacked> WhatToVerify(const std::string& image,
                                                 const std::vector<ImageRecord>& all) const;
  Result<LayerLook> LookAt(const LayerStore::Unpacked& layer, int stop_fd) const;
  Status VerifyLayer(const LayerStore::Unpacked& layer, const std::vector<ImageRecord>& all,
                     int stop_fd, VerifiedLayers& sums, const Tell& tell);
  void RemoveDamagedLater();

  const Options options_;
  const std::shared_ptr<LayerStore> layers_;
  const std::shared_ptr<ImageRecords> records_;
  mutable std::mutex mutex_;
  std::condition_variable over_;
  bool is_ending_ = false;
  bool is_verifying_ = false;
  int running_ = 0;         // calls
  std::set<int> stop_fds_;  // of those that run
  std::thread remover_;     // of damaged layers, once there was one in use
  // Layers of images that were named to a call which ended before they were all removed
  std::map<std::string, std::set<std::string>> unfinished_;
};

}  // namespace gp
