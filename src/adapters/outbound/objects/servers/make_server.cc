#include "adapters/outbound/objects/servers/make_server.h"

#include <utility>

#include "adapters/outbound/objects/servers/hf_hub.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "adapters/outbound/objects/servers/s3_server.h"
#include "adapters/outbound/objects/servers/web_file.h"

namespace gp {

std::unique_ptr<ObjectServer> MakeObjectServer(ObjectScheme scheme,
                                               const ObjectCredentials& credentials,
                                               WebAccess access) {
  switch (scheme) {
    case ObjectScheme::kS3:
    case ObjectScheme::kGs: return std::make_unique<S3Server>(credentials, std::move(access));
    case ObjectScheme::kHf: return std::make_unique<HfHub>(credentials, std::move(access));
    case ObjectScheme::kHttps:
    case ObjectScheme::kHttp: return std::make_unique<WebFile>(credentials, std::move(access));
    case ObjectScheme::kFile: return std::make_unique<LocalFiles>(access.objects_max);
  }
  return std::make_unique<LocalFiles>();
}

}  // namespace gp
