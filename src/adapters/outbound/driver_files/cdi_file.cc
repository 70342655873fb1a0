#include "adapters/outbound/driver_files/cdi_file.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/merge.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {
namespace {

constexpr std::string_view kKind = "nvidia.com/gpu";

// Empty: there is none.
std::vector<YamlNode> ListAt(const YamlNode& node, std::string_view path) {
  const YamlNode* const found = FindPath(node, path);
  return found == nullptr ? std::vector<YamlNode>() : found->items;
}

std::string TextAt(const YamlNode& node, std::string_view path) {
  const YamlNode* const found = FindPath(node, path);
  return found != nullptr && found->IsScalar() ? found->text : "";
}

// Of `containerEdits`, which the file and each of its devices have.
void AddMounts(const YamlNode& owner, std::vector<CdiMount>& mounts) {
  for (const YamlNode& one : ListAt(owner, "containerEdits.mounts")) {
    CdiMount mount{TextAt(one, "hostPath"), TextAt(one, "containerPath")};
    const bool is_whole = mount.from.starts_with('/') && mount.to.starts_with('/');
    if (is_whole && std::ranges::find(mounts, mount) == mounts.end())
      mounts.push_back(std::move(mount));
  }
}

}  // namespace

Result<std::vector<CdiMount>> ReadCdiMounts(const std::string& name, const std::string& text) {
  const SourceText source{name, text};
  Report report;
  std::vector<YamlNode> documents;
  if (CheckText(source, report)) documents = ReadYaml(source, source.text, report);
  if (!report.empty()) {
    const std::string problems = AsLines(report.Take());
    return Fail(InvalidArgument(problems.substr(0, problems.find('\n'))));
  }
  std::vector<CdiMount> mounts;
  for (const YamlNode& document : documents) {
    if (TextAt(document, "kind") != kKind) continue;
    AddMounts(document, mounts);
    for (const YamlNode& device : ListAt(document, "devices")) AddMounts(device, mounts);
  }
  return mounts;
}

}  // namespace gp
