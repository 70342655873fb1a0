#pragma once

// Connections to servers, plain or encrypted.  Only for this folder.

#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "lib/http/deadline.h"
#include "lib/http/fetch.h"
#include "lib/http/web_address.h"

namespace gp {

// An open connection; an encrypted one is to a server whose certificate has been checked.  Its
// errors name no host.  After an error it is of no use, except that what the other side sent
// before may still be received.  One thread.
class Connection {
 public:
  virtual ~Connection() = default;

  // Sends all of it. kUnavailable: broken. kDeadlineExceeded: the other side took nothing for the
  // idle limit; the errors of the deadline.
  virtual Status Send(std::string_view bytes) = 0;
  // The number of bytes received, at least one; 0: the other side has ended.  Errors as of Send.
  virtual Result<size_t> Receive(std::span<char> into) = 0;
};

// Connects to one of the host's addresses, and checks its certificate if the address is encrypted.
// `deadline` must outlive the connection. kUnavailable: no such server, another certificate than
// expected, or no readable authorities. kInvalidArgument: no such client certificate or key; the
// errors of the deadline and of may_connect.  Of the options, the limits and may_connect count.
Result<std::unique_ptr<Connection>> Connect(const WebAddress& to, const TlsOptions& tls,
                                            const FetchOptions& options, const Deadline& deadline);

}  // namespace gp
