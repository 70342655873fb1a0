#include "lib/yaml/yaml_tree.h"

#include <yaml.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/utf8.h"

namespace gp {
namespace {

std::string_view TextOf(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// One event of libyaml's parser; the destructor frees it.
struct Event {
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&raw); }

  bool Ends() const {
    return raw.type == YAML_SEQUENCE_END_EVENT || raw.type == YAML_MAPPING_END_EVENT;
  }

  yaml_event_t raw{};
};

// The properties of a value; nullptr: it has none.
struct Properties {
  const yaml_char_t* anchor = nullptr;
  const yaml_char_t* tag = nullptr;
};

Properties PropertiesOf(const Event& event) {
  const auto& data = event.raw.data;
  switch (event.raw.type) {
    case YAML_SCALAR_EVENT: return {data.scalar.anchor, data.scalar.tag};
    case YAML_SEQUENCE_START_EVENT: return {data.sequence_start.anchor, data.sequence_start.tag};
    case YAML_MAPPING_START_EVENT: return {data.mapping_start.anchor, data.mapping_start.tag};
    default: return {};
  }
}

bool IsNullWord(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// A clearer message for common mistakes; empty: there is none.
std::string_view HintAt(const Place& place, std::string_view problem) {
  const std::string_view line = place.source->Line(place.line);
  const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
  if (indentation.find('\t') != std::string_view::npos) {
    return "a tab in the indentation: YAML takes spaces only";
  }
  if (problem.find("Unicode character escape") != std::string_view::npos) {
    return "not a character: those beyond U+FFFF are written with eight digits, as \\U0001F680";
  }
  const size_t column =
      static_cast<size_t>(place.column) - 1;  // close enough where bytes and characters differ
  if (column > 0 && column < line.size() && line[column - 1] == '$' && line[column] == '{') {
    return "inside { } a text with \"${\" needs quotes";
  }
  return {};
}

// Reads one text; every function returns whether reading may continue.
class TreeReader {
 public:
  TreeReader(const SourceText& source, const std::string& yaml, Report& report)
      : source_(source), report_(report) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(yaml.data()),
                                 yaml.size());
    lines_ = static_cast<int>(std::ranges::count(yaml, '\n')) + (yaml.ends_with('\n') ? 0 : 1);
  }
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;
  ~TreeReader() { yaml_parser_delete(&parser_); }

  std::vector<YamlNode> ReadAll();

 private:
  bool Next(Event* event);
  bool ReadDocument(const Event& start, std::vector<YamlNode>* documents);
  bool ReadNode(const Event& event, YamlNode* node);
  bool ReadScalar(const Event& event, YamlNode* node);
  bool ReadList(YamlNode* node);
  bool ReadMap(YamlNode* node);
  bool ReadKey(const Event& event, YamlEntry* entry);
  bool CheckPlainFeatures(const Event& event);
  bool CountValue(const Place& place);
  bool Descend(const Place& place);

  Place PlaceOf(const yaml_mark_t& mark, int length = 1) const;
  Place PlaceOf(const Event& event) const;
  bool Refuse(const Place& place, FileCode code, std::string message);
  bool RefuseSyntax();

  const SourceText& source_;
  Report& report_;
  yaml_parser_t parser_;
  int lines_ = 0;
  int depth_ = 0;
  int values_ = 0;
};

// libyaml may report the end of the text on a line after the last one.
Place TreeReader::PlaceOf(const yaml_mark_t& mark, int length) const {
  Place place{&source_, static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1, length};
  if (place.line > lines_) {
    place.line = std::max(lines_, 1);
    place.column = static_cast<int>(CountCharacters(source_.Line(place.line))) + 1;
  }
  return place;
}

Place TreeReader::PlaceOf(const Event& event) const {
  const yaml_mark_t& start = event.raw.start_mark;
  const yaml_mark_t& end = event.raw.end_mark;
  if (end.line != start.line) return PlaceOf(start, 0);
  return PlaceOf(start, std::max(1, static_cast<int>(end.column - start.column)));
}

bool TreeReader::Refuse(const Place& place, FileCode code, std::string message) {
  report_.Add(place, code, std::move(message));
  return false;
}

bool TreeReader::RefuseSyntax() {
  if (parser_.error == YAML_MEMORY_ERROR) {
    return Refuse(PlaceOf(parser_.mark), FileCode::kTooLarge, "out of memory here");
  }
  const Place place = PlaceOf(parser_.problem_mark);
  const std::string problem = parser_.problem == nullptr ? "cannot be read" : parser_.problem;
  if (const auto hint = HintAt(place, problem); !hint.empty()) {
    return Refuse(place, FileCode::kNotYaml, std::string(hint));
  }
  std::string message = "not YAML: ";
  if (parser_.context != nullptr) {
    message += std::string(parser_.context) + " (from line " +
               std::to_string(parser_.context_mark.line + 1) + "), ";
  }
  return Refuse(place, FileCode::kNotYaml, message + problem);
}

bool TreeReader::Next(Event* event) {
  yaml_event_delete(&event->raw);
  return yaml_parser_parse(&parser_, &event->raw) != 0 || RefuseSyntax();
}

std::vector<YamlNode> TreeReader::ReadAll() {
  std::vector<YamlNode> documents;
  Event event;
  while (Next(&event) && event.raw.type != YAML_STREAM_END_EVENT) {
    if (event.raw.type == YAML_DOCUMENT_START_EVENT && !ReadDocument(event, &documents)) break;
  }
  return documents;
}

bool TreeReader::ReadDocument(const Event& start, std::vector<YamlNode>* documents) {
  const auto& document = start.raw.data.document_start;
  if (document.version_directive != nullptr ||
      document.tag_directives.start != document.tag_directives.end) {
    return Refuse(PlaceOf(start.raw.start_mark, 0), FileCode::kYamlFeature,
                  "directives are not supported: remove the line that begins with %");
  }
  Event event;
  YamlNode node;
  if (!Next(&event) || !ReadNode(event, &node)) return false;
  if (node.kind == YamlNode::Kind::kNull) return true;
  if (documents->size() == kYamlDocumentsMax) {
    return Refuse(node.place, FileCode::kTooLarge,
                  "more than " + std::to_string(kYamlDocumentsMax) + " jobs in one file");
  }
  documents->push_back(std::move(node));
  return true;
}

bool TreeReader::CheckPlainFeatures(const Event& event) {
  if (event.raw.type == YAML_ALIAS_EVENT) {
    return Refuse(PlaceOf(event), FileCode::kYamlFeature,
                  "aliases are not supported: write the value out here");
  }
  const auto [anchor, tag] = PropertiesOf(event);
  if (anchor != nullptr) {
    return Refuse(PlaceOf(event), FileCode::kYamlFeature,
                  "anchors are not supported: remove \"&" + Printable(TextOf(anchor), 40) + "\"");
  }
  if (tag != nullptr) {
    return Refuse(PlaceOf(event), FileCode::kYamlFeature,
                  "tags are not supported: remove the \"!\" and the tag after it");
  }
  return true;
}

bool TreeReader::CountValue(const Place& place) {
  if (++values_ > kYamlValuesMax) {
    return Refuse(place, FileCode::kTooLarge,
                  "more than " + std::to_string(kYamlValuesMax) + " values in one file");
  }
  return true;
}

bool TreeReader::Descend(const Place& place) {
  if (++depth_ <= kYamlDepthMax) return true;
  return Refuse(place, FileCode::kTooLarge,
                "more than " + std::to_string(kYamlDepthMax) + " levels of lists and maps");
}

bool TreeReader::ReadNode(const Event& event, YamlNode* node) {
  node->place = PlaceOf(event);
  if (!CheckPlainFeatures(event) || !CountValue(node->place)) return false;
  switch (event.raw.type) {
    case YAML_SCALAR_EVENT: return ReadScalar(event, node);
    case YAML_SEQUENCE_START_EVENT: return ReadList(node);
    case YAML_MAPPING_START_EVENT: return ReadMap(node);
    default: return Refuse(node->place, FileCode::kNotYaml, "not YAML: a value is missing here");
  }
}

bool TreeReader::ReadScalar(const Event& event, YamlNode* node) {
  const auto& scalar = event.raw.data.scalar;
  node->text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
  node->kind = is_plain ? YamlNode::Kind::kPlain : YamlNode::Kind::kQuoted;
  if (is_plain && IsNullWord(node->text)) node->kind = YamlNode::Kind::kNull;
  return true;
}

bool TreeReader::ReadList(YamlNode* node) {
  node->kind = YamlNode::Kind::kList;
  if (!Descend(node->place)) return false;
  Event event;
  while (true) {
    if (!Next(&event)) return false;
    if (event.Ends()) break;
    if (!ReadNode(event, &node->items.emplace_back())) return false;
  }
  --depth_;
  return true;
}

bool TreeReader::ReadMap(YamlNode* node) {
  node->kind = YamlNode::Kind::kMap;
  if (!Descend(node->place)) return false;
  std::set<std::string> keys;
  Event event;
  while (true) {
    if (!Next(&event)) return false;
    if (event.Ends()) break;
    YamlEntry& entry = node->entries.emplace_back();
    if (!ReadKey(event, &entry)) return false;
    if (!keys.insert(entry.key).second && !report_.IsFull()) {
      const int line = node->Find(entry.key)->place.line;
      report_.Add(
          entry.place, FileCode::kDuplicateKey,
          "\"" + Printable(entry.key, 40) + "\" was already given in line " + std::to_string(line));
    }
    if (!Next(&event) || !ReadNode(event, &entry.value)) return false;
  }
  --depth_;
  return true;
}

bool TreeReader::ReadKey(const Event& event, YamlEntry* entry) {
  entry->place = PlaceOf(event);
  if (!CheckPlainFeatures(event)) return false;
  if (event.raw.type != YAML_SCALAR_EVENT) {
    return Refuse(entry->place, FileCode::kYamlFeature, "a key must be plain text");
  }
  const auto& scalar = event.raw.data.scalar;
  entry->key.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
  if (scalar.style != YAML_PLAIN_SCALAR_STYLE) return true;
  if (entry->key == "<<") {
    return Refuse(entry->place, FileCode::kYamlFeature,
                  "merge keys are not supported: write the values out here");
  }
  if (!IsNullWord(entry->key)) return true;
  return Refuse(entry->place, FileCode::kYamlFeature, "a key must be plain text, not nothing");
}

}  // namespace

YamlEntry* YamlNode::Find(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &YamlEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

const YamlEntry* YamlNode::Find(std::string_view key) const {
  return const_cast<YamlNode*>(this)->Find(key);
}

std::vector<YamlNode> ReadYaml(const SourceText& source, const std::string& yaml, Report& report) {
  return TreeReader(source, yaml, report).ReadAll();
}

}  // namespace gp
