#pragma once

// Where the members of a tar archive are, so that one is read in its place: an archive of an image
// is as large as the image.  The archive is of unknown origin.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace gp {

struct ArchiveMember {
  int64_t offset = 0;  // of its first byte in the archive
  int64_t bytes = 0;
  std::string link;  // of a symbolic link: what it names; empty: a regular file
  bool operator==(const ArchiveMember&) const = default;
};

// By its path, without "./" before it.  Other kinds of members are left out.
using ArchiveIndex = std::map<std::string, ArchiveMember>;

inline constexpr size_t kArchiveMembersMax = 65'536;

// The archive in a file of `bytes`, in the formats of ustar, pax and GNU tar.  `name`: for
// messages. kInvalidArgument: it is none, it is compressed as a whole, or it is cut off. kInternal:
// its file server fails.
Result<ArchiveIndex> ReadArchiveIndex(int file, int64_t bytes, const std::string& name);

// A file, also by one symbolic link that leads to it.
std::optional<ArchiveMember> FindMember(const ArchiveIndex& index, const std::string& path);

}  // namespace gp
