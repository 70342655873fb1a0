#include "cmd/command_tree.h"

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

}  // namespace

Json CommandDocument(const CLI::App& app, const std::string& path) {
  Json command{{"command", path},
               {"description", app.get_description()},
               {"options", Json::array()},
               {"subcommands", Json::array()}};
  for (const CLI::Option* option : app.get_options()) {
    if (!IsHelp(*option) && !option->get_group().empty())
      command["options"].push_back(OptionDocument(*option));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) {
      command["subcommands"].push_back(CommandDocument(*child, path + " " + child->get_name()));
    }
  }
  return command;
}

}  // namespace gp
