#include "domain/model/jobs/image_reference.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

using Source = ImageReference::Source;

struct Scheme {
  std::string_view name;
  Source source;
};

constexpr Scheme kSchemes[] = {{"dir:", Source::kDirectory},
                               {"oci:", Source::kLayout},
                               {"docker-archive:", Source::kDockerArchive},
                               {"oci-archive:", Source::kOciArchive},
                               {"squashfs:", Source::kSquashfs}};
constexpr std::string_view kSquashfsEndings[] = {".sqsh", ".sqfs", ".squashfs"};
constexpr std::string_view kDocker = "docker://";
constexpr std::string_view kDefaultHost = "docker.io";
constexpr size_t kTagLengthMax = 255;
constexpr size_t kRegistryTagLengthMax = 128;
constexpr size_t kRepositoryLengthMax = 255;
constexpr int kPortMax = 65'535;
constexpr size_t kShownMax = 200;

std::unexpected<Error> Fault(std::string_view text, const std::string& fault) {
  return Fail(InvalidArgument("\"" + Printable(text, kShownMax) + "\" " + fault));
}

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }
bool IsLowerOrDecimal(char c) { return (c >= 'a' && c <= 'z') || IsDecimal(c); }
bool IsLetterOrDecimal(char c) { return IsLowerOrDecimal(c) || (c >= 'A' && c <= 'Z'); }

bool IsTag(std::string_view text) {
  constexpr std::string_view kOthers = "._-:/+";
  const auto is_allowed = [&](char c) {
    return IsLetterOrDecimal(c) || kOthers.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kTagLengthMax && std::ranges::all_of(text, is_allowed);
}

// Cuts "@sha256:…" off the end of `rest`.
Status TakeDigest(std::string_view text, std::string_view& rest, ImageReference& image) {
  const size_t at = rest.find('@');
  if (at == std::string_view::npos) return Ok();
  image.digest = rest.substr(at + 1);
  if (!IsSha256Name(image.digest))
    return Fault(text, "has a digest that is not \"sha256:\" and 64 hexadecimal digits");
  rest = rest.substr(0, at);
  return Ok();
}

// PATH, PATH:TAG, PATH@DIGEST or PATH:TAG@DIGEST; a squashfs file has no tags.
Result<ImageReference> ParsePath(std::string_view text, Source source, std::string_view rest) {
  ImageReference image{.source = source};
  if (source != Source::kDirectory) GP_CHECK_OK(TakeDigest(text, rest, image));
  const bool has_tags = source != Source::kDirectory && source != Source::kSquashfs;
  const size_t colon = has_tags ? rest.find(':') : std::string_view::npos;
  if (colon != std::string_view::npos) {
    image.tag = rest.substr(colon + 1);
    if (!IsTag(image.tag)) return Fault(text, "has a tag that no image can have");
    rest = rest.substr(0, colon);
  }
  image.path = rest;
  if (auto fault = PathFault(image.path)) return Fail(InvalidArgument(std::move(*fault)));
  return image;
}

// With or without a digest.
bool IsNamedAsSquashfs(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('@'));
  return std::ranges::any_of(kSquashfsEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// The rules of the registries' names are those of the OCI Distribution Specification 1.1.
bool IsTagOfRegistry(std::string_view text) {
  const auto is_allowed = [](char c) {
    return IsLetterOrDecimal(c) || c == '_' || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= kRegistryTagLengthMax && text[0] != '.' &&
         text[0] != '-' && std::ranges::all_of(text, is_allowed);
}

bool IsHost(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto is_allowed = [](char c) { return IsLetterOrDecimal(c) || c == '.' || c == '-'; };
  if (name.empty() || !IsLetterOrDecimal(name.front()) || !IsLetterOrDecimal(name.back()) ||
      !std::ranges::all_of(name, is_allowed))
    return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view port = text.substr(colon + 1);
  return !port.empty() && port.size() <= 5 && std::ranges::all_of(port, IsDecimal) &&
         std::stoi(std::string(port)) <= kPortMax;
}

// Letters and digits, with ".", "_", "__" or dashes between them.
bool IsPartOfPath(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && IsLowerOrDecimal(text[at])) {
    while (at < text.size() && IsLowerOrDecimal(text[at])) ++at;
    if (at == text.size()) return true;
    const size_t begin = at;
    while (at < text.size() && text[at] == text[begin]) ++at;
    const char separator = text[begin];
    const size_t length = at - begin;
    const bool is_allowed =
        separator == '-' || (separator == '.' && length == 1) || (separator == '_' && length <= 2);
    if (!is_allowed) return false;
  }
  return false;
}

// A name with its host: "python" is "docker.io/library/python".
std::string WithHost(std::string_view name) {
  const size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  if (slash == std::string_view::npos)
    return std::string(kDefaultHost) + "/library/" + std::string(name);
  if (first == "localhost" || first.find_first_of(".:") != std::string_view::npos)
    return std::string(name);
  return std::string(kDefaultHost) + "/" + std::string(name);
}

bool IsRepository(std::string_view text) {
  const std::vector<std::string> parts = Split(text, '/');
  return text.size() <= kRepositoryLengthMax && parts.size() > 1 && IsHost(parts.front()) &&
         std::all_of(parts.begin() + 1, parts.end(), IsPartOfPath);
}

// [docker://][HOST[:PORT]/]PATH[:TAG][@DIGEST].
Result<ImageReference> ParseRegistry(std::string_view text) {
  ImageReference image{.source = Source::kRegistry};
  std::string_view rest = text;
  if (rest.starts_with(kDocker)) rest.remove_prefix(kDocker.size());
  GP_CHECK_OK(TakeDigest(text, rest, image));
  const size_t slash = rest.rfind('/');
  const size_t colon = rest.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    image.tag = rest.substr(colon + 1);
    if (!IsTagOfRegistry(image.tag)) return Fault(text, "has a tag that no image can have");
    rest = rest.substr(0, colon);
  } else if (image.digest.empty()) {
    image.tag = "latest";
  }
  image.repository = WithHost(rest);
  if (IsRepository(image.repository)) return image;
  return Fault(text,
               "is no image: write its name in a registry, in lower case "
               "(docker.io/library/python:3.12), dir:/path for a directory of the node, "
               "oci:/path:tag for an OCI layout, docker-archive:/path or oci-archive:/path for an "
               "archive, or the path of a squashfs file");
}

// nullopt: the text is no reference.
std::optional<Source> SourceOf(std::string_view text) {
  // Most jobs have no image, and each decision asks: the error of an empty text need not be
  // written.
  if (text.empty()) return std::nullopt;
  const Result<ImageReference> image = ParseImageReference(text);
  if (!image) return std::nullopt;
  return image->source;
}

}  // namespace

Result<ImageReference> ParseImageReference(std::string_view text) {
  for (const Scheme& scheme : kSchemes) {
    if (text.starts_with(scheme.name))
      return ParsePath(text, scheme.source, text.substr(scheme.name.size()));
  }
  const bool is_squashfs = IsNamedAsSquashfs(text);
  if (text.starts_with('/') && is_squashfs) return ParsePath(text, Source::kSquashfs, text);
  if (text.starts_with('/'))
    return Fault(text,
                 "is a path that does not say what is there: write dir: before a directory, oci: "
                 "before an OCI layout, docker-archive: or oci-archive: before an archive, "
                 "squashfs: before a squashfs file (not needed before .sqsh, .sqfs and .squashfs)");
  if (is_squashfs && !text.starts_with(kDocker))
    return Fault(text,
                 "looks like a squashfs file: write its whole path, from /; for an image of this "
                 "name in a registry, docker:// before it");
  return ParseRegistry(text);
}

bool HasLayers(std::string_view text) {
  const std::optional<Source> source = SourceOf(text);
  return source && *source != Source::kDirectory;
}

bool IsPulled(std::string_view text) { return SourceOf(text) == Source::kRegistry; }

bool IsSquashfs(std::string_view text) { return SourceOf(text) == Source::kSquashfs; }

std::string_view SchemeOf(Source source) {
  const auto* const scheme = std::ranges::find(kSchemes, source, &Scheme::source);
  return scheme == std::end(kSchemes) ? std::string_view() : scheme->name;
}

uint64_t ImageKey(std::string_view text) {
  const Result<ImageReference> image = ParseImageReference(text);
  if (!image || image->source == ImageReference::Source::kDirectory) return 0;
  if (!image->digest.empty()) return ImageKeyOfDigest(image->digest);
  const bool is_pulled = image->source == ImageReference::Source::kRegistry;
  return Digest64(is_pulled ? image->repository + ":" + image->tag : std::string(text));
}

uint64_t ImageKeyOfDigest(std::string_view digest) { return Digest64(digest); }

bool IsOnLoopback(std::string_view repository) {
  const std::string_view host = repository.substr(0, repository.find_first_of(":/"));
  return host == "localhost" || (host.starts_with("127.") &&
                                 host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace gp
