#include "cmd/usage/usage_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// The text behind `mark`; empty: it is not there.
std::string Behind(const std::string& text, const std::string& mark) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size());
}

std::string Before(const std::string& text, const std::string& mark) {
  return text.substr(0, text.find(mark));
}

std::string Quoted(const std::string& text) { return "\"" + Printable(text, 60) + "\""; }

// "job is required", "A subcommand is required"
std::string Missing(const std::string& text, const CLI::App& command) {
  const std::string name = Before(text, " is required");
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option != nullptr && option->get_positional()) return Upper(name) + " is missing";
  if (option != nullptr) return name + " is missing";
  std::vector<std::string> names;
  for (const CLI::App* child :
       command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    names.push_back(child->get_name());
  return names.empty() ? text : command.get_name() + " needs one of: " + Join(names, ", ");
}

// "--role: god not in {viewer,user}", "--limit: Value 0 not in range 1 to 100"
std::string Invalid(const std::string& text) {
  const std::string name = Before(text, ": ");
  if (const std::string range = Behind(text, " not in range "); !range.empty()) {
    const std::string value = Before(Behind(text, ": Value "), " not in range");
    return name + ": " + Quoted(value) + " is not a number from " + range;
  }
  std::string words = Behind(text, " not in {");
  if (words.empty()) return text;
  words.pop_back();
  const std::string value = Before(Behind(text, ": "), " not in {");
  const std::vector<std::string> all = Split(words, ',');
  const auto near = Nearest(value, all);
  return name + ": " + Quoted(value) + " is none of " + Join(all, ", ") +
         (near ? " — did you mean " + *near + "?" : "");
}

}  // namespace

std::string ArgumentsText(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    std::string name = Upper(option->get_name());
    if (option->get_expected_max() > 1) name += "...";
    text += (text.empty() ? "" : " ") + (option->get_required() ? name : "[" + name + "]");
  }
  return text;
}

std::string UsageText(const CLI::ParseError& error, const CLI::App& command) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return Missing(text, command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string rest = Behind(text, "not expected: ");
    return rest.empty() ? text : "unexpected argument " + Quoted(rest);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const std::string pair = Behind(text, "Could not convert: ");
    if (pair.empty()) return text;
    return Before(pair, " = ") + ": " + Quoted(Behind(pair, " = ")) + " is not a number";
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const std::string other = Behind(text, " excludes ");
    return other.empty() ? text
                         : Before(text, " excludes ") + " and " + other +
                               " exclude each other: give one of them";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string received = Behind(text, " but received ");
    if (!received.empty()) return Before(text, ": ") + " is given " + received + " times";
    if (text.find("missing") != std::string::npos) return Before(text, ": ") + " needs a value";
  }
  return Invalid(text);
}

}  // namespace gp
