// The process that the agent runs to transfer data of a job.  Hidden.

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/outbound/objects/transfer_process.h"
#include "cmd/cli.h"
#include "lib/spawn/forbid_programs.h"

namespace gp {
namespace {

struct TransferWords {
  std::optional<uid_t> uid;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// It works for the agent alone.  A change of ids would undo that, and open its memory.
Status BecomeUser(const TransferWords& words) {
  const bool done = !words.uid || (setgroups(words.groups.size(), words.groups.data()) == 0 &&
                                   setresgid(words.gid, words.gid, words.gid) == 0 &&
                                   setresuid(*words.uid, *words.uid, *words.uid) == 0);
  if (!done) return Fail(Internal(std::string("cannot act as the user: ") + std::strerror(errno)));
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return ForbidPrograms();
}

}  // namespace

void AddTransfer(CLI::App& app, Cli& cli) {
  CLI::App* transfer = app.add_subcommand("__transfer", "")->group("");
  auto words = std::make_shared<TransferWords>();
  transfer->add_option("--uid", words->uid, "User that data is read as; default: the caller");
  transfer->add_option("--gid", words->gid, "Group of the user");
  transfer->add_option("--group", words->groups, "Another group of the user");
  transfer->callback([words, &cli] {
    cli.exit_code = TransferProcess(stdin, stdout, [words] { return BecomeUser(*words); });
  });
}

}  // namespace gp
