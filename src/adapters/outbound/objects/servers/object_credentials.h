#pragma once

// What a secret says about the access to objects.  Pure.  No message contains a part of it.

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/model/jobs/object_url.h"
#include "lib/sigv4/sign_request.h"

namespace gp {

struct ObjectCredentials {
  AwsCredentials keys;   // of s3 and gs; empty: anonymous
  std::string region;    // of s3; empty: the usual one
  std::string endpoint;  // "https://minio.lab:9000", in place of the usual server; empty: that one
  std::string token;     // of hf and https: sent as a bearer token; empty: none
};

// For s3 and gs, the secret is a JSON object with access_key, secret_key and, as needed,
// session_token, endpoint and region; or a file of AWS with a section [default]; or lines such as
// "access_key=…".  For hf and https it is a token on one line, or a JSON object with token and, for
// hf, endpoint.  Empty: no credentials.  kInvalidArgument: it has another form, or the scheme has
// no credentials.
Result<ObjectCredentials> ParseObjectCredentials(ObjectScheme scheme, std::string_view secret);

// The text, with "…" in place of each part of the credentials: for messages that contain what a
// server said.
std::string WithoutSecrets(std::string text, const ObjectCredentials& credentials);

}  // namespace gp
