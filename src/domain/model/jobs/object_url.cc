#include "domain/model/jobs/object_url.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace gp {
namespace {

constexpr size_t kUrlMax = 4'000;
constexpr size_t kKeyMax = 1'024;  // bytes of a name in S3
constexpr size_t kNameMax = 96;    // of an owner or a repository of hf
constexpr std::string_view kDatasets = "datasets/";

constexpr std::pair<std::string_view, ObjectScheme> kSchemes[] = {
    {"s3://", ObjectScheme::kS3},     {"gs://", ObjectScheme::kGs},
    {"hf://", ObjectScheme::kHf},     {"https://", ObjectScheme::kHttps},
    {"http://", ObjectScheme::kHttp}, {"file://", ObjectScheme::kFile}};

// Parameters of signed URLs, and those by which tokens are usually sent.
constexpr std::string_view kSecretParameters[] = {"x-amz-signature",
                                                  "x-amz-credential",
                                                  "x-amz-security-token",
                                                  "x-goog-signature",
                                                  "x-goog-credential",
                                                  "signature",
                                                  "sig",
                                                  "token",
                                                  "access_token",
                                                  "api_key",
                                                  "apikey",
                                                  "password"};

std::unexpected<Error> Refuse(const std::string& why) { return Fail(InvalidArgument(why)); }

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// "%2e" for a dot and "%2f" for a slash hide a step upwards from those who only look for "..".
std::string WithPlainDots(std::string_view path) {
  std::string plain;
  for (size_t i = 0; i < path.size(); ++i) {
    const std::string escape = LowerCase(path.substr(i, 3));
    const bool is_dot = escape == "%2e";
    if (is_dot || escape == "%2f") {
      plain += is_dot ? '.' : '/';
      i += 2;
    } else {
      plain += path[i];
    }
  }
  return plain;
}

bool LeadsUpwards(std::string_view path) {
  const std::vector<std::string> parts = Split(path, '/');
  return std::ranges::any_of(parts,
                             [](const std::string& part) { return part == "." || part == ".."; });
}

Status CheckCharacters(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const auto character = DecodeUtf8(rest);
    if (!character) return Refuse("the URL is no UTF-8 text");
    if (character->value < ' ' || character->value == 0x7f || IsDeceptive(character->value))
      return Refuse("the URL contains a control character: remove it");
    rest.remove_prefix(character->bytes);
  }
  return Ok();
}

bool IsIpAddress(std::string_view bucket) {
  const std::vector<std::string> parts = Split(bucket, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, [](const std::string& part) {
           return !part.empty() && std::ranges::all_of(part, IsDigit);
         });
}

Status CheckBucket(std::string_view bucket, ObjectScheme scheme) {
  const auto is_allowed = [scheme](char c) {
    return IsLowerOrDigit(c) || c == '.' || c == '-' || (c == '_' && scheme == ObjectScheme::kGs);
  };
  if (bucket.size() < 3 || bucket.size() > 63)
    return Refuse("the name of the bucket must have 3 to 63 characters: s3://bucket/prefix");
  if (!std::ranges::all_of(bucket, is_allowed))
    return Refuse("the name of the bucket must be lower-case letters, digits, dots and dashes");
  if (!IsLowerOrDigit(bucket.front()) || !IsLowerOrDigit(bucket.back()) || bucket.contains(".."))
    return Refuse("the name of the bucket must begin and end with a letter or a digit, and have " +
                  std::string("no dots side by side"));
  if (IsIpAddress(bucket))
    return Refuse("the name of the bucket is an IP address: the address of a server belongs into " +
                  std::string("the secret, as \"endpoint\""));
  return Ok();
}

Result<ObjectUrl> ParseBucket(ObjectScheme scheme, std::string_view rest) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  ObjectUrl url{scheme, std::string(rest.substr(0, slash)), "", ""};
  if (slash < rest.size()) url.path = rest.substr(slash + 1);
  GP_CHECK_OK(CheckBucket(url.host_or_bucket, scheme));
  if (url.path.starts_with('/') || url.path.contains("//"))
    return Refuse("the prefix has an empty part: write one slash in place of two");
  if (url.path.size() > kKeyMax) return Refuse("the prefix is longer than 1024 bytes");
  return url;
}

bool IsRepositoryName(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && !name.starts_with('.') &&
         !name.starts_with('-') && std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                  c == '.';
         });
}

bool IsRevision(std::string_view revision) {
  return !revision.empty() && revision.size() <= 200 && !revision.starts_with('/') &&
         !revision.ends_with('/') && !revision.contains("//") && !LeadsUpwards(revision) &&
         std::ranges::all_of(revision, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("-_.+/").contains(c);
         });
}

// What stands before the first of these characters is taken from `rest`.
std::string_view TakeUpTo(std::string_view characters, std::string_view& rest) {
  const size_t end = std::min(rest.find_first_of(characters), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end);
  return taken;
}

Result<ObjectUrl> ParseRepository(std::string_view rest) {
  ObjectUrl url{ObjectScheme::kHf, "", "", ""};
  if (rest.starts_with(kDatasets)) {
    url.host_or_bucket = kDatasets;
    rest.remove_prefix(kDatasets.size());
  }
  std::vector<std::string_view> names{TakeUpTo("/@", rest)};
  if (rest.size() > 1 && rest.starts_with('/')) {
    rest.remove_prefix(1);
    names.push_back(TakeUpTo("/@", rest));
  }
  if (!std::ranges::all_of(names, IsRepositoryName))
    return Refuse("the repository is not written as hf://org/name, hf://org/name@revision/file " +
                  std::string("or hf://datasets/org/name"));
  url.host_or_bucket += names.front();
  if (names.size() > 1) url.host_or_bucket += "/" + std::string(names.back());
  if (rest.starts_with('@')) {
    rest.remove_prefix(1);
    url.revision = WithPlainDots(TakeUpTo("/", rest));
    if (!IsRevision(url.revision))
      return Refuse("the revision after @ must be a branch, a tag or a commit; a slash in it is " +
                    std::string("written %2F"));
  }
  if (rest.starts_with('/')) rest.remove_prefix(1);
  url.path = rest;
  if (url.path.starts_with('/') || url.path.contains("//"))
    return Refuse("the file has an empty part: write one slash in place of two");
  return url;
}

bool IsPortOrNone(std::string_view port) {
  if (port.empty()) return true;
  const bool are_digits =
      port.size() >= 2 && port.size() <= 6 && std::ranges::all_of(port.substr(1), IsDigit);
  return port.front() == ':' && are_digits && std::stoi(std::string(port.substr(1))) <= 65'535 &&
         std::stoi(std::string(port.substr(1))) > 0;
}

bool IsHostAndPort(std::string_view text) {
  if (!text.starts_with('[')) {
    const size_t colon = std::min(text.find(':'), text.size());
    return IsHostName(text.substr(0, colon)) && IsPortOrNone(text.substr(colon));
  }
  const size_t end = text.find(']');
  return end != std::string_view::npos && end > 2 && IsPortOrNone(text.substr(end + 1)) &&
         text.substr(1, end - 1).find_first_not_of("0123456789abcdefABCDEF:.") ==
             std::string_view::npos;
}

Status CheckQuery(std::string_view query) {
  for (const std::string& parameter : Split(query, '&')) {
    const std::string name = LowerCase(parameter.substr(0, parameter.find('=')));
    if (std::ranges::find(kSecretParameters, name) != std::end(kSecretParameters))
      return Refuse(
          "the URL has a signature or a token in it, which all who see the job would "
          "see: put the token into a secret, and name the secret as its credentials");
  }
  return Ok();
}

Result<ObjectUrl> ParseWeb(ObjectScheme scheme, std::string_view rest) {
  ObjectUrl url{scheme, std::string(TakeUpTo("/?#", rest)), "", ""};
  if (!IsHostAndPort(url.host_or_bucket))
    return Refuse("the URL has no host, or no port from 1 to 65535: https://host/path");
  if (rest.contains('#')) return Refuse("the URL has a fragment: remove # and what follows it");
  if (std::ranges::any_of(rest, [](char c) { return c <= ' ' || c > '~' || c == '\\'; }))
    return Refuse("the URL has blanks or characters other than ASCII: write them as %20 and so on");
  url.path = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  const size_t query = url.path.find('?');
  if (query != std::string::npos)
    GP_CHECK_OK(CheckQuery(std::string_view(url.path).substr(query + 1)));
  return url;
}

Result<ObjectUrl> ParseFile(std::string_view rest) {
  if (!rest.starts_with('/'))
    return Refuse("the path must be absolute, with three slashes: file:///data/set");
  return ObjectUrl{ObjectScheme::kFile, "", std::string(rest), ""};
}

Result<ObjectUrl> ParseOf(ObjectScheme scheme, std::string_view rest) {
  switch (scheme) {
    case ObjectScheme::kS3:
    case ObjectScheme::kGs: return ParseBucket(scheme, rest);
    case ObjectScheme::kHf: return ParseRepository(rest);
    case ObjectScheme::kHttps:
    case ObjectScheme::kHttp: return ParseWeb(scheme, rest);
    case ObjectScheme::kFile: return ParseFile(rest);
  }
  return Refuse("the URL has an unknown scheme");
}

// A user and a password stand before the host, and a revision of hf after the repository.
bool HasUser(ObjectScheme scheme, std::string_view rest) {
  const std::string_view authority = TakeUpTo("/", rest);
  if (scheme == ObjectScheme::kHf) return authority.substr(0, authority.find('@')).contains(':');
  return authority.contains('@');
}

std::string Escaped(std::string_view revision) {
  std::string escaped;
  for (const char c : revision) escaped += c == '/' ? "%2F" : std::string(1, c);
  return escaped;
}

}  // namespace

Result<ObjectUrl> ParseObjectUrl(std::string_view text) {
  const auto scheme = std::ranges::find_if(
      kSchemes, [text](const auto& one) { return text.starts_with(one.first); });
  if (scheme == std::end(kSchemes))
    return Refuse("the URL must begin with s3://, gs://, hf://, https://, http:// or file://");
  if (text.size() > kUrlMax) return Refuse("the URL is longer than 4000 bytes");
  GP_CHECK_OK(CheckCharacters(text));
  const std::string_view rest = text.substr(scheme->first.size());
  if (HasUser(scheme->second, rest))
    return Refuse(
        "the URL has a user or a password in it: put them into a secret, and name the "
        "secret as its credentials");
  ObjectUrl url = GP_TRY(ParseOf(scheme->second, rest));
  if (LeadsUpwards(WithPlainDots(url.path.substr(0, url.path.find('?')))))
    return Refuse("the path has a part \".\" or \"..\": write the path that is meant");
  return url;
}

std::string ToText(const ObjectUrl& url) {
  const auto scheme =
      std::ranges::find(kSchemes, url.scheme, &std::pair<std::string_view, ObjectScheme>::second);
  std::string text = std::string(scheme->first) + url.host_or_bucket;
  if (!url.revision.empty()) text += "@" + Escaped(url.revision);
  if (!url.path.empty() && !url.path.starts_with('/')) text += '/';
  return text + url.path;
}

}  // namespace gp
