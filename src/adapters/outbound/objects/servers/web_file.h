#pragma once

// One file of a server of the web.  Nothing is written there.

#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "adapters/outbound/objects/servers/web_client.h"

namespace gp {

class WebFile : public ObjectServer {
 public:
  WebFile(ObjectCredentials credentials, WebAccess access);

  // The one file.  kInvalidArgument: the server does not say how large it is.
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
  Result<WebRequest> Request(const ObjectUrl& url, const std::string& method) const;

  const ObjectCredentials credentials_;
  WebClient client_;
};

}  // namespace gp
