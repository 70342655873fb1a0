#pragma once

// Unix sockets that carry lines of text, for the fake MPS control daemon.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gp {

// -1: failed; errno has the cause.
int ListenAt(const std::string& path);
int ConnectTo(const std::string& path);

struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};
Peer PeerOf(int fd);

void SendLine(int fd, const std::string& line);

// One end of a connection, with the received text that is not a whole line yet.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // Reads once; false: the other end has closed.
  bool Fill();
  std::optional<std::string> Next();

 private:
  int fd_;
  std::string bytes_;
};

// Sends a line and waits for the answer; nullopt: the other end has closed.
std::optional<std::string> Ask(LineReader& reader, const std::string& line);

std::vector<std::string> Words(const std::string& line);

}  // namespace gp
