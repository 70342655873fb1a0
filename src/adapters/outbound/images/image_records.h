#pragma once

// Which images the layers of a node belong to, so that they have names after a restart too.
//
//   records/<digits>   an image, named by its digest: the name that the last launch gave it, and
//   the
//                      diff ids of its layers, one a line; its time: of the last use
//
// What cannot be written is not recorded: nothing else depends on it.  All calls are thread-safe.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

struct ImageRecord {
  std::string name;
  std::string digest;                 // "sha256:…"
  std::vector<std::string> diff_ids;  // of its layers, each once
  Instant used_at;
};

class ImageRecords {
 public:
  // The directory is made when it is needed.
  explicit ImageRecords(std::string directory);

  // An attempt gets the image now.  Of too many, the one that is unused longest is dropped.
  void Note(const std::string& name, const std::string& digest, std::vector<std::string> diff_ids);
  void Drop(const std::string& digest);
  // The last used first.
  std::vector<ImageRecord> All() const;

  static constexpr size_t kMax = 256;

 private:
  void Read(const std::string& digits);
  void DropLocked(const std::string& digest);
  std::string PathOf(const std::string& digest) const;

  const std::string directory_;
  mutable std::mutex mutex_;
  std::map<std::string, ImageRecord> records_;  // by digest
};

}  // namespace gp
