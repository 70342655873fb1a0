#include "infrastructure/agent_identity.h"

#include <sys/random.h>

#include <algorithm>

#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Result<AgentIncarnation> NextIncarnation(const std::string& state_directory, Instant now) {
  const std::string path = state_directory + "/incarnation";
  AgentIncarnation next;
  const auto text = ReadTextFile(path);
  if (text) {
    const auto number = ParseCount(FirstLine(*text));
    if (!number) return Fail(Internal(path + " is damaged: it should hold one number"));
    next.number = static_cast<uint64_t>(*number) + 1;
  } else if (text.error().code == ErrorCode::kNotFound) {
    next.fresh = true;
  } else {
    return Fail(text.error());
  }
  next.number = std::max(next.number, static_cast<uint64_t>(now.ns / 1'000'000'000));
  GP_CHECK_OK(WriteTextFile(path, std::to_string(next.number) + "\n", 0600));
  return next;
}

Result<std::string> JoinToken(const std::string& state_directory) {
  const std::string path = state_directory + "/join-token";
  const auto text = ReadTextFile(path);
  if (text) return FirstLine(*text);
  if (text.error().code != ErrorCode::kNotFound) return Fail(text.error());
  uint64_t words[4];
  if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words)) return Fail(Internal("no random numbers"));
  std::string token;
  for (const uint64_t word : words) token += ToBase32(word, 13);
  GP_CHECK_OK(WriteTextFile(path, token + "\n", 0600));
  return token;
}

}  // namespace gp
