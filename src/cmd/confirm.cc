#include "cmd/confirm.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace gp {

bool IsConfirmed(Output& output, bool yes, const std::string& why, const std::string& question) {
  if (yes) return true;
  if (isatty(STDIN_FILENO) == 0) {
    output.Complain(InvalidArgument(why + ": confirm with --yes"));
    return false;
  }
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::string answer;
  if (std::getline(std::cin, answer) && !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y'))
    return true;
  output.Say("nothing was changed");
  return false;
}

}  // namespace gp
