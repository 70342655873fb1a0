#pragma once

// Which values of a document were used, so that the others can be told.

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "adapters/inbound/job_file/yaml_tree.h"

namespace gp {

class Taken {
 public:
  explicit Taken(const YamlNode& document) : document_(document) {}

  // The value at a path of keys, which counts as used; null: there is none.
  const YamlNode* Take(std::initializer_list<std::string_view> path) { return TakeIn(document_, path); }
  const YamlNode* TakeIn(const YamlNode& map, std::initializer_list<std::string_view> path);
  // The same, where it is a scalar.
  const std::string* TakeText(std::initializer_list<std::string_view> path);
  // All of it counts as used.
  void Use(const YamlNode& node) { used_.insert(&node); }

  // Tells the smallest parts that nobody used: its path and the line.
  void ForEachLeft(const std::function<void(const std::string& path, int line)>& tell) const;

 private:
  using Teller = std::function<void(const std::string& path, int line)>;

  bool HasUsed(const YamlNode& node) const;
  void TellOne(const YamlNode& node, const std::string& path, int line, const Teller& tell) const;
  void TellBelow(const YamlNode& node, const std::string& path, const Teller& tell) const;

  const YamlNode& document_;
  std::set<const YamlNode*> used_;
};

}  // namespace gp
