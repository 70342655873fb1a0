#pragma once

// What a transfer is to fetch, as the server lists it.

#include <string>

#include "adapters/outbound/objects/download.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"

namespace gp {

struct Listing {
  ObjectTree tree;    // those that are included, in the order of their names
  int64_t bytes = 0;  // of all of them
};

// Lists what is at or below the URL.  Errors as of Download.
Result<Listing> ListIncluded(ObjectServer& server, const ObjectUrl& root,
                             const TransferOptions& options);

// "sha256:…" of the names, sizes and versions; empty: the server has no version of some of them, so
// their content may differ where the list does not.
std::string DigestOf(const Listing& listing);

// The name of the only object, where the URL is that of an object; else empty.
std::string SingleName(const ObjectUrl& root, const Listing& listing);

// Reports what would be fetched.
Result<TransferReport> Survey(ObjectServer& server, const ObjectUrl& root,
                              const TransferOptions& options);

}  // namespace gp
