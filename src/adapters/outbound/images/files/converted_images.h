#pragma once

// Which plans the squashfs files of users have, so that an unchanged file is not read again, after
// a restart neither.
//
//   <digits>   of a user and the identity of a file: the plan of the image (image_answers.h)
//
// What cannot be written is read again.  All calls are thread-safe.

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/outbound/images/image_manifest.h"

namespace gp {

class ConvertedImages {
 public:
  // The directory is made when it is needed.
  explicit ConvertedImages(std::string directory) : directory_(std::move(directory)) {}

  std::optional<ImagePlan> Find(uint32_t uid, const std::string& identity) const;
  // Of too many, those that are unused longest are dropped.
  void Note(uint32_t uid, const std::string& identity, const ImagePlan& plan) const;

  // To be converted again.  False: none is remembered.
  bool Drop(uint32_t uid, const std::string& identity) const;

  static constexpr size_t kMax = 1'024;
  static constexpr size_t kMaxOfUser = 128;

 private:
  std::string PathOf(uint32_t uid, const std::string& identity) const;
  // Of those whose names begin so.
  void DropOldest(const std::string& begin, size_t kept) const;

  const std::string directory_;
};

}  // namespace gp
