#include "rsh/lead.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "rsh/follow.h"
#include "rsh/io.h"
#include "rsh/switchboard.h"

namespace gp::rsh {
namespace {

constexpr int kTurnMs = 50;
constexpr int kTurnsBeforeWord = 600;
constexpr int kEndMs = 5'000;

// Rank 0 is one of those that its command may start programs in.
pid_t StartOwnFollower(const Job& job, int listener) {
  const pid_t follower = fork();
  if (follower < 0) Fail("no process for its own rank");
  if (follower > 0) return follower;
  close(listener);
  _exit(Follow(job, nullptr));
}

void CheckOwnFollower(pid_t follower) {
  if (waitpid(follower, nullptr, WNOHANG) == follower)
    Fail("the process for rank 0's own programs has ended");
}

pid_t Start(char* const* command) {
  const pid_t program = fork();
  if (program != 0) return program;
  RestoreSignals();
  execvp(command[0], command);
  Say(std::string(command[0]) + " cannot be executed: is it installed" +
      (getenv("GP_IMAGE_DIGEST") != nullptr ? " in the image?" : " on this node?"));
  _exit(127);
}

void AwaitRanks(const Job& job, pid_t own, Switchboard& board) {
  for (int turns = 1; board.MissingRank() >= 0; ++turns) {
    board.Turn(kTurnMs);
    CheckOwnFollower(own);
    if (turns != kTurnsBeforeWord) continue;
    const int missing = board.MissingRank();
    if (missing >= 0)
      Say("still waiting for rank " + std::to_string(missing) + " (" +
          job.nodes[static_cast<size_t>(missing)] + ")");
  }
}

}  // namespace

int Lead(const Job& job, char* const* command) {
  const int listener = ListenOn(job.port);
  if (listener < 0) Fail("port " + std::to_string(job.port) + " is in use");
  Switchboard board(job, listener);
  const pid_t own = StartOwnFollower(job, listener);
  AwaitRanks(job, own, board);
  IgnoreSignals();
  board.TellFollowers(Kind::kBegin);
  const pid_t program = Start(command);
  if (program < 0) Fail("no process for the command");
  int status = 0;
  while (waitpid(program, &status, WNOHANG) != program) {
    board.Turn(kTurnMs);
    CheckOwnFollower(own);
  }
  board.End(kEndMs);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gp::rsh
