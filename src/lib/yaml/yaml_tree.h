#pragma once

// YAML (and so JSON) as a tree in which every value has its place in the source.  Only what a
// configuration needs is accepted: maps with text keys, lists and scalars.  Features that hide
// meaning (anchors, merge keys, tags) and inputs that exhaust memory (depth, size, number of
// values) are refused while reading.

#include <optional>
#include <string>
#include <vector>

#include "lib/yaml/diagnostic.h"
#include "lib/yaml/source_text.h"

namespace gp {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kPlain, kQuoted, kList, kMap };

  Kind kind = Kind::kNull;
  Place place;
  std::string text;                // kPlain, kQuoted: as written, quotes and escapes resolved
  std::vector<YamlNode> items;     // kList
  std::vector<YamlEntry> entries;  // kMap: in the order of the file, keys unique

  bool IsScalar() const { return kind == Kind::kPlain || kind == Kind::kQuoted; }
  YamlEntry* Find(std::string_view key);
  const YamlEntry* Find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

inline constexpr int kYamlDepthMax = 32;
inline constexpr int kYamlValuesMax = 65536;
inline constexpr size_t kYamlDocumentsMax = 1000;

// The documents of `yaml`, which is source.text or source.text with some characters blanked out:
// places refer to the source.  Empty documents are left out; reading stops at the first syntax
// problem. REQUIRES: CheckText has passed.
std::vector<YamlNode> ReadYaml(const SourceText& source, const std::string& yaml, Report& report);

}  // namespace gp
