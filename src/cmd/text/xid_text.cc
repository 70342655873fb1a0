#include "cmd/text/xid_text.h"

#include <cctype>

namespace gp {
namespace {

constexpr int kAdviceChanged = 154;

}  // namespace

std::string JobsText(const XidRule& rule, int xid) {
  if (rule.by_text && xid == kAdviceChanged)
    return "as the driver asks: all on the GPU for a reset or a reboot, those that use several "
           "GPUs where links are drained, otherwise none";
  if (rule.by_text)
    return "as the report's text says: where that is fatal, jobs that use this GPU and others "
           "start again free of charge";
  switch (rule.tenants) {
    case TenantAction::kNone: return "nothing";
    case TenantAction::kNote: return "noted with the job that it names, without ending it";
    case TenantAction::kForgive:
      return "noted with the job that it names; if that ends badly within a minute, it starts "
             "again free of charge";
    case TenantAction::kRestartNamed:
      return "the job that it names is ended and starts again free of charge; in MPS mode all on "
             "the GPU";
    case TenantAction::kRestartLinked:
      return "jobs that use this GPU and others are ended and start again free of charge; jobs on "
             "this GPU alone run on";
    case TenantAction::kRestartAll:
      return "all jobs on the GPU are ended and start again free of charge";
  }
  return "?";
}

std::string GpuText(const XidRule& rule, int xid) {
  if (rule.by_text && xid == kAdviceChanged)
    return "as the driver asks, before any other rule: reset, reset when idle, a reboot of the "
           "node, or operator action";
  if (rule.by_text)
    return "as the report's text says: where that is fatal, out of service, reset, tested and let "
           "in again";
  if (rule.if_repeated)
    return "stays in service the first time, and operators are notified; the second time within a "
           "day it "
           "is out of service until an operator has looked";
  switch (rule.remedy) {
    case GpuRemedy::kNone:
      return rule.counts ? "stays in service; counted over users, and tested when idle if it has "
                           "far more of these than others"
                         : "stays in service";
    case GpuRemedy::kWatch: return "stays in service, and operators are notified";
    case GpuRemedy::kTest: return "takes no new work; tested when idle";
    case GpuRemedy::kResetWhenIdle:
      return "stays in service; reset and tested as soon as it is idle";
    case GpuRemedy::kDrainReset: return "takes no new work; reset and tested when idle";
    case GpuRemedy::kReset: return "out of service, reset, tested and let in again";
    case GpuRemedy::kOperator: return "out of service until an operator has looked";
    case GpuRemedy::kReboot:
      return "out of service, and its node takes no new work: it needs a reboot";
  }
  return "?";
}

std::string ProductsText(const std::string& products) {
  std::string text;
  for (const char c : products) {
    if (c == '+') {
      text += ", ";
    } else {
      text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

bool IsMilder(const XidRule& rule, const XidRule& than) {
  if (rule.by_text || than.by_text) return false;  // it depends on the text
  return rule.tenants < than.tenants || rule.remedy < than.remedy ||
         (rule.if_repeated && !than.if_repeated && rule.remedy <= than.remedy);
}

}  // namespace gp
