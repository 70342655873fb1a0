#include "domain/model/jobs/text_rules.h"

#include <algorithm>

#include "base/text.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/queue.h"

namespace gp {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsOneOf(char c, std::string_view allowed) { return allowed.find(c) != std::string_view::npos; }

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Letters, digits and `others`, starting with a letter or digit.
bool IsWord(std::string_view text, std::string_view others) {
  return !text.empty() && IsAlphanumeric(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return IsAlphanumeric(c) || IsOneOf(c, others); });
}

std::string Quoted(std::string_view text) { return "\"" + Printable(text, 40) + "\""; }

std::optional<std::string> LengthFault(std::string_view text, size_t length_max) {
  if (text.size() <= length_max) return std::nullopt;
  return "is " + std::to_string(text.size()) + " bytes long; at most " +
         std::to_string(length_max) + " are allowed";
}

}  // namespace

bool IsReservedVariable(std::string_view name) {
  return name.starts_with("GP_") || name.starts_with("CUDA_MPS_") ||
         name == "CUDA_VISIBLE_DEVICES" || name == "NVIDIA_VISIBLE_DEVICES";
}

std::optional<std::string> NameFault(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (auto fault = LengthFault(text, kNameLengthMax)) return fault;
  if (IsWord(text, "._-")) return std::nullopt;
  return Quoted(text) +
         " is not a name: use letters, digits, \".\", \"_\" and \"-\", beginning with a letter or "
         "digit";
}

std::optional<std::string> QueueFault(std::string_view text) {
  if (auto fault = LengthFault(text, kNameLengthMax)) return fault;
  size_t depth = 0;
  for (size_t begin = 0; begin <= text.size(); ++depth) {
    const size_t end = std::min(text.find('/', begin), text.size());
    if (NameFault(text.substr(begin, end - begin))) {
      return Quoted(text) +
             " is not a queue: write names of letters, digits, \".\", \"_\" and \"-\", the upper "
             "ones first, with \"/\" between them";
    }
    begin = end + 1;
  }
  if (depth > kQueueDepthMax)
    return "is " + std::to_string(depth) + " levels deep; at most " +
           std::to_string(kQueueDepthMax) + " are allowed";
  return std::nullopt;
}

std::optional<std::string> LabelNameFault(std::string_view text) {
  if (text.empty()) return "a label needs a name";
  if (auto fault = LengthFault(text, kNameLengthMax)) return fault;
  if (IsWord(text, "._-/")) return std::nullopt;
  return Quoted(text) +
         " is not a label name: use letters, digits, \".\", \"_\", \"-\" and \"/\", beginning with "
         "a letter or digit";
}

std::optional<std::string> LabelValueFault(std::string_view text) {
  if (auto fault = LengthFault(text, kLabelValueLengthMax)) return fault;
  if (!HasControlCharacter(text)) return std::nullopt;
  return Quoted(text) + " holds a control character: labels are one line of text";
}

std::optional<std::string> VariableNameFault(std::string_view text) {
  if (auto fault = LengthFault(text, kNameLengthMax)) return fault;
  const auto legal = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || !std::ranges::all_of(text, legal)) {
    return Quoted(text) +
           " is not a variable name: use letters, digits and \"_\", not beginning with a digit";
  }
  if (!IsReservedVariable(text)) return std::nullopt;
  return std::string(text) + " is set by the platform for every job: leave it out";
}

std::optional<std::string> ArgumentFault(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "holds a zero byte: no program can take it";
  if (text.size() <= kArgumentBytesMax) return std::nullopt;
  return "is " + std::to_string(text.size()) + " bytes long and the kernel takes at most " +
         std::to_string(kArgumentBytesMax) + ": put it in a file and run that";
}

std::optional<std::string> PathFault(std::string_view text) {
  if (auto fault = LengthFault(text, kPathLengthMax)) return fault;
  if (!text.starts_with('/')) {
    return Quoted(text) + " is not an absolute path: begin it with \"/\"";
  }
  if (HasControlCharacter(text)) return Quoted(text) + " holds a control character";
  for (const std::string& part : Split(text, '/')) {
    if (part == "..") return Quoted(text) + " holds \"..\": write the path it leads to";
  }
  return std::nullopt;
}

std::optional<std::string> GpuModelFault(std::string_view text) {
  if (text.size() <= 64 && IsWord(text, " ._+()-")) return std::nullopt;
  return Quoted(text) + " is not a GPU model: write a part of its name, as H100 or \"RTX 6000\"";
}

}  // namespace gp
