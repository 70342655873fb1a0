#pragma once

// Which values of a document were used, so that the others can be told.

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "adapters/inbound/job_file/yaml_tree.h"

namespace gp {

// The value at a path of keys; null: there is none.
const YamlNode* Find(const YamlNode& map, std::initializer_list<std::string_view> path);

class Taken {
 public:
  explicit Taken(const YamlNode& document) : document_(document) {}

  // The text at a path of keys, which counts as used; null: there is none, or something else, which
  // does not.  A value that is not given counts as used too.
  const YamlNode* TakeText(const YamlNode& map, std::initializer_list<std::string_view> path);
  // All of it counts as used.
  void Use(const YamlNode& node) { used_.insert(&node); }

  // Tells the smallest parts that nobody used: the path and the line.
  using Teller = std::function<void(const std::string& path, int line)>;
  void ForEachLeft(const Teller& tell) const;

 private:
  bool HasUsed(const YamlNode& node) const;
  void TellOne(const YamlNode& node, const std::string& path, int line, const Teller& tell) const;
  void TellBelow(const YamlNode& node, const std::string& path, const Teller& tell) const;

  const YamlNode& document_;
  std::set<const YamlNode*> used_;
};

}  // namespace gp
