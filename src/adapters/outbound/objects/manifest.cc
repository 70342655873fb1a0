#include "adapters/outbound/objects/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

std::unexpected<Error> NoManifest() {
  return Fail(InvalidArgument("this is no list of the files of a transfer"));
}

std::string LineOf(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string TreeDigest(const Manifest& manifest) {
  Sha256Stream stream;
  for (const ManifestFile& file : manifest.files)
    stream.Add(file.sha256 + " " + std::to_string(file.size) + " " + file.name + "\n");
  return "sha256:" + stream.End();
}

std::string ManifestLine(const ManifestFile& file) {
  return LineOf({{"name", file.name},
                 {"size", file.size},
                 {"version", file.version},
                 {"sha256", file.sha256},
                 {"verified", file.is_verified}});
}

Result<ManifestFile> ReadManifestLine(std::string_view line) try {
  const json object = json::parse(line);
  return ManifestFile{object.at("name").get<std::string>(), object.at("size").get<int64_t>(),
                      object.at("version").get<std::string>(),
                      object.at("sha256").get<std::string>(), object.at("verified").get<bool>()};
} catch (const json::exception&) {
  return NoManifest();
}

std::string ManifestText(const Manifest& manifest) {
  std::string text = LineOf({{"format", kFormat},
                             {"url", manifest.url},
                             {"version", manifest.version},
                             {"digest", TreeDigest(manifest)},
                             {"files", manifest.files.size()}});
  for (const ManifestFile& file : manifest.files) text += ManifestLine(file);
  return text;
}

Result<Manifest> ReadManifest(std::string_view text) try {
  const size_t head_end = text.find('\n');
  const json head = json::parse(text.substr(0, head_end));
  if (head.at("format").get<int>() != kFormat || head_end == std::string_view::npos)
    return NoManifest();
  Manifest manifest{head.at("url").get<std::string>(), head.at("version").get<std::string>(), {}};
  for (size_t at = head_end + 1; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    manifest.files.push_back(GP_TRY(ReadManifestLine(text.substr(at, end - at))));
    at = end + 1;
  }
  const bool is_whole = manifest.files.size() == head.at("files").get<size_t>() &&
                        TreeDigest(manifest) == head.at("digest").get<std::string>();
  if (!is_whole) return NoManifest();
  return manifest;
} catch (const json::exception&) {
  return NoManifest();
}

}  // namespace gp
