#pragma once

// Records which values of a document were used, so that the others can be reported.

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "lib/yaml/yaml_tree.h"

namespace gp {

// The value at a path of keys; nullptr: there is none.
const YamlNode* Find(const YamlNode& map, std::initializer_list<std::string_view> path);

// The used values of one document, which must outlive it.
class Taken {
 public:
  explicit Taken(const YamlNode& document) : document_(document) {}

  // The text at a path of keys, which then counts as used; nullptr: there is none.  An empty value
  // counts as used too, a list or map does not.
  const YamlNode* TakeText(const YamlNode& map, std::initializer_list<std::string_view> path);
  // Marks the node and everything in it as used.
  void Use(const YamlNode& node) { used_.insert(&node); }

  // Called with path and line of a part that was not used.
  using Teller = std::function<void(const std::string& path, int line)>;
  // Reports the largest parts of which nothing was used.
  void ForEachLeft(const Teller& tell) const;

 private:
  bool HasUsed(const YamlNode& node) const;
  void TellOne(const YamlNode& node, const std::string& path, int line, const Teller& tell) const;
  void TellBelow(const YamlNode& node, const std::string& path, const Teller& tell) const;

  const YamlNode& document_;
  std::set<const YamlNode*> used_;
};

}  // namespace gp
