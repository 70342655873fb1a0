#include "adapters/outbound/objects/servers/object_credentials.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "lib/http/web_address.h"

namespace gp {
namespace {

using nlohmann::json;
using Members = std::map<std::string, std::string>;

constexpr size_t kSecretMax = 64 << 10;
constexpr size_t kRedactedMin = 4;  // shorter texts are everywhere

constexpr char kKeysForm[] =
    "the secret with the credentials is neither JSON with access_key and secret_key nor a file of "
    "AWS with a section [default]";
constexpr char kTokenForm[] = "the secret with the credentials is no token on one line";

// As AWS's files name them, and as this program does.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"aws_access_key_id", "access_key"},
    {"aws_secret_access_key", "secret_key"},
    {"aws_session_token", "session_token"},
    {"endpoint_url", "endpoint"}};

std::unexpected<Error> BadSecret(const std::string& why) { return Fail(InvalidArgument(why)); }

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  const size_t end = text.find_last_not_of(kBlank);
  return end == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

std::string OwnName(std::string_view name) {
  for (const auto& [other, own] : kNames)
    if (name == other) return std::string(own);
  return std::string(name);
}

Result<Members> FromJson(std::string_view secret, const char* form) {
  const json document = json::parse(secret, nullptr, false);
  if (!document.is_object()) return BadSecret(form);
  Members members;
  for (const auto& [name, value] : document.items()) {
    if (!value.is_string()) return BadSecret(form);
    members[OwnName(name)] = value.get<std::string>();
  }
  return members;
}

// Lines before the first section count as those of [default].
Result<Members> FromLines(std::string_view secret) {
  Members members;
  bool is_default = true;
  for (const std::string& whole : Split(secret, '\n')) {
    const std::string_view line = Trimmed(whole);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
    if (line.starts_with('[')) {
      is_default = line == "[default]" || line == "[profile default]";
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return BadSecret(kKeysForm);
    if (is_default)
      members[OwnName(Trimmed(line.substr(0, equals)))] = Trimmed(line.substr(equals + 1));
  }
  return members;
}

std::string Take(Members& members, const char* name) {
  const auto found = members.find(name);
  return found == members.end() ? "" : std::move(members.extract(found).mapped());
}

bool IsVisibleText(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Status CheckEndpoint(const std::string& endpoint) {
  if (endpoint.empty()) return Ok();
  const auto address = ParseWebAddress(endpoint);
  if (address && address->target == "/") return Ok();
  return BadSecret(
      "endpoint in the secret with the credentials is no address without a path, "
      "such as https://minio.lab:9000");
}

Result<ObjectCredentials> Keys(std::string_view secret) {
  Members members =
      secret.starts_with('{') ? GP_TRY(FromJson(secret, kKeysForm)) : GP_TRY(FromLines(secret));
  ObjectCredentials credentials;
  credentials.keys = {Take(members, "access_key"), Take(members, "secret_key"),
                      Take(members, "session_token")};
  credentials.region = Take(members, "region");
  credentials.endpoint = Take(members, "endpoint");
  AwsCredentials& keys = credentials.keys;
  if (keys.access_key.empty() != keys.secret_key.empty())
    return BadSecret("the secret with the credentials has only one of access_key and secret_key");
  if (keys.access_key.empty() && credentials.endpoint.empty() && credentials.region.empty())
    return BadSecret(kKeysForm);
  for (const std::string* text :
       {&keys.access_key, &keys.secret_key, &keys.session_token, &credentials.region})
    if (!IsVisibleText(*text))
      return BadSecret(
          "the secret with the credentials has a key with blanks or other characters "
          "that keys do not have");
  GP_CHECK_OK(CheckEndpoint(credentials.endpoint));
  return credentials;
}

Result<ObjectCredentials> Token(std::string_view secret) {
  ObjectCredentials credentials;
  if (secret.starts_with('{')) {
    Members members = GP_TRY(FromJson(secret, kTokenForm));
    credentials.token = Take(members, "token");
    credentials.endpoint = Take(members, "endpoint");
    GP_CHECK_OK(CheckEndpoint(credentials.endpoint));
  } else {
    credentials.token = secret;
  }
  if (!IsVisibleText(credentials.token)) return BadSecret(kTokenForm);
  return credentials;
}

void Redact(const std::string& secret, std::string& text) {
  if (secret.size() < kRedactedMin) return;
  for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos;)
    text.replace(at, secret.size(), "…");
}

}  // namespace

Result<ObjectCredentials> ParseObjectCredentials(ObjectScheme scheme, std::string_view secret) {
  if (secret.size() > kSecretMax)
    return BadSecret("the secret with the credentials is longer than 64 KiB");
  const std::string_view text = Trimmed(secret);
  if (text.empty()) return ObjectCredentials{};
  switch (scheme) {
    case ObjectScheme::kS3:
    case ObjectScheme::kGs: return Keys(text);
    case ObjectScheme::kHf:
    case ObjectScheme::kHttps: return Token(text);
    case ObjectScheme::kHttp:
      return BadSecret("credentials are not sent over http: write https, or leave them out");
    case ObjectScheme::kFile:
      return BadSecret("files have no credentials: they are read with the rights of the user");
  }
  return BadSecret("this scheme has no credentials");
}

std::string WithoutSecrets(std::string text, const ObjectCredentials& credentials) {
  for (const std::string* secret : {&credentials.keys.secret_key, &credentials.keys.session_token,
                                    &credentials.keys.access_key, &credentials.token})
    Redact(*secret, text);
  return text;
}

}  // namespace gp
