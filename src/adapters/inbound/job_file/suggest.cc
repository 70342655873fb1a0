#include "adapters/inbound/job_file/suggest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

// The key in lower case, with "_" for "-": these differences are ignored.
std::string Folded(std::string_view key) {
  std::string folded(key.substr(0, 64));
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

bool IsSynonym(const Field& field, std::string_view folded_key) {
  const std::vector<std::string> synonyms = Split(field.synonyms, ' ');
  return std::ranges::any_of(synonyms, [&](const std::string& synonym) {
    return !synonym.empty() && Folded(synonym) == folded_key;
  });
}

// How well a field matches: a name is better than a synonym, a higher level better than a lower
// one.
struct Match {
  bool by_synonym = true;
  int depth = 1000;
  std::string path;

  bool IsBetterThan(const Match& other) const {
    return std::pair(by_synonym, depth) < std::pair(other.by_synonym, other.depth);
  }
};

void Search(std::span<const Field> fields, const std::string& folded_key, const std::string& path,
            int depth, Match& best) {
  for (const Field& field : fields) {
    const std::string below = path + (path.empty() ? "" : ".") + std::string(field.name);
    const bool by_name = Folded(field.name) == folded_key;
    const Match match{!by_name, depth, below};
    if ((by_name || IsSynonym(field, folded_key)) && match.IsBetterThan(best)) best = match;
    Search(field.Below(), folded_key, below, depth + 1, best);
  }
}

// The path of the best match in these fields and below them; empty: there is none.
std::string Find(std::span<const Field> fields, std::string_view key, const std::string& path) {
  Match best;
  Search(fields, Folded(key), path, 0, best);
  return best.path;
}

std::vector<std::string> NamesOf(std::span<const Field> fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    if (field.kind != FieldKind::kNotYet) names.emplace_back(field.name);
  }
  return names;
}

std::string DidYouMean(std::string_view name) {
  return " — did you mean \"" + std::string(name) + "\"?";
}

}  // namespace

std::string UnknownKeyMessage(std::string_view key, std::string_view path,
                              std::span<const Field> fields) {
  std::string message = "unknown key \"" + Printable(key, 60) + "\"";
  if (!path.empty()) message += " under " + std::string(path);
  if (const std::string name = Find(fields, key, ""); !name.empty()) {
    return message + DidYouMean(name);
  }
  const std::vector<std::string> names = NamesOf(fields);
  const std::string elsewhere = Find(JobFields(), key, "");
  if (!elsewhere.empty()) {
    const bool at_top = elsewhere.find('.') == std::string::npos;
    return message + DidYouMean(elsewhere) + (at_top ? " It belongs at the top level." : "");
  }
  if (const auto name = Nearest(Folded(key), names)) return message + DidYouMean(*name);
  return message + "; known here: " + Join(names, ", ");
}

}  // namespace gp
