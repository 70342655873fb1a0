#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

struct PruneOrder {
  std::string image;      // only its own layers: its name, or its digest or the beginning of it
  Duration unused_for;    // only layers that no attempt has used for this time
  bool is_trial = false;  // removes nothing
};

struct PrunedLayers {
  int layers = 0;  // that were removed, or would be
  int64_t bytes = 0;
  int layers_in_use = 0;  // that stay because attempts use them
  int64_t bytes_in_use = 0;
  bool is_unfinished = false;  // the time of a call was over
  int images = 0;              // that were meant; 0: there is no such image here
};

// A layer whose files are not those that were unpacked.
struct DamagedLayer {
  std::string diff_id;              // "sha256:…"
  std::vector<std::string> images;  // names of those that have it
  std::string path;                 // the first file that differs
  std::string what;                 // how it differs
  bool is_in_use = false;           // it is removed later; false: it was removed
  int64_t bytes = 0;
};

// How far a verification is.
struct VerifiedLayers {
  int layers = 0;
  int layers_total = 0;
  int64_t bytes = 0;
  int damaged = 0;
  int counted = 0;  // layers without a list: only their files were counted
  int images = 0;   // that are meant; 0: there is no such image here
  bool operator==(const VerifiedLayers&) const = default;
};

// What operators have done to the unpacked layers of this host.  Every thread may call it; the
// calls take long, and jobs come and go meanwhile.
class ImageCare {
 public:
  virtual ~ImageCare() = default;

  // Removes layers that no attempt uses, and forgets images. Errors: kUnavailable (the agent
  // stops).
  virtual Result<PrunedLayers> Prune(const PruneOrder& order) = 0;

  // Reads layers again, one at a time, and removes those that are damaged; `image`: as in
  // PruneOrder.  `tell` is called after each layer, with its damage or nullptr.  `stop_fd`: an
  // eventfd; it ends once that is readable.  Errors: as Prune; kUnavailable also (another
  // verification runs), kInternal (a layer cannot be read, by the host's fault; others were).
  using Tell = std::function<void(const VerifiedLayers&, const DamagedLayer*)>;
  virtual Status Verify(const std::string& image, int stop_fd, const Tell& tell) = 0;
};

}  // namespace gp
