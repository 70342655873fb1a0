#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gp {

class Table;

// Exit codes of the command line (docs/reference/exit_codes.md).
inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConflict = 4;
inline constexpr int kExitTimeout = 7;
inline constexpr int kExitUnhealthy = 9;
inline constexpr int kExitPartly = 10;
inline constexpr int kExitPlatform = 125;

// Prints the results of subcommands in the format that -o selects. Data goes to stdout and
// nothing else does; messages go to stderr.
class Output {
 public:
  std::string output = "table";
  bool json = false;  // --json, the same as -o json
  bool no_headers = false;
  bool quiet = false;
  int exit_code = kExitOk;           // set by the subcommand that ran
  std::vector<std::string> columns;  // of a list; empty: its own
  std::string sort;                  // column of a list

  void AddTo(CLI::App& app);
  // The flags of commands that print a list: its columns and its order.
  CLI::App* AddListFlags(CLI::App* list);

  // Complains and returns false if the requested output is none of these. Documents (json, yaml)
  // are offered by every command that shows something and need not be named.
  bool Offers(std::initializer_list<std::string_view> formats);
  // Prints the document and returns true if the output is a document.
  bool PrintDocument(const nlohmann::ordered_json& document) const;
  // As a table or as CSV.  False: --columns or --sort are wrong, which it has said.
  bool PrintTable(const Table& table);
  // The same for a list of `what`; says so where there is none.
  void PrintList(const Table& table, std::string_view what);
  // Lines for people, which cannot steer the terminal whatever names and reasons users have chosen.
  static void PrintText(const std::string& text);
  bool WantsDocument() const { return output == "json" || output == "yaml" || json; }
  // A message for people; silent with -q.
  void Say(const std::string& text) const;
  // Prints the error with its place and sets the exit code.
  void Complain(const Error& error);
};

}  // namespace gp
