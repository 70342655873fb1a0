#include "adapters/inbound/job_import/slurm/script_arguments.h"

#include <algorithm>
#include <map>
#include <string>

#include "adapters/inbound/job_import/slurm/script_text.h"
#include "adapters/inbound/job_import/slurm/shell_script.h"
#include "base/text.h"

namespace gp {

void NoteArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes) {
  std::vector<ScriptLine> copy = body;
  if (copy.empty()) return;
  const ScriptText lines(copy);
  std::map<int, std::vector<std::string>> by_line;
  for (const ShellArgument& argument : ReadShellScript(lines.Text()).arguments) {
    std::vector<std::string>& texts = by_line[lines.NumberAt(argument.at)];
    if (std::ranges::find(texts, argument.text) == texts.end()) texts.push_back(argument.text);
  }
  for (const auto& [line, texts] : by_line) {
    notes.push_back(
        {line, Printable(Join(texts, " "), 100),
         "arguments of the script are given at submit: gpu-platform jobs submit FILE -- "
         "ARGUMENTS"});
  }
}

void NoteForeignArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes) {
  for (const ScriptLine& line : body) {
    for (const char* word : {"sys.argv", "argparse", "ARGV"}) {
      if (line.text.find(word) == std::string::npos) continue;
      notes.push_back(
          {line.number, word,
           "arguments are given at submit: gpu-platform jobs submit FILE -- ARGUMENTS"});
      break;
    }
  }
}

}  // namespace gp
