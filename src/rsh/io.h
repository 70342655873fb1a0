#pragma once

// Descriptors and sockets.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rsh/job.h"

namespace gp::rsh {

// Wait as long as it takes.  nullopt, false: the other end is gone.
std::optional<std::string> ReadExactly(int fd, size_t bytes);
bool WriteAll(int fd, std::string_view bytes);

// Appends what there is to read, at most 64 KiB.  False: the end, or an error.
bool ReadSome(int fd, std::string& buffer);
// Writes as much as the descriptor takes, and removes it from the buffer.  False: an error.
bool WriteSome(int fd, std::string& buffer);

void MakeNonBlocking(int fd);
void MakeBlocking(int fd);
// Both ends of a connection may be silent for days; a broken network is noticed within a minute.
void NoticeBrokenNetwork(int fd);
// Lets the other end take all that was written, for at most this time: a socket that is closed with
// unread bytes would drop it.
void CloseAfterLast(int fd, int seconds);

// A socket that listens on the port on all addresses; -1: somebody else does.
int ListenOn(uint16_t port);

// A blocking connection to rank 0's leader that is greeted; -1: nothing listens there, or it is not
// of this job.  A broken network is noticed within a minute.
int ConnectToLeader(const Job& job, std::string_view words);

}  // namespace gp::rsh
