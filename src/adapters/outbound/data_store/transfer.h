#pragma once

// What a process that transfers data for an attempt is to do, and what it answers.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/staging_progress.h"

namespace gp {

struct TransferOrder {
  enum class Kind {
    kList,     // only looks what there is
    kFetch,    // into the directory `path`
    kRestore,  // to become the file or directory `path`, unless it has the content
    kPut,      // the file or directory `path`, to below the URL
  };
  Kind kind = Kind::kList;
  std::string url;
  std::vector<std::string> include;  // patterns of names; empty: all
  std::string sha256;                // of a single object; empty: not known
  std::string credentials;
  std::string path;
  uint32_t uid = 0;  // on whose behalf
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  std::string tree_digest;  // kFetch: of what was listed; other content is refused
  int64_t bytes_max = INT64_MAX;
  bool is_fixed = false;             // kPut: of DataCopy
  std::vector<std::string> staying;  // kPut: of DataCopy
};

struct TransferAnswer {
  // Of the names, sizes and versions of all files; empty: they may change without a sign.
  std::string tree_digest;
  int64_t bytes = 0;
  int64_t files = 0;
  std::string single;  // the name of the only file, if the URL is that of an object
};

// Runs a transfer to its end.  `stop_fd`: readable when it must stop.  `progress` is called on
// another thread's behalf, so it must not block.  Errors: those of DataStore; their
// messages name the URL.
using TransferRunner = std::function<Result<TransferAnswer>(
    const TransferOrder& order, int stop_fd,
    const std::function<void(int64_t bytes, int64_t total)>& progress)>;

}  // namespace gp
