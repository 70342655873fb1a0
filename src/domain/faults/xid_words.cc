#include "domain/faults/xid_words.h"

#include <iterator>

#include "base/text.h"

namespace gp {
namespace {

struct JobWord {
  const char* word;
  TenantAction action;
};
constexpr JobWord kJobWords[] = {
    {"none", TenantAction::kNone},
    {"note", TenantAction::kNote},
    {"forgive", TenantAction::kForgive},
    {"named", TenantAction::kRestartNamed},
    {"linked", TenantAction::kRestartLinked},
    {"all", TenantAction::kRestartAll},
    {"text", TenantAction::kNone},
};

struct GpuWord {
  const char* word;
  GpuRemedy remedy;
  bool counts = false;
  bool if_repeated = false;
  bool by_text = false;
};
constexpr GpuWord kGpuWords[] = {
    {"none", GpuRemedy::kNone},
    {"count", GpuRemedy::kNone, true},
    {"watch", GpuRemedy::kWatch},
    {"reset-when-idle", GpuRemedy::kResetWhenIdle},
    {"reset", GpuRemedy::kReset},
    {"operator", GpuRemedy::kOperator},
    {"operator-if-repeated", GpuRemedy::kOperator, false, true},
    {"reboot", GpuRemedy::kReboot},
    {"text", GpuRemedy::kNone, false, false, true},
};

template <typename Words>
auto Find(const Words& words, std::string_view word) {
  const auto* found = std::begin(words);
  while (found != std::end(words) && word != found->word) ++found;
  return found;
}

template <typename Words>
std::string Listed(const Words& words) {
  std::string text;
  for (const auto& one : words) text += (text.empty() ? "" : ", ") + std::string(one.word);
  return text;
}

}  // namespace

Result<XidRule> XidRuleFrom(std::string_view job, std::string_view gpu) {
  const auto* action = Find(kJobWords, job);
  if (action == std::end(kJobWords))
    return Fail(
        InvalidArgument("job: \"" + Printable(job, 40) + "\"; there are " + Listed(kJobWords)));
  const auto* word = Find(kGpuWords, gpu);
  if (word == std::end(kGpuWords))
    return Fail(
        InvalidArgument("gpu: \"" + Printable(gpu, 40) + "\"; there are " + Listed(kGpuWords)));
  // The text of an error decides for the jobs and for the GPU together.
  if ((job == "text") != word->by_text)
    return Fail(InvalidArgument("job and gpu: both are text, or neither"));
  return XidRule{action->action, word->remedy, word->counts, word->if_repeated, word->by_text};
}

XidWords WordsOf(const XidRule& rule) {
  if (rule.by_text) return {"text", "text"};
  XidWords words;
  for (const JobWord& one : kJobWords) {
    if (words.job.empty() && one.action == rule.tenants) words.job = one.word;
  }
  for (const GpuWord& one : kGpuWords) {
    if (one.remedy == rule.remedy && one.counts == rule.counts &&
        one.if_repeated == rule.if_repeated && !one.by_text)
      words.gpu = one.word;
  }
  return words;
}

}  // namespace gp
