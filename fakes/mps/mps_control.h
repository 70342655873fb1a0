#pragma once

// The control daemon: starts the server for its first client, stores the default limits of new
// servers, and answers the commands of the control program.

#include <sys/types.h>

#include <list>
#include <string>

#include "fakes/mps/line_socket.h"
#include "fakes/mps/mps_server.h"

namespace gp {

class FakeMpsControl {
 public:
  explicit FakeMpsControl(std::string directory) : directory_(std::move(directory)) {}
  // False: the daemon cannot listen.
  bool Listen();
  int Run();

 private:
  bool Serve(LineReader& peer);
  std::string Answer(const std::string& line, uid_t uid);
  std::string StartServer(uid_t uid);
  std::string TellServer(const std::string& line);
  void Reap();
  std::string ServerPath() const { return directory_ + "/server"; }

  const std::string directory_;
  int listener_ = -1;
  std::list<LineReader> peers_;
  FakeLimits defaults_;
  pid_t server_ = 0;
  uid_t server_uid_ = 0;
  bool quits_ = false;
};

}  // namespace gp
