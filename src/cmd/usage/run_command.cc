#include "cmd/usage/run_command.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "cmd/output.h"
#include "cmd/usage/foreign_words.h"
#include "cmd/usage/usage_text.h"

namespace gp {
namespace {

constexpr size_t kPlacesMax = 3;  // of a word that several groups have

std::vector<const CLI::App*> Children(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* child) { return !child->get_group().empty(); });
}

std::string PathOf(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : PathOf(*parent) + " " + app.get_name();
}

const CLI::Option* FindOption(const CLI::App& app, const std::string& flag) {
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    if (const CLI::Option* option = level->get_option_no_throw(flag)) return option;
  }
  return nullptr;
}

// The innermost subcommand that the words reach, the first word that is none of its, and the first
// unknown flag.
struct Reached {
  const CLI::App* app;
  std::string word = {};
  std::string flag = {};
  std::vector<std::string> from_word = {};  // the words from the unknown one on
};

Reached Follow(const CLI::App& root, const std::vector<std::string>& words) {
  Reached reached{&root};
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word.size() > 1 && word.starts_with("-")) {
      const std::string flag =
          word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const CLI::Option* option = FindOption(*reached.app, flag);
      if (option == nullptr && reached.flag.empty()) reached.flag = flag;
      if (option != nullptr && option->get_expected_max() > 0 && flag == word) ++i;  // its value
      continue;
    }
    // Hidden ones too
    const auto children = reached.app->get_subcommands([](const CLI::App*) { return true; });
    const auto next =
        std::ranges::find(children, word, [](const CLI::App* child) { return child->get_name(); });
    if (next != children.end()) {
      reached.app = *next;
    } else if (!children.empty() && reached.word.empty()) {
      reached.word = word;
      reached.from_word.assign(words.begin() + static_cast<ptrdiff_t>(i), words.end());
      break;
    }
  }
  return reached;
}

// Where in the tree a command of that name is.
void FindPlaces(const CLI::App& app, const std::string& name, std::vector<std::string>& places) {
  for (const CLI::App* child : Children(app)) {
    if (child->get_name() == name) places.push_back(PathOf(*child));
    FindPlaces(*child, name, places);
  }
}

std::string DidYouMean(const std::string& what) { return " — did you mean " + what + "?"; }

// Whether this program has the first of these words: not every program has jobs.
bool HasCommand(const CLI::App& root, std::string_view words) {
  return std::ranges::any_of(Children(root), [words](const CLI::App* child) {
    return child->get_name() == words.substr(0, words.find(' '));
  });
}

// The command here that a word of another program means; empty: it is none, or this program has not
// that command.
std::string ForForeignWord(const CLI::App& root, const Reached& reached) {
  const std::string path = reached.app == &root ? "" : reached.app->get_name();
  const ForeignWord* foreign = FindForeignWord(path, reached.from_word);
  if (foreign == nullptr || !HasCommand(root, foreign->here)) return "";
  const std::string here = root.get_name() + " " + std::string(foreign->here);
  if (foreign->of.empty()) return DidYouMean(here);
  return " — " + std::string(foreign->of) + "'s " + std::string(foreign->word) +
         " is here: " + here;
}

// Other commands that have the name of this group, such as `jobs explain`.
std::vector<std::string> PlacesElsewhere(const CLI::App& root, const CLI::App& group) {
  std::vector<std::string> places;
  FindPlaces(root, group.get_name(), places);
  std::erase(places, PathOf(group));
  return places;
}

std::string ForWord(const CLI::App& root, const Reached& reached) {
  if (const std::string text = ForForeignWord(root, reached); !text.empty()) return text;
  std::vector<std::string> names;
  for (const CLI::App* child : Children(*reached.app)) names.push_back(child->get_name());
  const auto near = Nearest(reached.word, names);
  if (near && EditDistance(reached.word, *near) <= 1) return DidYouMean(*near);
  std::vector<std::string> places;
  FindPlaces(*reached.app, reached.word, places);
  if (places.empty()) FindPlaces(root, reached.word, places);
  if (!places.empty() && places.size() <= kPlacesMax) return DidYouMean(Join(places, " or "));
  if (near) return DidYouMean(*near);
  places = PlacesElsewhere(root, *reached.app);
  return places.empty() || places.size() > kPlacesMax ? "" : DidYouMean(Join(places, " or "));
}

std::string ForFlag(const Reached& reached) {
  for (const std::string_view meant : FlagsMeant(reached.flag)) {
    if (FindOption(*reached.app, std::string(meant)) != nullptr)
      return DidYouMean(std::string(meant));
  }
  std::vector<std::string> flags;
  for (const CLI::App* level = reached.app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  const auto near = Nearest(reached.flag, flags);
  return near ? DidYouMean(*near) : "";
}

// CLI11 would show the help of all for `help jbos`.
bool IsUnknownCommand(const CLI::App& app, const std::vector<std::string>& words) {
  return !Follow(app, words).word.empty();
}

// `error`: nullptr: an unknown command.
int ExplainUsage(const CLI::App& app, const CLI::ParseError* error,
                 const std::vector<std::string>& words) {
  const Reached reached = Follow(app, words);
  std::string text;
  if (!reached.word.empty()) {
    text = "unknown command \"" + Printable(reached.word, 60) + "\"" + ForWord(app, reached);
  } else if (!reached.flag.empty()) {
    text = "unknown flag \"" + Printable(reached.flag, 60) + "\"" + ForFlag(reached);
  } else if (error != nullptr) {
    text = Printable(UsageText(*error, *reached.app), 400);
  }
  std::fprintf(stderr, "error: %s\n", text.c_str());
  const std::string path = PathOf(*reached.app);
  const std::string arguments = ArgumentsText(*reached.app);
  if (!arguments.empty()) std::fprintf(stderr, "Usage: %s %s\n", path.c_str(), arguments.c_str());
  std::fprintf(stderr, "See: %s --help\n", path.c_str());
  return kExitUsage;
}

}  // namespace

std::vector<std::string> WordsOf(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

std::optional<int> RunCommand(CLI::App& app, const std::vector<std::string>& words,
                              const std::function<const CLI::App&()>& whole) {
  const auto explain = [&](const CLI::ParseError* error) {
    return ExplainUsage(whole ? whole() : app, error, words);
  };
  if (words.empty()) {
    std::fputs(app.help().c_str(), stdout);
    return kExitOk;
  }
  try {
    if (IsUnknownCommand(app, words)) return explain(nullptr);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    return explain(&error);
  }
  return std::nullopt;
}

}  // namespace gp
