#pragma once

// One object becomes one file, whatever happens to the connection meanwhile.

#include <atomic>
#include <cstdint>
#include <string>

#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/retries.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"

namespace gp {

// What the threads of a transfer have done together.
struct TransferCounts {
  std::atomic<int64_t> bytes = 0;     // of objects, that are here or there
  std::atomic<int64_t> files = 0;     // that are complete
  std::atomic<int64_t> received = 0;  // bytes that came in, also those that came twice
};

struct FetchPlace {
  int parts = -1;      // open directory of what is not complete
  int directory = -1;  // open directory of the files
  std::string sha256;  // that the user expects, in hexadecimal digits; empty: none
  RetryLimits retries;
};

// Errors as of ObjectServer and PartFile, with the object's name; kConflict: the content is another
// one than its digest says, twice, or than the user expects.
Result<ManifestFile> FetchObject(ObjectServer& server, const ObjectUrl& root,
                                 const ObjectEntry& entry, const FetchPlace& place,
                                 TransferCounts& counts);

}  // namespace gp
