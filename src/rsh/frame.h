#pragma once

// Messages between the processes of gpu-platform-rsh: a letter, four bytes of length (little
// endian) and as many bytes.

#include <optional>
#include <string>
#include <string_view>

namespace gp::rsh {

// What a message means, by its letter.
enum class Kind : char {
  // From rank 0's leader to a follower
  kBegin = 'b',  // all ranks have come: rank 0's command begins
  kRun = 'r',    // start a session: its number, a space and the command
  kDone = 'd',   // rank 0's command has ended
  // From a client to the leader, first of all
  kCommand = 'c',
  // Within a session; the last three from the program
  kInput = 'i',
  kInputEnd = 'I',
  kOutput = 'o',
  kErrors = 'e',
  kExit = 'x',  // one byte: the exit code as a shell reports it
};

struct Frame {
  Kind kind;
  std::string bytes;
};

inline constexpr size_t kFrameBytesMax = 1 << 20;

std::string Encode(Kind kind, std::string_view bytes = {});

// Takes the first whole frame out of the buffer.
std::optional<Frame> TakeFrame(std::string& buffer);

// Whether the buffer begins with a frame that is too long: its sender is no rank of this job.
bool IsTooLong(std::string_view buffer);

}  // namespace gp::rsh
