#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/rest/openapi.h"
#include "cmd/cli.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

std::string NamesOf(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "--" : ", --") + name;
  return names.empty() ? option.get_name() : names;
}

bool IsHelp(const CLI::Option& option) {
  return option.check_lname("help") || option.check_lname("help-all");
}

Json OptionDocument(const CLI::Option& option) {
  const bool flag = option.get_expected_max() == 0;
  return {{"names", NamesOf(option)},
          {"value", flag ? "" : option.get_type_name()},
          {"required", option.get_required()},
          {"positional", option.get_positional()},
          {"default", option.get_default_str()},
          {"environment", option.get_envname()},
          {"description", option.get_description()}};
}

// The tree that help, reference and completion share.
Json CommandDocument(const CLI::App& app, const std::string& path) {
  Json command{{"command", path},
               {"description", app.get_description()},
               {"options", Json::array()},
               {"subcommands", Json::array()}};
  for (const CLI::Option* option : app.get_options()) {
    if (!IsHelp(*option)) command["options"].push_back(OptionDocument(*option));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) {
      command["subcommands"].push_back(CommandDocument(*child, path + " " + child->get_name()));
    }
  }
  return command;
}

std::string Escape(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\|");
  return text;
}

std::string OptionRow(const Json& option) {
  std::string names = option["names"];
  const std::string value = option["value"];
  if (!option["positional"].get<bool>() && !value.empty())
    names += " " + value.substr(0, std::min(value.find(":INT in"), value.find(":{")));
  std::string meaning = option["description"];
  if (option["required"]) meaning += " (required)";
  if (const std::string otherwise = option["default"]; !otherwise.empty())
    meaning += "; default " + otherwise;
  if (const std::string variable = option["environment"]; !variable.empty())
    meaning += "; or in $" + variable;
  return fmt::format("| `{}` | {} |\n", Escape(names), Escape(meaning));
}

void AddMarkdown(const Json& command, std::string& text) {
  text += fmt::format("\n## {}\n\n{}.\n", command["command"].get<std::string>(),
                      command["description"].get<std::string>());
  if (!command["options"].empty()) {
    text += "\n| Argument | Meaning |\n|---|---|\n";
    for (const Json& option : command["options"]) text += OptionRow(option);
  }
  for (const Json& child : command["subcommands"]) AddMarkdown(child, text);
}

std::string Markdown(const Json& root) {
  std::string text =
      "# Command line\n\n"
      "<!-- Written by `gpu-platform __commands --markdown`; a test compares. -->\n\n"
      "Data goes to standard output, words for people to standard error. [Exit "
      "codes](exit_codes.md).\n";
  AddMarkdown(root, text);
  return text;
}

}  // namespace

void AddCommands(CLI::App& app, Cli&) {
  CLI::App* sub = app.add_subcommand("__commands", "The tree of commands, for documents and tools");
  sub->group("");  // not in the help
  auto markdown = std::make_shared<bool>(false);
  sub->add_flag("--markdown", *markdown, "As the reference; otherwise JSON");
  sub->callback([markdown, &app] {
    const Json root = CommandDocument(app, app.get_name());
    std::fputs(*markdown ? Markdown(root).c_str() : (root.dump(2) + "\n").c_str(), stdout);
  });
  CLI::App* api = app.add_subcommand("__openapi", "The API over HTTP, for documents and tools");
  api->group("");
  api->callback([] { std::fputs((OpenApi(GP_VERSION).dump(2) + "\n").c_str(), stdout); });
}

}  // namespace gp
