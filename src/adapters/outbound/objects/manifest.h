#pragma once

// The list of the files of a complete transfer, which is written last: one JSON object per line,
// first that of the whole, then one for each file in the order of names.  Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

struct ManifestFile {
  std::string name;
  int64_t size = 0;
  std::string version;       // at its source; empty: that has none
  std::string sha256;        // of the content
  bool is_verified = false;  // the source, or the user, said this digest or another one of it
  bool operator==(const ManifestFile&) const = default;
};

struct Manifest {
  std::string url;
  std::string version;  // of all of it; empty: each file has its own
  std::vector<ManifestFile> files;
  bool operator==(const Manifest&) const = default;
};

// "sha256:…" of names, sizes and contents; the same wherever the files come from.
std::string TreeDigest(const Manifest& manifest);

std::string ManifestText(const Manifest& manifest);
// kInvalidArgument: it is no such text.
Result<Manifest> ReadManifest(std::string_view text);

// One line of it, with its end.
std::string ManifestLine(const ManifestFile& file);
Result<ManifestFile> ReadManifestLine(std::string_view line);

}  // namespace gp
