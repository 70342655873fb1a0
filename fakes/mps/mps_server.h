#pragma once

// The server of one user: accepts clients, enforces their limits, and ends all of them after a
// fatal error of one.

#include <list>
#include <string>

#include "fakes/mps/line_socket.h"

namespace gp {

struct FakeLimits {
  int percent = 100;
  long memory_mib = 0;  // 0: no limit
};

class FakeMpsServer {
 public:
  // Listens at `path`; `limits` apply to new clients.
  FakeMpsServer(std::string path, FakeLimits limits);
  // Runs until the quit command; returns the exit code.
  int Run();

 private:
  struct Client {
    LineReader reader;
    pid_t pid = 0;  // 0: not registered as a client yet
    FakeLimits limits;
    long used_mib = 0;
  };

  void Accept();
  bool Serve(Client& client);  // false: the client has gone
  std::string Answer(Client& client, const std::string& line);
  std::string Connect(Client& client, const FakeLimits& own);
  std::string Allocate(Client& client, long mib);
  void Fault();
  int CountClients() const;

  const std::string path_;
  FakeLimits limits_;
  int listener_;
  std::list<Client> clients_;
  bool is_faulty_ = false;  // until the last client has left
  bool quits_ = false;
};

}  // namespace gp
