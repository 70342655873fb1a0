#pragma once

// The list of a layer's files, made when it was unpacked: what its directory is compared with
// later.  It is written and compared by a process that is confined to the directory, because the
// files are of unknown origin; others take the list as bytes without a meaning.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// Of all bytes of a list, by which it is known again.
inline constexpr size_t kListBytesMax = 512 << 20;

// Passes the list on, piece by piece.  False from `take`: it is not wanted any more.
Status MakeList(Descriptor root, const std::function<bool(std::string_view)>& take);

// What a look at the files of a layer has found.
struct LayerLook {
  std::string path;   // the first file that differs from the list; empty: none does
  std::string what;   // how it differs
  int64_t files = 0;  // that were read, with directories
  int64_t bytes = 0;
};

// `list`: positioned at its beginning; not valid: there is none, and the files are only read.
// `digest`: "sha256:…" of the list; a list that has another one is itself what is damaged.
Result<LayerLook> CompareWithList(Descriptor root, const Descriptor& list,
                                  const std::string& digest);

}  // namespace gp
