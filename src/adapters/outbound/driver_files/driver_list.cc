#include "adapters/outbound/driver_files/driver_list.h"

#include <algorithm>

#include "files/replace_file.h"

namespace gp {
namespace {

std::string Line(const char* kind, const std::string& at, const std::string& path) {
  const auto is_plain = [](unsigned char c) { return c >= ' ' && c != 0x7f; };
  // A name with a tab or a line end would be another line.
  if (!std::ranges::all_of(at, is_plain) || !std::ranges::all_of(path, is_plain)) return "";
  return std::string(kind) + "\t" + at + "\t" + path + "\n";
}

}  // namespace

std::string DriverListOf(const DriverFiles& found, bool is_for_graphics) {
  std::string list;
  for (const DriverFile& file : found.files) {
    if (file.is_for_graphics != is_for_graphics) continue;
    if (file.kind == DriverFile::Kind::kOther) list += Line("file", file.at, file.path);
    const char* const kind = file.kind == DriverFile::Kind::kLibrary ? "lib" : "bin";
    for (const std::string& name : file.names) list += Line(kind, name, file.path);
  }
  return list;
}

Status WriteDriverLists(const DriverFiles& found, const std::string& directory) {
  for (const bool is_for_graphics : {false, true}) {
    const std::string path = directory + (is_for_graphics ? "/graphics" : "/compute");
    GP_CHECK_OK(ReplaceFile(path, DriverListOf(found, is_for_graphics), 0644, Survives::kCrash));
  }
  return Ok();
}

}  // namespace gp
