#pragma once

// An object on its way to this host: a file in a directory of parts, which outlives this process.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"
#include "files/descriptor.h"
#include "lib/secrets/hash_stream.h"

namespace gp {

// In hexadecimal digits.
struct ObjectDigests {
  std::string sha256;
  std::string md5;       // where the object's entry has one
  std::string git_sha1;  // where the object's entry has one
};

// The bytes of one object from its beginning on.  Errors: kInternal, the disk fails or is full.
class PartFile {
 public:
  // Goes on with what an earlier process left of the same version, if that was much.  `parts`: an
  // open directory, which must outlive this.  kConflict: what it left is of another version, which
  // the message names; it is removed.
  static Result<PartFile> Open(int parts, const ObjectEntry& entry);

  int64_t size() const { return size_; }
  Status Append(std::string_view bytes);
  Status Restart();  // without any byte

  // Of what is there, which must be complete; called once.
  ObjectDigests End();
  // Gives the file, once it is on disk, its name below an open directory, whose missing
  // directories are made.  kInvalidArgument: something else than a file is there.
  Status MoveTo(int directory, const std::string& name);
  void Remove();

 private:
  PartFile(int parts, const ObjectEntry& entry);
  bool CanResume() const;
  Status OpenFile();
  Status NoteVersion() const;
  // Whether the part is of this version.
  Result<bool> CheckNotedVersion();
  Status DigestExisting();
  void StartDigests();
  void Digest(std::string_view bytes);

  int parts_;
  ObjectEntry entry_;
  std::string file_name_;
  Descriptor file_;
  int64_t size_ = 0;
  std::optional<HashStream> sha256_;
  std::optional<HashStream> md5_;
  std::optional<HashStream> git_sha1_;
};

}  // namespace gp
