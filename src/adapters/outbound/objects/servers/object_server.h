#pragma once

// Where objects are: a store such as S3, a hub of models, a server of the web, a directory.  What
// any of them says is of unknown origin: names may lead anywhere, and sizes may be wrong.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/model/jobs/object_url.h"

namespace gp {

inline constexpr size_t kObjectsMax = 1'000'000;  // of one transfer

struct ObjectEntry {
  std::string key;     // the server's name of it
  size_t name_at = 0;  // where in the key its name relative to the URL begins
  int64_t size = 0;
  // Another one for other content, such as an ETag; empty: the server has none.
  std::string version;
  // Digests in hexadecimal digits, as far as the server says them.
  std::string sha256;
  std::string md5;
  std::string git_sha1;  // of a blob as git stores it
  bool operator==(const ObjectEntry&) const = default;

  std::string Name() const { return key.substr(name_at); }
  std::string_view NameView() const { return std::string_view(key).substr(name_at); }
  bool IsVerifiable() const { return !sha256.empty() || !md5.empty() || !git_sha1.empty(); }
};

struct ObjectTree {
  std::vector<ObjectEntry> entries;
  std::string version;   // of all of it, such as a commit; empty: each object has its own
  int64_t left_out = 0;  // symbolic links and other files that are no objects
};

// What a server says of an object while it is read.
struct ReadFacts {
  std::string sha256;         // of all of the object; empty: it says none
  bool is_md5_wrong = false;  // what the list gave for an MD5 is none: the object is encrypted
};

// Receives bytes as they arrive.  An error ends the transfer and becomes its error.
using ByteSink = std::function<Status(std::string_view)>;

struct PutSource {
  int64_t size = 0;
  std::string sha256;  // of all of it
  // Exactly these bytes, which exist.
  std::function<Result<std::string>(int64_t offset, size_t bytes)> read;
};

struct PutOptions {
  bool create_only = false;  // kConflict where there is such an object already
};

// A server of one scheme, with the credentials of one user.  Any thread.  Errors name the place:
// kInvalidArgument: the server sends what it must not.  kNotFound, kPermissionDenied: there is no
// such object, or not for these credentials.  kConflict: an object has changed; the message has
// both versions.  kUnavailable, kDeadlineExceeded: it may help to try again.
class ObjectServer {
 public:
  virtual ~ObjectServer() = default;

  // All objects at or below the URL; kNotFound: there are none.  kResourceExhausted: more than
  // kObjectsMax.
  virtual Result<ObjectTree> List(const ObjectUrl& root) = 0;
  // Bytes from the offset to the end of an entry of List(root), in one try.
  virtual Result<ReadFacts> Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                                 const ByteSink& sink) = 0;
  // What is known of the object of this URL; nullopt: there is none.
  virtual Result<std::optional<ObjectEntry>> Look(const ObjectUrl& url) = 0;
  // kUnsupported: nothing can be written there.
  virtual Status Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) = 0;
  virtual Status Delete(const ObjectUrl& url) = 0;

  // How long the server has asked its clients to wait before they try again.
  virtual Duration AskedWait() const { return {}; }
  // Ends what other threads do here, and all that they begin later, with kUnavailable.
  virtual void Stop() {}
  // Readable once stopped; -1: it cannot be stopped.
  virtual int stop_fd() const { return -1; }
};

}  // namespace gp
