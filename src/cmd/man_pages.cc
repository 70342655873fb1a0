#include "cmd/man_pages.h"

#include <array>
#include <fstream>
#include <string_view>

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

struct ExitCode {
  const char* code;
  const char* meaning;
};

// The same as docs/reference/exit_codes.md.
constexpr std::array kExitCodes = {
    ExitCode{"0", "done"},
    ExitCode{"1", "a bug, or an error of the environment"},
    ExitCode{"2", "the command line or the job file is wrong: correct it"},
    ExitCode{"3", "the object does not exist"},
    ExitCode{"4", "the state of the object does not allow this now"},
    ExitCode{"5", "permission denied, or not authenticated"},
    ExitCode{"6", "not enough resources"},
    ExitCode{"7", "your --timeout has passed"},
    ExitCode{"8", "no controller answers, or a required driver is missing"},
    ExitCode{"9", "unhealthy, or different from what is expected"},
    ExitCode{"10", "done for some objects, not for all"},
    ExitCode{"125", "the platform failed a job that you follow"},
    ExitCode{"130",
             "Ctrl-C while following; the job is not affected. Also: the job was cancelled, for "
             "example by a second Ctrl-C within two seconds after the message that offers it; one "
             "before that message ends only the command"},
};

// Escapes text for roff: a leading dot begins no request, dashes stay dashes.
std::string Text(std::string_view text) {
  std::string out;
  if (text.starts_with(".") || text.starts_with("'")) out += "\\&";
  for (const char letter : text) {
    switch (letter) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\n': out += ' '; break;
      case '"': out += "\\(dq"; break;
      default: out += letter;
    }
  }
  return out;
}

std::string TextOf(const Json& value) { return Text(value.get<std::string>()); }

// "gpu-platform-jobs"
std::string PageName(std::string command) {
  for (char& letter : command) letter = letter == ' ' ? '-' : letter;
  return command;
}

std::string Values(const Json& option) {
  const std::string value = option["value"];
  return value.substr(0, value.find(':'));
}

void AddOption(const Json& option, std::string& page) {
  page += ".TP\n";
  if (option["positional"].get<bool>()) {
    page += "\\fI" + TextOf(option["names"]) + "\\fR\n";
  } else {
    page += "\\fB" + TextOf(option["names"]) + "\\fR" +
            (Values(option).empty() ? "" : " \\fI" + Text(Values(option)) + "\\fR") + "\n";
  }
  page += TextOf(option["description"]);
  if (const std::string otherwise = option["default"]; !otherwise.empty())
    page += "; default " + Text(otherwise);
  if (const std::string variable = option["environment"]; !variable.empty())
    page += "; or in \\fB$" + Text(variable) + "\\fR";
  page += ".\n";
}

void AddSynopsis(const Json& command, std::string& page) {
  page += ".B " + TextOf(command["command"]) + "\n";
  if (!command["subcommands"].empty()) page += ".I COMMAND\n";
  bool has_flags = false;
  for (const Json& option : command["options"])
    has_flags = has_flags || !option["positional"].get<bool>();
  if (has_flags) page += "[\\fIOPTIONS\\fR]\n";
  for (const Json& option : command["options"]) {
    if (!option["positional"].get<bool>()) continue;
    const std::string name = "\\fI" + TextOf(option["names"]) + "\\fR";
    page += (option["required"].get<bool>() ? name : "[" + name + "]") + "\n";
  }
}

void AddCommand(const Json& command, std::string& page) {
  page += ".SS " + TextOf(command["command"]) + "\n" + TextOf(command["description"]) + ".\n";
  for (const Json& option : command["options"]) AddOption(option, page);
  for (const Json& child : command["subcommands"]) AddCommand(child, page);
}

std::string PageOf(const Json& command, const Json& root) {
  const std::string name = PageName(command["command"]);
  std::string page = ".TH " + Text(name) + " 1 \"\" \"gpu\\-platform " + Text(GP_VERSION) +
                     "\" \"gpu\\-platform\"\n";
  page += ".SH NAME\n" + Text(name) + " \\- " + TextOf(command["description"]) + "\n.SH SYNOPSIS\n";
  AddSynopsis(command, page);
  const bool is_root = command["command"] == root["command"];
  if (!command["options"].empty())
    page += is_root ? ".SH OPTIONS OF ALL COMMANDS\n" : ".SH OPTIONS\n";
  for (const Json& option : command["options"]) AddOption(option, page);
  if (!command["subcommands"].empty()) page += ".SH COMMANDS\n";
  for (const Json& child : command["subcommands"]) {
    if (is_root) {
      page += ".TP\n\\fB" + Text(PageName(child["command"])) + "\\fR(1)\n" +
              TextOf(child["description"]) + ".\n";
    } else {
      AddCommand(child, page);
    }
  }
  page += ".SH EXIT STATUS\n";
  for (const ExitCode& one : kExitCodes)
    page += std::string(".TP\n") + one.code + "\n" + Text(one.meaning) + "\n";
  page += ".PP\nCommands that follow a job exit with the job's own code.\n";
  if (!is_root) page += ".SH SEE ALSO\n.BR gpu\\-platform (1)\n";
  return page;
}

Status WritePage(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Unavailable(path + ": cannot be written"));
  return Ok();
}

}  // namespace

Status WriteManPages(const Json& root, const std::string& directory) {
  const auto path = [&](const Json& command) {
    return directory + "/" + PageName(command["command"]) + ".1";
  };
  GP_CHECK_OK(WritePage(path(root), PageOf(root, root)));
  for (const Json& command : root["subcommands"])
    GP_CHECK_OK(WritePage(path(command), PageOf(command, root)));
  return Ok();
}

}  // namespace gp
