#pragma once

// Objects of bytes by name, as an S3-compatible store or a directory has them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// An object as a list has it.
struct StoredObject {
  std::string name;     // "a/b/c", below the place of the store
  int64_t size = 0;     // in bytes
  std::string version;  // another one for other content; empty: the store has none
  bool operator==(const StoredObject&) const = default;
};

// A list may be stale: it may lack what was put a moment ago, and have what was deleted.  Any
// thread may call it.  Errors: kUnavailable, kDeadlineExceeded (it may help to try again),
// kPermissionDenied, kInvalidArgument (the store says what it must not).
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // All objects below a folder ("a/b"; empty: all), in no order; there may be none.
  virtual Result<std::vector<StoredObject>> List(const std::string& folder) = 0;
  // The whole content.  Errors: also kNotFound, kConflict (it has changed since the list).
  virtual Result<std::string> Get(const StoredObject& object) = 0;
  // Another process finds all of it or nothing, also after a crash.
  virtual Status Put(const std::string& name, std::string_view bytes) = 0;
  // The same where there is no such object.  Errors: also kConflict (there is one).
  virtual Status PutNew(const std::string& name, std::string_view bytes) = 0;
  // What is not there is deleted already.
  virtual Status Delete(const std::string& name) = 0;
  // Ends what other threads do here, and all that they begin later, with kUnavailable.
  virtual void Stop() {}
};

}  // namespace gp
