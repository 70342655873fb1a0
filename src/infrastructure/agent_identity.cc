#include "infrastructure/agent_identity.h"

#include <sys/random.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.h"
#include "base/text.h"
#include "files/move_directory.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string SecondLine(const std::string& text) {
  const size_t first = text.find('\n');
  return first == std::string::npos ? "" : FirstLine(text.substr(first + 1));
}

// A lineage may return with an old journal; its earlier logs are then set aside already.
Status SetLogsAside(const std::string& logs, const std::string& lineage) {
  std::error_code error;
  if (!std::filesystem::exists(logs, error)) return Ok();
  std::string aside = logs + "-" + lineage;
  for (int again = 2; std::filesystem::exists(aside, error); ++again) {
    aside = logs + "-" + lineage + "." + std::to_string(again);
  }
  return MoveDirectory(logs, aside);
}

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

// Agents of earlier versions stored the lineage alone; its epochs were not known then.
Result<ControllerEpoch> FollowedController(const std::string& state_directory) {
  const std::string path = state_directory + "/lineage";
  const auto text = ReadTextFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return ControllerEpoch{};
  if (!text) return Fail(text.error());
  const auto lineage = FromBase32(FirstLine(*text));
  const std::string second = SecondLine(*text);
  const auto epoch = second.empty() ? Result<int64_t>(0) : ParseCount(second);
  if (!lineage || !epoch)
    return Fail(Internal(path + " is damaged: it should hold a lineage (base 32) and an epoch"));
  return ControllerEpoch{*lineage, static_cast<uint64_t>(*epoch)};
}

Status KeepFollowedController(const std::string& state_directory, const ControllerEpoch& followed) {
  const ControllerEpoch before = GP_TRY(FollowedController(state_directory));
  if (before.lineage != followed.lineage)
    GP_CHECK_OK(SetLogsAside(state_directory + "/logs", ToBase32(before.lineage, 13)));
  return WriteTextFile(
      state_directory + "/lineage",
      ToBase32(followed.lineage, 13) + "\n" + std::to_string(followed.epoch) + "\n", 0600);
}

Result<std::string> JoinToken(const std::string& state_directory) {
  const std::string path = state_directory + "/join-token";
  const auto text = ReadTextFile(path);
  if (text) return FirstLine(*text);
  if (text.error().code != ErrorCode::kNotFound) return Fail(text.error());
  uint64_t words[4];
  if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words))
    return Fail(Internal("no random numbers"));
  std::string token;
  for (const uint64_t word : words) token += ToBase32(word, 13);
  GP_CHECK_OK(WriteTextFile(path, token + "\n", 0600));
  return token;
}

std::string MachineId() {
  const auto id = ReadTextFile("/etc/machine-id");
  return id && !FirstLine(*id).empty() ? ToBase32(Digest64("gpu-platform " + FirstLine(*id)), 13)
                                       : "";
}

}  // namespace gp
