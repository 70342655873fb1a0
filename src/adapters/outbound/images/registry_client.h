#pragma once

// Images of registries, by skopeo (containers/skopeo, tried with 1.9), with the rights of the
// caller.  Registries are named by /etc/containers of the host: mirrors, those without TLS, and the
// signatures that are required.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/images/image_manifest.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct RegistryPlace {
  // The caller's alone: becomes a layout that blobs are pulled into.
  std::string directory;
  // The content of a file of credentials, as `skopeo login` writes it; empty: none.
  std::string credentials;
};

// "sha256:…" of what the tag names now.  Errors as below.
Result<std::string> ResolveTag(const LayeredImage& image, const RegistryPlace& place);

// kInvalidArgument: the registry has no such image, or not for these credentials, or it is
// refused.  kInternal: the registry, or this host, does not answer.
Result<ImagePlan> ReadFromRegistry(const LayeredImage& image, const RegistryPlace& place,
                                   const std::string& architecture);

// Pulls the layers of a manifest, which `image` names by its digest, but those that are `present`:
// files without content stand for them.  `bytes_max`: of all together.  `progress` is called on
// another thread when there are more bytes.  Errors as above.
Status PullLayers(const LayeredImage& image, const RegistryPlace& place,
                  const std::vector<std::string>& present, int64_t bytes_max,
                  const std::function<void(int64_t bytes)>& progress);

// "NAME=value" of this process's variables that say how registries are reached.
std::vector<std::string> ProxyVariables();

// Why this host cannot pull images; empty: it can.
std::string WhyNoPulling();

// The file of credentials for a repository whose secret is "user:password", or such a file.
// kInvalidArgument: it is neither; the secret is not part of the message.
Result<std::string> CredentialsFile(const std::string& repository, std::string_view secret);

// The error that skopeo has printed.
Error RegistryError(const std::string& printed, const LayeredImage& image);

}  // namespace gp
