#pragma once

// Where an etcd is, and how this program is admitted there.  Pure; any thread.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lib/tls/certificate.h"

namespace gp {

struct EtcdOptions {
  // "https://host:2379", of each member; or all with http://, for an etcd on this machine
  std::vector<std::string> endpoints;
  // With https: the certificates (PEM) that the members' are checked against.
  std::string authority;
  Identity identity;                                   // the client's; empty: none is presented
  std::string user;                                    // empty: etcd admits without a password
  std::string password;                                // no message contains it
  Duration commit_time = Duration::Milliseconds(400);  // without an answer, the end is unknown
  // Called, on a thread of its own, when a call has not ended after ten seconds: none does any more
  // after the wall clock has been set back.  Empty: nobody notices.
  std::function<void()> stuck = nullptr;
};

// "etcd:https://e1:2379,https://e2:2379": options with these endpoints.  kInvalidArgument: the
// message names the part that is wrong.
Result<EtcdOptions> ParseEtcdStore(std::string_view text);

// kInvalidArgument: the parts do not fit together.
Status CheckEtcdOptions(const EtcdOptions& options);

}  // namespace gp
