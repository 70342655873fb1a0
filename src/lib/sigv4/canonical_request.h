#pragma once

// A request in the form that AWS Signature Version 4 signs: both sides derive the same text from
// it, so every byte of this form is part of the protocol.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gp {

// The hash of a payload that the signature does not cover; S3 accepts it over TLS.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

struct AwsRequest {
  std::string method;      // "GET"
  std::string host;        // as in the header Host, so with the port if that header has one
  std::string path = "/";  // not encoded: "/checkpoints/step 100"
  std::vector<std::pair<std::string, std::string>> query;    // not encoded
  std::vector<std::pair<std::string, std::string>> headers;  // that are signed too
  std::string payload_sha256;  // 64 lower-case hexadecimal digits, or kUnsignedPayload
};

// Percent-encodes all but letters, digits and "-._~"; a path also keeps its slashes.
std::string UriEncode(std::string_view text, bool is_path = false);

// The path and the query as they are sent, in the order in which they are signed.
std::string TargetOf(const AwsRequest& request);

// Signed headers by their names in lower case, with their values as they are signed.
using SignedHeaders = std::map<std::string, std::string>;

// The names of signed headers, as a signature lists them: "host;x-amz-date".
std::string NamesOf(const SignedHeaders& headers);

// The canonical request.  `encodes_twice`: the service takes the sent path, which is encoded, as
// text that is encoded again; every service but S3 does so.
std::string CanonicalRequest(const AwsRequest& request, const SignedHeaders& headers,
                             bool encodes_twice);

}  // namespace gp
