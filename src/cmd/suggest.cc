#include "cmd/suggest.h"

#include <cstdio>
#include <optional>

#include "base/text.h"
#include "cmd/cli.h"

namespace gp {
namespace {

// The innermost subcommand that the words reach, and the first word that is none of its.
struct Reached {
  const CLI::App* app;
  std::string stray;
};

Reached Follow(const CLI::App& root, int argc, char** argv) {
  Reached reached{&root, ""};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    if (word.starts_with("-")) continue;
    const CLI::App* next = nullptr;
    for (const CLI::App* child : reached.app->get_subcommands([](const CLI::App*) { return true; })) {
      if (child->get_name() == word) next = child;
    }
    if (next == nullptr) {
      if (reached.stray.empty()) reached.stray = word;
      break;
    }
    reached.app = next;
  }
  return reached;
}

std::vector<std::string> Flags(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  return flags;
}

std::optional<std::string> Suggest(const Reached& reached, int argc, char** argv) {
  const std::vector<std::string> flags = Flags(*reached.app);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    word = word.substr(0, word.find('='));
    if (std::find(flags.begin(), flags.end(), word) != flags.end()) continue;
    if (const auto near = Nearest(word, flags)) return near;
  }
  std::vector<std::string> names;
  for (const CLI::App* child : reached.app->get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(child->get_name());
  }
  return Nearest(reached.stray, names);
}

}  // namespace

int ExplainUsage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const Reached reached = Follow(app, argc, argv);
  std::string path = reached.app->get_name();
  for (const CLI::App* up = reached.app->get_parent(); up != nullptr; up = up->get_parent()) {
    path = up->get_name() + " " + path;
  }
  std::string text = "error: " + Printable(error.what(), 400);
  if (const auto near = Suggest(reached, argc, argv)) text += " — did you mean " + *near + "?";
  std::fprintf(stderr, "%s\nSee: %s --help\n", text.c_str(), path.c_str());
  return kExitUsage;
}

}  // namespace gp
