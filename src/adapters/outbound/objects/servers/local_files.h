#pragma once

// Files and directories of this host, with the rights of this process.  Below the URL no symbolic
// link is followed, and only regular files count; links and other files are left out.

#include "adapters/outbound/objects/servers/object_server.h"
#include "files/descriptor.h"

namespace gp {

class LocalFiles : public ObjectServer {
 public:
  explicit LocalFiles(size_t objects_max = kObjectsMax) : objects_max_(objects_max) {}
  Result<ObjectTree> List(const ObjectUrl& root) override;
  Result<ReadFacts> Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                         const ByteSink& sink) override;
  Result<std::optional<ObjectEntry>> Look(const ObjectUrl& url) override;
  // Makes the directories above the file.  Another process finds all of the file or nothing.
  Status Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) override;
  Status Delete(const ObjectUrl& url) override;

 private:
  const size_t objects_max_;  // of one list
};

// Reads files below an open directory, for uploads.  The version that List gives is that of
// LocalFiles.
Result<ObjectTree> ListBelow(const Descriptor& top, size_t objects_max = kObjectsMax);
// The same of one regular file.
Result<ObjectEntry> EntryBelow(const Descriptor& top, const std::string& name);
// Whether this is still the file of the list; kConflict: it is another one now.
Status CheckSameFile(const Descriptor& file, const ObjectEntry& entry);
// Exactly these bytes.  kConflict: the file has become shorter.
Result<std::string> ReadExactly(const Descriptor& file, int64_t offset, size_t bytes);

}  // namespace gp
