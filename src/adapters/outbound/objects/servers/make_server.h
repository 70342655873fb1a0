#pragma once

#include <memory>

#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "adapters/outbound/objects/servers/web_client.h"

namespace gp {

// The server of a URL's scheme.
std::unique_ptr<ObjectServer> MakeObjectServer(ObjectScheme scheme,
                                               const ObjectCredentials& credentials,
                                               WebAccess access);

}  // namespace gp
