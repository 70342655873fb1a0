#pragma once

// Models and data sets of a hub that speaks the API of Hugging Face.  A branch or tag is resolved
// once, and all that is read is of that commit.  Nothing is written there.

#include <map>
#include <mutex>
#include <string>

#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "adapters/outbound/objects/servers/web_client.h"

namespace gp {

class HfHub : public ObjectServer {
 public:
  HfHub(ObjectCredentials credentials, WebAccess access);

  // The tree's version is the commit.
  Result<ObjectTree> List(const ObjectUrl& root) override;
  // REQUIRES: the root was listed.
  Result<ReadFacts> Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                         const ByteSink& sink) override;
  Result<std::optional<ObjectEntry>> Look(const ObjectUrl& url) override;
  Status Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) override;
  Status Delete(const ObjectUrl& url) override;
  Duration AskedWait() const override { return client_.AskedWait(); }
  void Stop() override { client_.Stop(); }
  int stop_fd() const override { return client_.stop_fd(); }

 private:
  Result<WebRequest> Request(const std::string& target) const;
  Result<WebResponse> Ask(const std::string& target);
  Result<std::string> CommitOf(const ObjectUrl& root);
  // Files at or below a path; `is_deep`: also those of directories in it.  An empty tree where the
  // hub has no such path.
  Result<ObjectTree> ListPath(const ObjectUrl& root, const std::string& commit,
                              const std::string& path, bool is_deep);

  const ObjectCredentials credentials_;
  WebClient client_;
  std::mutex mutex_;
  std::map<std::string, std::string> commits_;  // by repository and revision
};

}  // namespace gp
