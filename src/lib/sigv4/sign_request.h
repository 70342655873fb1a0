#pragma once

// AWS Signature Version 4 in headers, which S3 and the stores that are compatible with it check.
// Pure: the time comes from the caller, and nothing is read or sent.  No error contains a part of
// the secret key or of the session token.  Any thread.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lib/sigv4/canonical_request.h"

namespace gp {

struct AwsCredentials {
  std::string access_key;  // public: part of every signature
  std::string secret_key;
  std::string session_token;  // of temporary credentials, and as secret as the key; empty: none
};

struct AwsScope {
  std::string region;   // "us-east-1"
  std::string service;  // "s3"
};

// What is sent: the target, and the headers to add to Host and to those of the request.
struct SignedAwsRequest {
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
};

// `now`: by the wall clock; a server refuses signatures that are older than some minutes.
// kInvalidArgument: the request, the scope or the credentials cannot be part of a header; the
// message names the part.
Result<SignedAwsRequest> SignAwsRequest(const AwsRequest& request,
                                        const AwsCredentials& credentials, const AwsScope& scope,
                                        Instant now);

}  // namespace gp
