#include "adapters/inbound/job_file/codes.h"

#include <string>

namespace gp {
namespace {

using enum FileCode;

constexpr CodeEntry kCodes[] = {
    {kNotText, "The file is not plain UTF-8 text, or holds control characters.",
     "Save it as UTF-8. In a quoted string write a control character as an escape: \"\\x07\"."},
    {kNotYaml, "The text is not YAML (JSON is YAML too).",
     "Look at the place shown and just before it: a bracket or quote left open, a colon without a "
     "space after it, or an indentation with tabs."},
    {kTooLarge, "The file is too long, too deep or has too many values.",
     "Move large data into separate files and name them in the job file."},
    {kYamlFeature,
     "A YAML feature that hides what a job file says: anchors, aliases, merge keys, tags, "
     "directives, or keys that are not plain text.",
     "Write the value out where it is used."},
    {JobFileCode::kNoJob, "There is no job in the file.", "Write at least `run: <command>`."},
    {kDuplicateKey, "The same key occurs twice in one map; only one of them could count.",
     "Remove one of the two."},
    {kUnknownKey, "A key that is unknown in a job file, at least at this place.",
     "Take the key that the message suggests, or look it up in the reference of the job file."},
    {kMissingKey, "A key that every job needs is missing.", "Add it."},
    {kWrongType, "A value of the wrong type: a list in place of a number, a map in place of text.",
     "Write the type that the message names. Text that looks like a number needs quotes."},
    {kBadNumber, "Not a plain whole number such as 1, 2, 8 or 64.",
     "Write digits only: no sign, leading zero, fraction, exponent, hexadecimal or quotes."},
    {kOutOfRange, "A number, size, duration or list outside the allowed range.",
     "Choose a value inside the range that the message gives."},
    {kBadWord, "Not one of the words allowed here.",
     "Take one from the list in the message; for yes and no write true and false."},
    {kBadUnit, "A size, duration or share that cannot be read.",
     "Sizes: 80GB, 512MiB. Durations: 90s, 15m, 12h, 1d12h. Shares: 0.5, 0.125, 50%."},
    {kBadText, "A name, path, label, variable or command with characters that are not allowed.",
     "The message says which characters are allowed."},
    {kNoValue, "A key without a value.", "Give it a value or remove the line."},
    {kNotSupportedYet,
     "A key of the job file that this version does not support. It is refused because a job that "
     "silently ran without it would not be the job requested.",
     "Remove it, or wait for a version that supports it."},
    {JobFileCode::kVariableNotGiven,
     "A variable without a value under env: the job cannot run without it.",
     "Give it when submitting: --env NAME=value."},
    {kContradiction, "Values that are valid alone but not together.",
     "Change the one that the message names."},
    {JobFileCode::kBadScriptHeader, "The #GPU lines at the head of a script cannot be read.",
     "Put all of them before the first command, each as `#GPU key: value`."},
    {JobFileCode::kBadOverride, "A --set that does not fit the job file.",
     "Write --set path=value, such as --set resources.gpus=4."},
};

}  // namespace

std::span<const CodeEntry> JobFileCodes() { return kCodes; }

std::optional<CodeEntry> FindCode(std::string_view text) {
  std::string upper(text.substr(0, 16));
  for (char& c : upper) c = c == 'g' ? 'G' : c == 'p' ? 'P' : c;
  for (const CodeEntry& entry : kCodes) {
    if (CodeText(entry.code) == upper) return entry;
  }
  return std::nullopt;
}

}  // namespace gp
