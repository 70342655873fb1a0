#include "domain/faults/judge.h"

#include <algorithm>

namespace gp {
namespace {

constexpr int kUncorrectable = 48;
constexpr int kContained = 94;
constexpr int kAdviceChanged = 154;

// What the driver's advice means; no action if there is none.
FaultVerdict Follow(DriverAdvice advice) {
  FaultVerdict verdict;
  switch (advice) {
    case DriverAdvice::kGpuReset:
      verdict = {TenantAction::kRestartAll, GpuRemedy::kReset, false, ""};
      break;
    case DriverAdvice::kNodeReboot:
      verdict = {TenantAction::kRestartAll, GpuRemedy::kReboot, false, ""};
      break;
    case DriverAdvice::kDrainP2p:
      verdict = {TenantAction::kRestartLinked, GpuRemedy::kDrainReset, false, ""};
      break;
    case DriverAdvice::kDrainAndReset:
      verdict = {TenantAction::kNone, GpuRemedy::kDrainReset, false, ""};
      break;
    case DriverAdvice::kRecoverImex:  // not the fault of a GPU
      verdict.is_of_node = true;
      break;
    case DriverAdvice::kUnknown:
    case DriverAdvice::kNone: break;
  }
  return verdict;
}

FaultVerdict ByRule(const XidRule& rule, const FaultSignal& signal, const std::set<int>& near,
                    bool is_repeated) {
  if (rule.by_text) {
    if (!signal.is_fatal) return {TenantAction::kNote, GpuRemedy::kNone, false, ""};
    if (signal.is_of_peer)
      return {TenantAction::kRestartLinked, GpuRemedy::kNone, false, "", false, true};
    return {TenantAction::kRestartLinked, GpuRemedy::kReset, false, ""};
  }
  // The error was contained: XID 94 names the affected program; the others are unaffected.
  if (signal.xid == kUncorrectable && near.contains(kContained)) {
    return {TenantAction::kForgive, GpuRemedy::kResetWhenIdle, false, ""};
  }
  const bool is_due = !rule.if_repeated || is_repeated;
  return {rule.tenants, is_due ? rule.remedy : GpuRemedy::kWatch, rule.counts, ""};
}

FaultVerdict OfXid(const FaultPolicy& policy, const FaultSignal& signal, const std::set<int>& near,
                   bool is_repeated) {
  // XID 154 only carries advice in its text. If the driver no longer recommends an action, nothing
  // is undone; a test does that.
  FaultVerdict verdict;
  if (signal.xid != kAdviceChanged)
    verdict = ByRule(RuleOf(policy, signal.xid), signal, near, is_repeated);
  const DriverAdvice advice = Asks(signal.advice) ? signal.advice : signal.reported;
  if (Asks(advice)) {
    const FaultVerdict asked = Follow(advice);
    verdict.tenants = std::max(verdict.tenants, asked.tenants);
    if (!asked.is_of_node) verdict.remedy = asked.remedy;
    verdict.is_of_node = verdict.is_of_node || asked.is_of_node;
  }
  verdict.why = "XID " + std::to_string(signal.xid);
  if (Asks(advice)) verdict.why += std::string(", the driver asks for ") + Name(advice);
  if (signal.is_of_peer && verdict.is_of_node) verdict.why += ", of the other end of an NVLink";
  return verdict;
}

}  // namespace

const XidRule& RuleOf(const FaultPolicy& policy, int xid) {
  const auto rule = policy.xids.find(xid);
  return rule == policy.xids.end() ? kUnknownXid : rule->second;
}

FaultVerdict Judge(const FaultPolicy& policy, const FaultSignal& signal, const std::set<int>& near,
                   bool is_repeated) {
  FaultVerdict verdict;
  switch (signal.kind) {
    case SignalKind::kXid: return OfXid(policy, signal, near, is_repeated);
    case SignalKind::kAdvice:
      verdict = Follow(signal.advice);
      verdict.why = std::string("the driver asks for ") + Name(signal.advice);
      return verdict;
    case SignalKind::kLost:
      return {TenantAction::kRestartAll, GpuRemedy::kReboot, false, "it fell off the bus"};
    case SignalKind::kHot:
      return {TenantAction::kRestartAll, GpuRemedy::kTest, false, "it is too hot", true};
    case SignalKind::kCritical:
      return {TenantAction::kRestartAll, GpuRemedy::kOperator, false,
              "it is near its thermal shutdown temperature"};
    case SignalKind::kMissing:
      return {TenantAction::kRestartAll, GpuRemedy::kTest, false, kCauseMissing};
    case SignalKind::kRemapFailed:
      return {TenantAction::kRestartAll, GpuRemedy::kOperator, false,
              "a memory row could not be remapped"};
    case SignalKind::kFabric:
      verdict.why = "SXid " + std::to_string(signal.xid);
      if (!signal.is_fatal) return verdict;
      verdict.tenants = TenantAction::kRestartLinked;
      verdict.is_of_node = true;
      return verdict;
  }
  return verdict;
}

}  // namespace gp
