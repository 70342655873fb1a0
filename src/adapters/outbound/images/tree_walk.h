#pragma once

// Reads a directory with all that is below it, whose content is of unknown origin, in an order that
// depends on nothing but the names.  Follows no link and opens no special file.

#include <sys/stat.h>
#include <map>
#include <utility>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// A file, or the end of a directory whose files were all told.
struct TreeEntry {
  char type = 0;  // 'f' file, 'd' directory, 'l' link, 'c' character device, 'p' FIFO, '?' other,
                  // 'e' the end of a directory: nothing else is set
  uint32_t mode = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  int64_t size = 0;        // of a file or a link; of a device its number
  std::string attributes;  // digest of the user's attributes; empty: none
  std::string content;     // digest of a file's bytes, or of where a link leads
  std::string name;        // in its directory; of the first one "."
  std::string unreadable;  // why the disk does not give it; then nothing after `name` is read
  bool operator==(const TreeEntry&) const = default;
};

class TreeWalk {
 public:
  // `from_disk`: files are not taken from the page cache, and do not stay in it.
  TreeWalk(Descriptor root, bool from_disk) : at_(std::move(root)), from_disk_(from_disk) {}

  // A directory comes before its files, which are sorted by name; after them comes an end.
  // nullopt: there is no more.  Errors: kInvalidArgument (more files than layers may have),
  // kInternal.
  Result<std::optional<TreeEntry>> Next();
  // Of the last entry, below the root: "usr/bin/python3"; "." is the root.
  std::string Path() const;
  // So far.
  int64_t files() const { return files_; }
  int64_t bytes() const { return bytes_; }

 private:
  struct Level {
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
    std::vector<std::string> names;  // sorted
    size_t next = 0;
  };

  Result<TreeEntry> Read(const std::string& name);
  Status Enter(const std::string& name, TreeEntry& entry);
  Result<TreeEntry> Leave();
  Status ReadFile(const std::string& name, TreeEntry& entry);
  Status ReadContent(const Descriptor& file, const std::string& name, TreeEntry& entry);

  Descriptor at_;  // the directory of the topmost level
  const bool from_disk_;
  std::vector<Level> levels_;
  std::string last_;  // name of the last entry, unless it is the topmost level
  bool has_begun_ = false;
  size_t names_ = 0;  // of all levels
  int64_t files_ = 0;
  int64_t bytes_ = 0;
  // Contents of files with several names, which are read once: device and inode, digest.
  std::map<std::pair<dev_t, ino_t>, std::string> linked_;
  std::vector<char> piece_ = std::vector<char>(256 << 10);
};

}  // namespace gp
