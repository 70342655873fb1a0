#pragma once

// How the directories of a LayerStore are named, marked and removed.

#include <istream>
#include <string>

namespace gp {

// In a layer's directory: its files are not those that were unpacked.
inline constexpr char kDamagedMark[] = "/damaged";

// "sha256:0123…" is named by its digits.
inline std::string DigitsOf(const std::string& diff_id) {
  return diff_id.substr(diff_id.find(':') + 1);
}

// The digest of a list as the line of facts ends with it; empty: there is none.  The mark names the
// form of the list: one of another form is none.
std::string ListMark(const std::string& digest);
std::string ReadListMark(std::istream& line);

// A layer may be deeper than this process has descriptors.  What stays is removed at the next
// start.
void RemoveLayerFiles(const std::string& path);

}  // namespace gp
