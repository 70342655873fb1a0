#pragma once

// Reading one map of a scenario: the keys that it may have, and where their values are stored.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "lib/yaml/scalar.h"

namespace gp {

// A table of keys, built by chained calls; ReadFrom then stores each value of a map in its target.
// Unknown keys, missing keys and wrong values are added to the report.
class KeyTable {
 public:
  using Take = std::function<void(const YamlNode& value)>;

  // `what` is for messages: "a group of nodes".
  KeyTable(std::string what, Report& report) : what_(std::move(what)), report_(report) {}

  KeyTable& Add(std::string_view name, Take take);
  // REQUIRES: the targets outlive ReadFrom.
  KeyTable& Text(std::string_view name, std::string& to);
  KeyTable& OptionalText(std::string_view name, std::optional<std::string>& to);
  KeyTable& Count(std::string_view name, int64_t low, int64_t high, int64_t& to);
  KeyTable& OptionalCount(std::string_view name, int64_t low, int64_t high,
                          std::optional<int64_t>& to);
  KeyTable& Truth(std::string_view name, bool& to);
  KeyTable& Span(std::string_view name, Duration low, Duration high, Duration& to);
  KeyTable& Labels(std::string_view name, std::map<std::string, std::string>& to);
  // Makes the key that was added last required.
  KeyTable& Required();

  void ReadFrom(const YamlNode& map);
  // Reads a value as if it were given for the key `name`.
  void ReadValue(std::string_view name, const YamlNode& value) const;

 private:
  struct Key {
    std::string name;
    Take take;
    bool required = false;
  };

  template <typename T, typename To>
  void Put(const std::string& name, const YamlNode& value, Read<T> read, To& to);
  void ReadEntry(const YamlEntry& entry);

  std::string what_;
  Report& report_;
  std::vector<Key> keys_;
};

// Calls `take` for each item of a list; a value that is not a list, or longer than `items_max`, is
// reported.
void ReadItems(const YamlNode& list, std::string_view name, size_t items_max, Report& report,
               const KeyTable::Take& take);

}  // namespace gp
