#include "domain/cluster/nodes/verdict.h"

#include <utility>

#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

std::string Follows(GpuRemedy remedy) {
  switch (remedy) {
    case GpuRemedy::kNone:
    case GpuRemedy::kWatch: return "";
    case GpuRemedy::kTest: return "no new work; tested when idle";
    case GpuRemedy::kResetWhenIdle: return "reset and tested when idle";
    case GpuRemedy::kDrainReset: return "no new work; reset and tested when idle";
    case GpuRemedy::kReset: return "no new work; reset and tested when its jobs have ended";
    case GpuRemedy::kOperator:
      return "operator action required: gpu-platform reset or online when it is repaired";
    case GpuRemedy::kReboot:
      return "operator action required: drain and reboot its node, then gpu-platform online";
  }
  return "";
}

std::string Follows(HealthAction action) {
  switch (action) {
    case HealthAction::kNone: return "";
    case HealthAction::kNoLinkedWork:
      return "granted to work of one GPU only, until it is healthy again";
    case HealthAction::kNoNewWork: return "no new work until it is healthy again";
    case HealthAction::kResetWhenIdle: return Follows(GpuRemedy::kDrainReset);
    case HealthAction::kOperator: return Follows(GpuRemedy::kOperator);
  }
  return "";
}

HealthLevel LevelOf(HealthCode code, HealthAction action) {
  if (code == HealthCode::kUnread) return HealthLevel::kUnknown;
  if (action == HealthAction::kNone) return HealthLevel::kOk;
  return action <= HealthAction::kNoNewWork ? HealthLevel::kWarn : HealthLevel::kFail;
}

class Verdict {
 public:
  Verdict(const State& state, const GpuKey& key)
      : state_(state),
        policy_(state.policy.faults),
        node_(*state.FindNode(key.node)),
        facts_(node_.facts->gpus[static_cast<size_t>(key.gpu)]),
        gpu_(GpuAt(state, key)),
        trouble_(FindTrouble(state, key)) {}

  GpuVerdict Take() {
    Judge();
    verdict_.takes_new_work =
        node_.condition == NodeCondition::kUp && !node_.draining && IsGrantable(gpu_);
    if (verdict_.level == HealthLevel::kOk) verdict_.code = "ok";
    return std::move(verdict_);
  }

 private:
  void Say(HealthLevel level, std::string code, std::string why, std::string follows) {
    verdict_ = {level, std::move(code), std::move(why), std::move(follows), false};
  }
  void Judge();
  bool JudgeReadings();
  void JudgeRemedy();
  void JudgeCondition();
  const Incident* OpenIncident() const;
  std::string CodeOfReport() const;

  const State& state_;
  const FaultPolicy& policy_;
  const Node& node_;
  const GpuFacts& facts_;
  const Gpu& gpu_;
  const GpuTrouble* trouble_;
  GpuVerdict verdict_;
};

const Incident* Verdict::OpenIncident() const {
  const auto found = trouble_ == nullptr ? state_.faults.incidents.end()
                                         : state_.faults.incidents.find(trouble_->incident);
  return found == state_.faults.incidents.end() || found->second.state == IncidentState::kClosed
             ? nullptr
             : &found->second;
}

// The code of the last report about the incident's subject.
std::string Verdict::CodeOfReport() const {
  const Incident* incident = OpenIncident();
  if (!trouble_->xids.empty() &&
      (incident == nullptr || trouble_->xids.back().at >= incident->opened_at)) {
    return "xid-" + std::to_string(trouble_->xids.back().xid);
  }
  if (!trouble_->findings.empty()) return Name(WorstOf(policy_, trouble_->findings).code);
  return "reported";
}

// Returns false if the reports have stronger consequences than the readings.
bool Verdict::JudgeReadings() {
  if (trouble_->findings.empty()) return false;
  const HealthFinding& worst = WorstOf(policy_, trouble_->findings);
  const HealthAction action = ActionOf(policy_, worst.code);
  if (action == HealthAction::kNone || RemedyOf(action) < trouble_->remedy) return false;
  Say(LevelOf(worst.code, action), Name(worst.code), ToText(worst), Follows(action));
  return true;
}

void Verdict::JudgeRemedy() {
  const Incident* incident = OpenIncident();
  const std::string why =
      incident != nullptr && gpu_.reason.empty() ? incident->cause : gpu_.reason;
  const bool is_out =
      trouble_->remedy >= GpuRemedy::kTest && trouble_->remedy != GpuRemedy::kResetWhenIdle;
  Say(is_out ? HealthLevel::kFail : HealthLevel::kWarn, CodeOfReport(), why,
      Follows(trouble_->remedy));
}

void Verdict::JudgeCondition() {
  switch (gpu_.condition) {
    case GpuCondition::kUnknown:
    case GpuCondition::kTesting:
      return Say(HealthLevel::kUnknown, "untested", gpu_.reason, "no new work until it is tested");
    case GpuCondition::kResetting:
      return Say(HealthLevel::kFail, "resetting", gpu_.reason, "being reset, then tested");
    case GpuCondition::kLost:
      return Say(HealthLevel::kFail, "lost", gpu_.reason, "no new work until it answers");
    case GpuCondition::kSuspect:
    case GpuCondition::kQuarantined:
      return Say(HealthLevel::kFail, "suspect", gpu_.reason, "no new work");
    case GpuCondition::kOffline:
      return Say(HealthLevel::kFail, "out-of-service", gpu_.reason,
                 "no new work until gpu-platform online");
    case GpuCondition::kAvailable:
    case GpuCondition::kUnlinked: break;
  }
  const Incident* incident = OpenIncident();
  if (incident != nullptr && incident->needs_person)
    Say(HealthLevel::kWarn, CodeOfReport(), incident->cause,
        "operator action required: look at it, and close " + ToText(incident->id));
}

void Verdict::Judge() {
  if (node_.condition == NodeCondition::kLost)
    return Say(HealthLevel::kUnknown, "node-lost", "its node does not answer",
               "no new work until it does");
  if (facts_.presence == GpuPresence::kMissing) {
    const Incident* incident = OpenIncident();
    const std::string given_up =
        incident == nullptr ? "" : "; where it is gone for good, close " + ToText(incident->id);
    return Say(HealthLevel::kFail, "missing", gpu_.reason, "tested when it is back" + given_up);
  }
  if (trouble_ != nullptr && trouble_->task == GpuTask::kNone) {
    if (JudgeReadings()) return;
    if (trouble_->remedy > GpuRemedy::kWatch) return JudgeRemedy();
  }
  JudgeCondition();
}

}  // namespace

GpuVerdict VerdictOf(const State& state, const GpuKey& key) {
  GpuVerdict verdict = Verdict(state, key).Take();
  if (const IncidentId held = HeldBy(state, key); held.value != 0) {
    verdict.follows +=
        "; held: nothing is reset automatically in this pool until " + ToText(held) + " is closed";
  }
  return verdict;
}

IncidentId HeldBy(const State& state, const GpuKey& key) {
  const GpuTrouble* trouble = FindTrouble(state, key);
  if (trouble == nullptr || trouble->is_requested || trouble->task != GpuTask::kNone) return {};
  if (trouble->remedy < GpuRemedy::kTest || trouble->remedy > GpuRemedy::kReset) return {};
  const auto breaker = state.faults.breakers.find(state.FindNode(key.node)->pool);
  return breaker == state.faults.breakers.end() ? IncidentId{} : breaker->second;
}

const char* Name(HealthLevel level) {
  switch (level) {
    case HealthLevel::kOk: return "ok";
    case HealthLevel::kWarn: return "WARN";
    case HealthLevel::kFail: return "FAIL";
    case HealthLevel::kUnknown: return "UNKNOWN";
  }
  return "?";
}

}  // namespace gp
