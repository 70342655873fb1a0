#pragma once

// Stores that speak the REST API of S3: AWS, Google Cloud Storage with HMAC keys, MinIO, Ceph.
// Tried with a server that verifies signatures.

#include <string>
#include <vector>

#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "adapters/outbound/objects/servers/web_client.h"

namespace gp {

// How large the pieces of an upload are, in bytes.
struct PartSizes {
  int64_t whole_max = int64_t{64} << 20;  // of an object that is sent in one piece
  int64_t part_min = int64_t{16} << 20;
  int64_t part_max = int64_t{64} << 20;  // which is kept in memory
};

// Buckets of one account.  Without keys, requests are not signed, which suffices for public ones.
class S3Server : public ObjectServer {
 public:
  S3Server(ObjectCredentials credentials, WebAccess access, PartSizes sizes = {});

  Result<ObjectTree> List(const ObjectUrl& root) override;
  Result<ReadFacts> Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                         const ByteSink& sink) override;
  Result<std::optional<ObjectEntry>> Look(const ObjectUrl& url) override;
  Status Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) override;
  Status Delete(const ObjectUrl& url) override;
  Duration AskedWait() const override { return client_.AskedWait(); }
  void Stop() override { client_.Stop(); }
  int stop_fd() const override { return client_.stop_fd(); }

 private:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  struct Call {
    std::string method = "GET";
    std::string key;
    Pairs query;
    Pairs headers;
    std::string body;
  };
  struct Upload {
    const ObjectUrl& url;
    const PutSource& source;
    const PutOptions& options;
    std::string id;
    int64_t part_bytes;
  };

  // Signed now.
  Result<WebRequest> Request(const ObjectUrl& bucket, const Call& call) const;
  // Repeated; an error where its status is none of 200 to 299.
  Result<WebResponse> Ask(const ObjectUrl& bucket, const Call& call);
  // The same, with any status.
  Result<WebResponse> AskAny(const ObjectUrl& bucket, const Call& call);
  Result<ObjectTree> ListBelow(const ObjectUrl& root, const std::string& prefix);
  Status PutWhole(const ObjectUrl& url, const PutSource& source, const PutOptions& options);
  Status PutParts(const ObjectUrl& url, const PutSource& source, const PutOptions& options);
  Status SendParts(const Upload& upload);
  Result<std::string> SendPart(const Upload& upload, int64_t number, int64_t offset);
  Status Complete(const Upload& upload, const std::vector<std::string>& etags);

  const ObjectCredentials credentials_;
  const PartSizes sizes_;
  const size_t objects_max_;
  WebClient client_;
};

}  // namespace gp
