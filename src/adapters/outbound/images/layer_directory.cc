#include "adapters/outbound/images/layer_directory.h"

#include <fcntl.h>

#include <filesystem>

#include "base/digest.h"
#include "files/descriptor.h"
#include "supervisor/files/remove_tree.h"

namespace gp {
namespace {

constexpr char kListForm[] = "list1:";

}  // namespace

std::string ListMark(const std::string& digest) {
  return digest.empty() ? "" : " " + std::string(kListForm) + digest;
}

std::string ReadListMark(std::istream& line) {
  std::string word;
  if (!(line >> word) || !word.starts_with(kListForm)) return "";
  const std::string digest = word.substr(sizeof kListForm - 1);
  return IsSha256Name(digest) ? digest : "";
}

void RemoveLayerFiles(const std::string& path) {
  const std::filesystem::path whole = path;
  const Descriptor above(open(whole.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (above.valid()) RemoveTree(above.get(), whole.filename().c_str());
}

}  // namespace gp
