#include "cmd/agent/listening_parent.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace gp {
namespace {

// A socket in a directory of its own at which this process listens.
class Listener {
 public:
  Listener() {
    char directory[] = "/tmp/listening-parent-XXXXXX";
    directory_ = mkdtemp(directory);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    const int bound = bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    EXPECT_EQ(bound, 0);
    EXPECT_EQ(listen(socket_, 8), 0);
  }
  ~Listener() {
    close(socket_);
    unlink(path().c_str());
    rmdir(directory_.c_str());
  }

  std::string path() const { return directory_ + "/control.sock"; }

 private:
  std::string directory_;
  const int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

// What a child of this process finds; with `grandchild`, a child of its child.
bool InChild(const std::string& path, bool grandchild = false) {
  const pid_t pid = fork();
  if (pid == 0) {
    _exit((grandchild ? InChild(path) : IsParentListening(path)) ? 1 : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 1;
}

TEST(ListeningParent, IsTheParentAndNobodyElse) {
  const Listener listener;
  EXPECT_TRUE(InChild(listener.path()));
  EXPECT_FALSE(InChild(listener.path(), true)) << "a grandchild has another parent";
  EXPECT_FALSE(IsParentListening(listener.path())) << "it is this process itself";
}

TEST(ListeningParent, NobodyListensWhereThereIsNoSocket) {
  EXPECT_FALSE(InChild("/no/such/control.sock"));
  EXPECT_FALSE(InChild(""));
  EXPECT_FALSE(InChild("/tmp/" + std::string(200, 'x')));
}

}  // namespace
}  // namespace gp
