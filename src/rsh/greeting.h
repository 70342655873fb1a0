#pragma once

// How the ends of a connection prove to each other that they are of the same job, by its token:
// neither sends it, and what somebody has heard once is of no use again.
//
//   server: nonce (32 bytes)
//   client: nonce, length of the words (4 bytes, little endian), words, MAC of "client", both
//   nonces and words server: MAC of "server", both nonces and words
//
// After that the connection is not encrypted, like those of MPI and NCCL themselves.

#include <optional>
#include <string>
#include <string_view>

namespace gp::rsh {

// The client's part, on a blocking socket: `words` say what the connection is for.  False: the
// other end is not of this job, or left.
bool Greet(int fd, std::string_view token, std::string_view words);

// The server's part of one connection, with bytes as they come.
class Reception {
 public:
  explicit Reception(std::string nonce) : nonce_(std::move(nonce)) {}

  enum class State { kWaits, kRefused, kProven };
  // Takes the greeting out of what has come so far.
  State Take(std::string& buffer, std::string_view token);
  const std::string& words() const { return words_; }
  const std::string& answer() const { return answer_; }  // to be sent once it is proven

 private:
  const std::string nonce_;
  std::string words_;
  std::string answer_;
};

}  // namespace gp::rsh
