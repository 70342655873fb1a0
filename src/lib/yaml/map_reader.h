#pragma once

// Reading one map of a file key by key; problems are reported with their path in the file, such as
// "prices.rules[2]".

#include <string>
#include <vector>

#include "base/text.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/scalar.h"

namespace gp {

// "; did you mean "x"?", or the list of names.
inline std::string DidYouMean(const std::string& word, const std::vector<std::string>& names) {
  const auto nearest = Nearest(word, names);
  return nearest ? "; did you mean \"" + *nearest + "\"?" : "; there are " + Join(names, ", ");
}

// Takes the values of one map; a value that is wrong is reported, and an empty one returned.
class MapReader {
 public:
  MapReader(std::string path, Report& report) : path_(std::move(path)), report_(report) {}

  void Refuse(const Place& place, FileCode code, const std::string& key,
              const std::string& message) {
    const std::string path = path_ + (key.empty() || path_.empty() ? "" : ".") + key;
    report_.Add(place, code, path.empty() ? message : path + ": " + message);
  }
  void RefuseKey(const YamlEntry& entry, const std::vector<std::string>& names) {
    Refuse(entry.place, FileCode::kUnknownKey, "",
           "there is no \"" + Printable(entry.key, 60) + "\"" + DidYouMean(entry.key, names));
  }
  template <typename T>
  T Take(const YamlEntry& entry, Read<T> value) {
    if (value) return *std::move(value);
    Refuse(entry.value.place, value.error().code, entry.key, value.error().message);
    return {};
  }
  // `fault_of` returns what is wrong with a text, or nullopt.
  template <typename FaultOf>
  std::string TakeText(const YamlEntry& entry, FaultOf fault_of) {
    return TakeText(entry.key, entry.value, fault_of);
  }
  template <typename FaultOf>
  std::string TakeText(const std::string& key, const YamlNode& node, FaultOf fault_of) {
    const Read<std::string> text = ReadVerbatim(node);
    if (!text) {
      Refuse(node.place, text.error().code, key, text.error().message);
      return {};
    }
    if (const auto fault = fault_of(*text)) Refuse(node.place, FileCode::kBadWord, key, *fault);
    return *text;
  }
  // A list of texts, or one text in place of a list.
  template <typename FaultOf>
  std::vector<std::string> TakeTexts(const YamlEntry& entry, size_t most, FaultOf fault_of) {
    std::vector<std::string> texts;
    if (entry.value.kind != YamlNode::Kind::kList) return {TakeText(entry, fault_of)};
    if (entry.value.items.empty() || entry.value.items.size() > most) {
      Refuse(entry.value.place, FileCode::kOutOfRange, entry.key,
             "a list of 1 to " + std::to_string(most));
      return texts;
    }
    for (const YamlNode& item : entry.value.items)
      texts.push_back(TakeText(entry.key, item, fault_of));
    return texts;
  }

 private:
  std::string path_;
  Report& report_;
};

}  // namespace gp
