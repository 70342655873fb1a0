#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/rest/openapi.h"
#include "cmd/cli.h"
#include "cmd/command_tree.h"
#include "cmd/man_pages.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

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
      "Data goes to standard output, messages to standard error. [Exit "
      "codes](exit_codes.md).\n";
  AddMarkdown(root, text);
  return text;
}

}  // namespace

void AddCommands(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("__commands", "The tree of commands, for documents and tools");
  sub->group("");  // not in the help
  auto markdown = std::make_shared<bool>(false);
  sub->add_flag("--markdown", *markdown, "As the reference; otherwise JSON");
  auto directory = std::make_shared<std::string>();
  sub->add_option("--man", *directory, "Write man pages into this directory, one for each command")
      ->type_name("DIRECTORY");
  sub->callback([markdown, directory, &app, &cli] {
    const Json root = CommandDocument(app, app.get_name());
    if (!directory->empty()) {
      if (const Status written = WriteManPages(root, *directory); !written)
        cli.Complain(written.error());
      return;
    }
    std::fputs(*markdown ? Markdown(root).c_str() : (root.dump(2) + "\n").c_str(), stdout);
  });
  CLI::App* api = app.add_subcommand("__openapi", "The API over HTTP, for documents and tools");
  api->group("");
  api->callback([] { std::fputs((OpenApi(GP_VERSION).dump(2) + "\n").c_str(), stdout); });
}

}  // namespace gp
