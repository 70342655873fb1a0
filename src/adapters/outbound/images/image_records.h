#pragma once

// Which images the layers of a node belong to, so that they have names after a restart too.
//
//   records/<digits>   an image, named by its digest: the name that the last launch gave it, and
//                      the diff ids of its layers, one a line; its time: of the last use
//
// What cannot be written is not recorded: nothing else depends on it.  All calls are thread-safe;
// All and Drop never wait for a file that is being written.

#include <map>
#include <memory>
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
  // Drops what All has shown, unless the image was noted again since.  False: while a record is
  // written it drops nothing, and the caller tries again.
  bool Drop(const ImageRecord& seen);
  // The last used first.  The same list until there is a change.
  std::shared_ptr<const std::vector<ImageRecord>> All() const;

  static constexpr size_t kMax = 256;

 private:
  void Read(const std::string& digits);
  std::string PathOf(const std::string& digest) const;
  void Write(const ImageRecord& record) const;

  const std::string directory_;
  std::mutex files_mutex_;  // files change in the order of the records; locked before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, ImageRecord> records_;                   // by digest
  mutable std::shared_ptr<const std::vector<ImageRecord>> all_;  // nullptr: changed since
};

}  // namespace gp
