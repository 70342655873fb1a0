#pragma once

// Unix sockets that carry lines of text, for the control daemon that plays NVIDIA's.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gp {

// -1: it could not be done; errno says why.
int ListenAt(const std::string& path);
int ConnectTo(const std::string& path);

struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};
Peer PeerOf(int fd);

void SendLine(int fd, const std::string& line);

// One end of a connection: what came and is not a whole line yet.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // Reads once; false: the other end is gone.
  bool Fill();
  std::optional<std::string> Next();

 private:
  int fd_;
  std::string bytes_;
};

// Sends a line and waits for one; nullopt: the other end is gone.
std::optional<std::string> Ask(LineReader& reader, const std::string& line);

std::vector<std::string> Words(const std::string& line);

}  // namespace gp
