#include "domain/model/jobs/image_reference.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

constexpr std::string_view kDirectory = "dir:";
constexpr std::string_view kLayout = "oci:";
constexpr size_t kTagLengthMax = 255;
constexpr size_t kShownMax = 200;

std::unexpected<Error> Fault(std::string_view text, const std::string& fault) {
  return Fail(InvalidArgument("\"" + Printable(text, kShownMax) + "\" " + fault));
}

bool IsTag(std::string_view text) {
  constexpr std::string_view kOthers = "._-:/+";
  const auto is_allowed = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kTagLengthMax && std::ranges::all_of(text, is_allowed);
}

// PATH, PATH:TAG, PATH@DIGEST or PATH:TAG@DIGEST.
Result<ImageReference> ParseLayout(std::string_view text) {
  ImageReference image{.source = ImageReference::Source::kLayout};
  std::string_view rest = text.substr(kLayout.size());
  if (const size_t at = rest.find('@'); at != std::string_view::npos) {
    image.digest = rest.substr(at + 1);
    if (!IsSha256Name(image.digest))
      return Fault(text, "has a digest that is not \"sha256:\" and 64 hexadecimal digits");
    rest = rest.substr(0, at);
  }
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    image.tag = rest.substr(colon + 1);
    if (!IsTag(image.tag)) return Fault(text, "has a tag that no image can have");
    rest = rest.substr(0, colon);
  }
  image.path = rest;
  return image;
}

}  // namespace

Result<ImageReference> ParseImageReference(std::string_view text) {
  ImageReference image;
  if (text.starts_with(kDirectory)) {
    image.path = text.substr(kDirectory.size());
  } else if (text.starts_with(kLayout)) {
    image = GP_TRY(ParseLayout(text));
  } else {
    return Fault(text,
                 "is not supported yet: write dir:/path for a directory of the node, or "
                 "oci:/path:tag for an OCI layout, such as `skopeo copy docker://… oci:/path:tag` "
                 "makes");
  }
  if (auto fault = PathFault(image.path)) return Fail(InvalidArgument(std::move(*fault)));
  return image;
}

bool HasLayers(std::string_view text) {
  const Result<ImageReference> image = ParseImageReference(text);
  return image.has_value() && image->source == ImageReference::Source::kLayout;
}

}  // namespace gp
