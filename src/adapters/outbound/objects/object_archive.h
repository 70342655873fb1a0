#pragma once

#include <memory>
#include <string>

#include "adapters/outbound/objects/servers/object_server.h"
#include "ports/outbound/object_store.h"

namespace gp {

// Errors: kInvalidArgument: there can be no archive; the message has no secret in it.
Result<ObjectUrl> ParseArchiveUrl(const std::string& url);

// The objects below a URL of a bucket or directory; a directory must be there.
class ObjectArchive : public ObjectStore {
 public:
  // `url`: "s3://bucket/prefix", "gs://bucket/prefix" or "file:///directory".  `credentials`: as
  // for data of jobs; empty: none.  Operators choose the URL, so every address is allowed.  Errors:
  // those of ParseArchiveUrl and ParseObjectCredentials.
  static Result<std::unique_ptr<ObjectArchive>> Open(const std::string& url,
                                                     const std::string& credentials);
  ObjectArchive(std::unique_ptr<ObjectServer> server, ObjectUrl root)
      : server_(std::move(server)), root_(std::move(root)) {}

  Result<std::vector<StoredObject>> List(const std::string& folder) override;
  Result<std::string> Get(const StoredObject& object) override;
  Status Put(const std::string& name, std::string_view bytes) override;
  Status PutNew(const std::string& name, std::string_view bytes) override;
  Status Delete(const std::string& name) override;
  void Stop() override { server_->Stop(); }

 private:
  ObjectUrl UrlOf(const std::string& name) const;
  Status CheckRoot() const;
  Result<std::string> GetOnce(const StoredObject& object);
  Status PutBytes(const std::string& name, std::string_view bytes, bool create_only);
  Error Within(const Error& error, const std::string& name) const;

  const std::unique_ptr<ObjectServer> server_;
  const ObjectUrl root_;
};

}  // namespace gp
