#include "lib/sigv4/sign_request.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// "20150830T123600Z".
std::string StampOf(Instant now) {
  std::string stamp = ToRfc3339(now);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return stamp;
}

std::string Lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Without spaces at its ends, and with one space for several.
std::string Squeezed(std::string_view value) {
  std::string squeezed;
  for (const char c : value) {
    if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += c;
  }
  if (squeezed.ends_with(' ')) squeezed.pop_back();
  return squeezed;
}

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

// Whether the text can be a part of the credential, whose parts are separated by slashes.
bool IsPart(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return IsVisible(c) && c != '/' && c != ','; });
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

bool IsHeaderValue(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return IsVisible(c) || c == ' '; });
}

bool IsPayloadHash(std::string_view text) {
  return text == kUnsignedPayload ||
         (text.size() == 64 &&
          text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

bool IsS3(const AwsScope& scope) { return scope.service == "s3"; }

// Services other than S3 sign the path without segments such as "..", which S3 allows in keys.
bool IsNormal(std::string_view path) {
  if (path.contains("//")) return false;
  const std::vector<std::string> segments = Split(path, '/');
  return std::ranges::none_of(
      segments, [](const std::string& segment) { return segment == "." || segment == ".."; });
}

Status Check(const AwsRequest& request, const AwsScope& scope) {
  const auto refuse = [](const std::string& why) { return Fail(InvalidArgument(why)); };
  if (request.method.empty() ||
      !std::ranges::all_of(request.method, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return refuse("method: must be capital letters such as GET");
  if (request.host.empty() || !std::ranges::all_of(request.host, IsVisible))
    return refuse("host: must be a name without spaces");
  if (!request.path.starts_with('/')) return refuse("path: must begin with a slash");
  if (!IsS3(scope) && !IsNormal(request.path))
    return refuse("path: must not have empty segments, \".\" or \"..\"");
  if (!IsPayloadHash(request.payload_sha256))
    return refuse("payload_sha256: must be 64 lower-case hexadecimal digits");
  if (!IsPart(scope.region)) return refuse("region: must be a name such as us-east-1");
  if (!IsPart(scope.service)) return refuse("service: must be a name such as s3");
  return Ok();
}

// No message contains a value: the caller may have mixed up the values.
Status Check(const AwsCredentials& credentials) {
  const auto refuse = [](const std::string& why) { return Fail(InvalidArgument(why)); };
  if (!IsPart(credentials.access_key))
    return refuse("access key: must be visible characters other than / and ,");
  if (credentials.secret_key.empty() || !std::ranges::all_of(credentials.secret_key, IsVisible))
    return refuse("secret key: must be visible characters");
  if (!std::ranges::all_of(credentials.session_token, IsVisible))
    return refuse("session token: must be visible characters");
  return Ok();
}

// The headers that this signature adds and signs.
std::vector<std::pair<std::string, std::string>> OwnHeaders(const AwsRequest& request,
                                                            const AwsCredentials& credentials,
                                                            const AwsScope& scope,
                                                            const std::string& stamp) {
  std::vector<std::pair<std::string, std::string>> headers = {{"x-amz-date", stamp}};
  if (IsS3(scope)) headers.emplace_back("x-amz-content-sha256", request.payload_sha256);
  if (!credentials.session_token.empty())
    headers.emplace_back("x-amz-security-token", credentials.session_token);
  return headers;
}

Result<SignedHeaders> AllHeaders(const AwsRequest& request,
                                 std::span<const std::pair<std::string, std::string>> own) {
  SignedHeaders all(own.begin(), own.end());
  all.emplace("host", request.host);
  const SignedHeaders reserved = all;
  for (const auto& [name, value] : request.headers) {
    if (!IsHeaderName(name))
      return Fail(InvalidArgument("headers: \"" + Printable(name, 60) + "\" is not a name"));
    const std::string lower = Lowered(name);
    if (reserved.contains(lower) || lower == "authorization")
      return Fail(InvalidArgument("headers: the signature sets " + lower));
    if (!IsHeaderValue(value))
      return Fail(InvalidArgument("headers: " + lower + " must be one line of ASCII text"));
    const auto [entry, is_new] = all.emplace(lower, Squeezed(value));
    if (!is_new) entry->second += "," + Squeezed(value);
  }
  return all;
}

std::string SigningKey(const AwsCredentials& credentials, const AwsScope& scope,
                       const std::string& day) {
  const std::string of_day = HmacSha256("AWS4" + credentials.secret_key, day);
  const std::string of_region = HmacSha256(of_day, scope.region);
  const std::string of_service = HmacSha256(of_region, scope.service);
  return HmacSha256(of_service, "aws4_request");
}

std::string HexOf(const std::string& bytes) {
  return ToHex(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

Result<SignedAwsRequest> SignAwsRequest(const AwsRequest& request,
                                        const AwsCredentials& credentials, const AwsScope& scope,
                                        Instant now) {
  GP_CHECK_OK(Check(request, scope));
  GP_CHECK_OK(Check(credentials));
  const std::string stamp = StampOf(now);
  const std::string day = stamp.substr(0, stamp.find('T'));
  SignedAwsRequest answer{TargetOf(request), OwnHeaders(request, credentials, scope, stamp)};
  const SignedHeaders headers = GP_TRY(AllHeaders(request, answer.headers));

  const std::string reach = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + stamp + "\n" + reach + "\n" +
                              Sha256(CanonicalRequest(request, headers, !IsS3(scope)));
  const std::string signature = HexOf(HmacSha256(SigningKey(credentials, scope, day), to_sign));
  answer.headers.emplace_back("authorization", std::string(kAlgorithm) +
                                                   " Credential=" + credentials.access_key + "/" +
                                                   reach + ", SignedHeaders=" + NamesOf(headers) +
                                                   ", Signature=" + signature);
  return answer;
}

}  // namespace gp
