#include "adapters/inbound/scenario_file/key_table.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gp {

using enum FileCode;

KeyTable& KeyTable::Add(std::string_view name, Take take) {
  keys_.push_back({std::string(name), std::move(take)});
  return *this;
}

template <typename T, typename To>
void KeyTable::Put(const std::string& name, const YamlNode& value, Read<T> read, To& to) {
  if (read) {
    to = std::move(*read);
  } else {
    report_.Add(value.place, read.error().code, name + ": " + read.error().message);
  }
}

KeyTable& KeyTable::Text(std::string_view name, std::string& to) {
  return Add(name, [this, name, &to](const YamlNode& value) {
    Put(std::string(name), value, ReadText(value), to);
  });
}

KeyTable& KeyTable::OptionalText(std::string_view name, std::optional<std::string>& to) {
  return Add(name, [this, name, &to](const YamlNode& value) {
    Put(std::string(name), value, ReadText(value), to);
  });
}

KeyTable& KeyTable::Count(std::string_view name, int64_t low, int64_t high, int64_t& to) {
  return Add(name, [=, this, &to](const YamlNode& value) {
    Put(std::string(name), value, ReadCount(value, low, high), to);
  });
}

KeyTable& KeyTable::OptionalCount(std::string_view name, int64_t low, int64_t high,
                                  std::optional<int64_t>& to) {
  return Add(name, [=, this, &to](const YamlNode& value) {
    Put(std::string(name), value, ReadCount(value, low, high), to);
  });
}

KeyTable& KeyTable::Truth(std::string_view name, bool& to) {
  return Add(name, [this, name, &to](const YamlNode& value) {
    int64_t truth = to ? 1 : 0;
    Put(std::string(name), value, ReadBool(value), truth);
    to = truth != 0;
  });
}

KeyTable& KeyTable::Span(std::string_view name, Duration low, Duration high, Duration& to) {
  return Add(name, [=, this, &to](const YamlNode& value) {
    Put(std::string(name), value, ReadDuration(value, low.ns, high.ns), to.ns);
  });
}

KeyTable& KeyTable::Labels(std::string_view name, std::map<std::string, std::string>& to) {
  return Add(name, [this, name, &to](const YamlNode& value) {
    if (value.kind != YamlNode::Kind::kMap) {
      report_.Add(value.place, kWrongType,
                  std::string(name) + ": must be a map of names to values, not " + Describe(value));
    }
    for (const YamlEntry& entry : value.entries)
      Put(std::string(name), entry.value, ReadVerbatim(entry.value), to[entry.key]);
  });
}

KeyTable& KeyTable::Required() {
  keys_.back().required = true;
  return *this;
}

void KeyTable::ReadFrom(const YamlNode& map) {
  if (map.kind != YamlNode::Kind::kMap) {
    report_.Add(map.place, kWrongType, what_ + " is a map of keys, not " + Describe(map));
    return;
  }
  for (const YamlEntry& entry : map.entries) ReadEntry(entry);
  for (const Key& key : keys_) {
    if (!key.required || map.Find(key.name) != nullptr) continue;
    report_.Add(map.place, kMissingKey, key.name + " is missing: " + what_ + " needs it");
  }
}

void KeyTable::ReadValue(std::string_view name, const YamlNode& value) const {
  std::ranges::find(keys_, name, &Key::name)->take(value);
}

void KeyTable::ReadEntry(const YamlEntry& entry) {
  const auto key = std::ranges::find(keys_, entry.key, &Key::name);
  if (key != keys_.end()) return key->take(entry.value);
  std::vector<std::string> names;
  for (const Key& one : keys_) names.push_back(one.name);
  const auto nearest = Nearest(entry.key, names);
  report_.Add(entry.place, kUnknownKey,
              "unknown key \"" + Printable(entry.key, 60) + "\" in " + what_ +
                  (nearest ? " — did you mean \"" + *nearest + "\"?"
                           : "; known here: " + Join(names, ", ")));
}

void ReadItems(const YamlNode& list, std::string_view name, size_t items_max, Report& report,
               const KeyTable::Take& take) {
  if (list.kind != YamlNode::Kind::kList) {
    report.Add(list.place, kWrongType,
               std::string(name) + ": must be a list, not " + Describe(list));
    return;
  }
  if (list.items.size() > items_max) {
    report.Add(list.place, kTooLarge,
               std::string(name) + ": at most " + std::to_string(items_max) + " entries, not " +
                   std::to_string(list.items.size()));
    return;
  }
  for (const YamlNode& item : list.items) take(item);
}

}  // namespace gp
