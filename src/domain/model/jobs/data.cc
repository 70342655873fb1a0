#include "domain/model/jobs/data.h"

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "domain/model/jobs/object_url.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// Directories whose content decides what programs run; the platform shows its own in some.
constexpr std::string_view kOfSystem[] = {"/bin",   "/boot", "/dev",  "/etc", "/lib",
                                          "/lib64", "/proc", "/root", "/run", "/sbin",
                                          "/sys",   "/usr",  "/var"};
constexpr size_t kIncludeLengthMax = 256;

std::optional<std::string> CredentialsFault(const std::string& name) {
  return name.empty() ? std::nullopt : VariableNameFault(name);
}

std::optional<std::string> SeenAtFault(const std::string& to) {
  if (auto fault = PathFault(to)) return fault;
  const std::string plain = PlainPath(to);
  if (plain == "/" || plain == "/tmp") return to + " cannot be covered: name a directory in it";
  const bool is_of_system =
      std::ranges::any_of(kOfSystem, [&](std::string_view own) { return IsAtOrBelow(own, plain); });
  if (is_of_system) return to + " is of the system: choose a path such as /data/NAME or /tmp/NAME";
  return std::nullopt;
}

std::optional<std::string> Sha256Fault(const std::string& text) {
  constexpr size_t kDigits = 64;
  const bool is_hexadecimal = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.empty() || (text.size() == kDigits && is_hexadecimal)) return std::nullopt;
  return "sha256 is 64 hexadecimal digits in lower case, not \"" + Printable(text, 80) + "\"";
}

}  // namespace

std::optional<std::string> StagedDataFault(const StagedData& data) {
  if (const auto url = ParseObjectUrl(data.from); !url) return url.error().message;
  if (auto fault = SeenAtFault(data.to)) return fault;
  if (data.include.size() > kIncludesMax)
    return "at most " + std::to_string(kIncludesMax) + " patterns to include";
  for (const std::string& pattern : data.include) {
    const bool is_printable = std::ranges::all_of(
        pattern, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; });
    if (pattern.empty() || pattern.size() > kIncludeLengthMax || !is_printable)
      return "a pattern to include has 1 to " + std::to_string(kIncludeLengthMax) +
             " printable characters";
  }
  if (auto fault = CredentialsFault(data.credentials)) return fault;
  return Sha256Fault(data.sha256);
}

std::optional<std::string> CopyTargetFault(std::string_view text) {
  const auto url = ParseObjectUrl(text);
  if (!url) return url.error().message;
  const bool takes_copies = url->scheme == ObjectScheme::kS3 || url->scheme == ObjectScheme::kGs ||
                            url->scheme == ObjectScheme::kFile;
  if (takes_copies) return std::nullopt;
  return "nothing can be copied to " + Printable(text, 200) +
         ": name an s3://, gs:// or file:// URL";
}

std::optional<std::string> ArtifactFault(const Artifact& artifact) {
  if (auto fault = PathFault(artifact.from)) return fault;
  if (IsAtOrBelow("/tmp", PlainPath(artifact.from)))
    return artifact.from +
           " is gone with the attempt, whose /tmp is its own: name a directory of "
           "the node, such as one in the user's home";
  if (auto fault = CopyTargetFault(artifact.to)) return fault;
  return CredentialsFault(artifact.credentials);
}

}  // namespace gp
