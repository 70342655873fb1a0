#include "adapters/outbound/objects/tree_names.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace gp {
namespace {

constexpr size_t kPartMax = 255;     // bytes that file systems take as one name
constexpr size_t kWholeMax = 3'800;  // and as a path, with some room for the directory
constexpr size_t kNestedMax = 256;

std::unexpected<Error> BadName(std::string_view name, const std::string& why) {
  return Fail(InvalidArgument("its object \"" + Printable(name, 200) + "\" " + why));
}

Status CheckPart(std::string_view name, std::string_view part) {
  if (part.empty()) return BadName(name, "has an empty part in its name");
  if (part == "." || part == "..") return BadName(name, "leads out of its tree");
  if (part.size() > kPartMax) return BadName(name, "has a part of more than 255 bytes");
  return Ok();
}

bool HasControlCharacter(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

Status CheckName(std::string_view name) {
  if (name.starts_with('/')) return BadName(name, "has an absolute path as its name");
  if (name.size() > kWholeMax) return BadName(name, "has a name that is too long");
  if (HasControlCharacter(name)) return BadName(name, "has a control character in its name");
  if (!IsUtf8(name)) return BadName(name, "has a name that is no UTF-8");
  if (name == kPartsName || name.starts_with(std::string(kPartsName) + "/"))
    return BadName(name, "has a name that is reserved");
  const std::vector<std::string> parts = Split(name, '/');
  if (parts.size() > kNestedMax) return BadName(name, "is nested too deeply");
  for (const std::string& part : parts) GP_CHECK_OK(CheckPart(name, part));
  return Ok();
}

}  // namespace

bool IsIncluded(const std::string& name, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

Status CheckNames(const ObjectTree& tree) {
  std::vector<std::string_view> names;
  names.reserve(tree.entries.size());
  for (const ObjectEntry& entry : tree.entries) names.push_back(entry.NameView());
  std::ranges::sort(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    GP_CHECK_OK(CheckName(name));
    if (i > 0 && name == names[i - 1]) return BadName(name, "is in its list twice");
    for (size_t slash = 0; (slash = name.find('/', slash)) != std::string_view::npos; ++slash)
      if (std::ranges::binary_search(names, name.substr(0, slash)))
        return BadName(name.substr(0, slash), "is a directory of other objects, too");
  }
  return Ok();
}

Result<int64_t> BytesIn(const ObjectTree& tree) {
  int64_t sum = 0;
  for (const ObjectEntry& entry : tree.entries) {
    if (entry.size < 0 || __builtin_add_overflow(sum, entry.size, &sum))
      return Fail(InvalidArgument("its objects have sizes that no disk holds"));
  }
  return sum;
}

}  // namespace gp
