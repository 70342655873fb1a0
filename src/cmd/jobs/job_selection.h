#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cmd/cli.h"

namespace gp {

// Which jobs a command is about, by their properties.  Properties of different kinds must all hold;
// of one kind, one of its values, but all labels.
struct JobSelection {
  bool mine = false;
  std::string user;
  std::vector<std::string> names;
  std::vector<std::string> queues;
  std::vector<std::string> projects;
  std::vector<std::string> labels;
  std::vector<std::string> states;
  std::string since;

  bool empty() const;
};

// --me, --user, --name, --queue, --project, --state, --label.
void AddSelectionFlags(CLI::App& sub, JobSelection& selection);
// --since.
void AddSinceFlag(CLI::App& sub, JobSelection& selection);
// The value of a flag --since: "2h" (ago) or a moment.
Result<Instant> SinceOf(const std::string& text);

// Who the caller is for the controller.
Result<v1::WhoAmIReply> AskSelf(Cli& cli);
// kInvalidArgument names the flag; errors of the controller, which is asked who the caller is.
Result<v1::ListJobsRequest> RequestOf(const JobSelection& selection, Cli& cli);

}  // namespace gp
