#pragma once

// Strict reading of YAML maps: every key must be read, every value must be of its kind.  The first
// error is kept with its line and column; after it all reads return nothing, so the code that reads
// a document needs no branches for errors.  One thread uses these classes.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

// The errors found in one document.
class YamlFindings {
 public:
  explicit YamlFindings(std::string file) : file_(std::move(file)) {}

  // "file:line:column: what"; only the first is kept.
  void Add(const YAML::Mark& at, const std::string& what);
  bool ok() const { return first_.empty(); }
  Status ToStatus() const;

 private:
  std::string file_;
  std::string first_;
};

// One map of a document.
class YamlSection {
 public:
  // `name` is the name of the map in errors: "gpus[3].memory_mib".
  YamlSection(YAML::Node node, std::string name, YamlFindings* findings);

  std::optional<std::string> Text(const std::string& key);
  // 0 to 2^53.
  std::optional<int64_t> Count(const std::string& key);
  std::optional<bool> Bool(const std::string& key);
  // An absent map reads as an empty one, an absent list as an empty list.
  YamlSection Map(const std::string& key);
  std::vector<YamlSection> Maps(const std::string& key);
  std::vector<std::string> Texts(const std::string& key);
  std::vector<int64_t> Counts(const std::string& key);
  // Accepts keys of the format that this reader does not use.
  void Skip(std::initializer_list<const char*> keys);

  // A key that was never read is an error, which suggests the most similar key that was.
  void Done();

  // Adds an error about the value of `key`, or about the whole map if it has no such key.
  void Refuse(const std::string& key, const std::string& what);
  const std::string& name() const { return name_; }

 private:
  YAML::Node Child(const std::string& key);
  template <typename T>
  std::optional<T> Scalar(const std::string& key, const char* kind);
  std::vector<YAML::Node> List(const std::string& key);

  YAML::Node node_;
  std::string name_;
  YamlFindings* findings_;
  std::vector<std::string> asked_;
};

}  // namespace gp
