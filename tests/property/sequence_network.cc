// What goes to and fro between the machines of a generated sequence and their controller, and how
// it is lost: connections break, nodes and controllers begin again, old messages come late.

#include <algorithm>

#include "domain/cluster/decide/decide.h"
#include "tests/property/sequence.h"

namespace gp {

bool Sequence::Connect(Machine& machine) {
  if (!machine.powered || !machine.running || machine.connected || now_ < machine.cut_until)
    return false;
  machine.connected = true;
  machine.joining = true;
  machine.join = machine.agent.Connect();
  machine.up.emplace_back(now_, ReportNode{});  // its place in the order of messages
  return true;
}

bool Sequence::SendReport(Machine& machine) {
  if (!machine.connected || machine.joining || machine.up.size() > 4) return false;
  machine.up.emplace_back(now_, machine.agent.Report(machine.gpus));
  return true;
}

bool Sequence::ReceiveUp(Machine& machine) {
  if (machine.up.empty()) return false;
  if (!machine.joining) return ReceiveReport(machine);
  const Instant sent_at = machine.up.front().first;
  machine.up.erase(machine.up.begin());
  machine.joining = false;
  const std::vector<Event>* events = Tell(machine.join);
  const auto is_join = [](const Event& event) { return std::holds_alternative<NodeJoined>(event); };
  // A refusal that an incident notes is no error: asked again, the rules say why.
  if (events != nullptr && std::ranges::none_of(*events, is_join)) events = Tell(machine.join);
  if (events == nullptr) {
    BreakLink(machine);
    ComeLater(machine, ledger_.last_refusal());
    return true;
  }
  const NodeId id = ledger_.state().nodes.by_name.at(machine.agent.facts().name);
  machine.agent.JoinAccepted(id, ledger_.state().FindNode(id)->facts);
  SeeGpus(machine);
  machine.session = machine.join.incarnation;
  machine.heard = now_;
  machine.answer_due = sent_at;
  machine.orders_due = true;
  return true;
}

// A machine all of whose GPUs are new may be another one, until what it was has been silent for
// long.  One that was given a GPU waits until that is gone from where it was; two that were given
// one of each other's wait until both are silent.
void Sequence::ComeLater(Machine& machine, const std::string& refusal) {
  const auto says = [&](const char* what) { return refusal.find(what) != std::string::npos; };
  const auto known = ledger_.state().nodes.by_name.find(machine.agent.facts().name);
  const bool is_known = known != ledger_.state().nodes.by_name.end();
  const bool has_foreign_gpu = says(" is in node ") || says(" is held in node ");
  if (changes_hardware_ && has_foreign_gpu && !is_known) return;
  if (!changes_hardware_ || !is_known || !(has_foreign_gpu || says("another machine is node"))) {
    return ledger_.Break("an agent's join was refused: " + refusal);
  }
  Tell(ExpireHeartbeat{known->second});
  // Its leases are known to be over: the machine was without power.
  if (!ledger_.state().FindNode(known->second)->leases.empty())
    Tell(DeclareNodeLost{known->second, "it has other GPUs now"});
}

bool Sequence::ReceiveReport(Machine& machine) {
  const Instant sent_at = machine.up.front().first;
  ReportNode report = std::move(machine.up.front().second);
  machine.up.erase(machine.up.begin());
  machine.heard = now_;
  if (Tell(std::move(report)) == nullptr)
    ledger_.Break("a report was refused: " + ledger_.last_refusal());
  machine.answer_due = sent_at;
  return true;
}

bool Sequence::ReceiveDown(Machine& machine, bool at_once) {
  if (machine.session != 0 && (machine.orders_due || machine.answer_due.ns != 0)) {
    DownMessage message{machine.answer_due, ledger_.state().policy.lease_time, {}};
    if (machine.orders_due)
      message.desired_state = DesiredStateFor(ledger_.state(), *machine.agent.node());
    machine.orders_due = false;
    machine.answer_due = {};
    machine.down.push_back(std::move(message));
    if (!at_once) return true;
  }
  if (machine.down.empty()) return false;
  machine.agent.Take(now_, std::move(machine.down.front()));
  machine.down.erase(machine.down.begin());
  return true;
}

bool Sequence::BreakLink(Machine& machine) {
  if (!machine.connected) return false;
  for (size_t i = machine.joining ? 1 : 0; i < machine.up.size(); ++i) {
    old_reports_.push_back(std::move(machine.up[i].second));
  }
  if (machine.joining) old_joins_.push_back(std::move(machine.join));
  machine.up.clear();
  machine.down.clear();
  if (rng_.Chance(1, 3)) machine.cut_until = now_ + Duration::Seconds(rng_.Between(1, 90));
  machine.connected = machine.joining = false;
  machine.session = 0;
  machine.agent.Disconnect();
  return true;
}

// One machine is partitioned until its leases expire, while the others stay connected.
bool Sequence::Outage(Machine& machine) {
  BreakLink(machine);
  machine.cut_until = now_ + Duration::Seconds(rng_.Between(15, 90));
  for (int i = 0; i < 4; ++i) {
    now_ = now_ + Duration::Seconds(5);
    world_.AdvanceTo(now_);
    for (Machine& other : machines_) {
      if (!Connect(other)) SendReport(other);
      ReceiveUp(other);
      ReceiveDown(other, true);
    }
    Silence(machine);
    Tell(Tick{});
    Pass();
  }
  return true;
}

bool Sequence::Reboot(Machine& machine, bool wiped) {
  BreakLink(machine);
  if (machine.agent.node()) {
    world_.PowerOff(now_, *machine.agent.node());
    if (wiped) world_.WipeRecords(*machine.agent.node());
  }
  if (changes_hardware_ && rng_.Chance(1, 2)) ChangeHardware(machine);
  machine.powered = !machine.powered || rng_.Chance(2, 3);
  machine.agent.Begin(wiped);
  return true;
}

// What a connection of the past still had in flight arrives at last, and changes nothing.
bool Sequence::RepeatOldReport() {
  if (old_reports_.empty()) return false;
  ReportNode report = std::move(old_reports_.back());
  old_reports_.pop_back();
  const Node& node = *ledger_.state().FindNode(report.node);
  const bool is_stale = report.incarnation < node.incarnation;
  if (is_stale && Tell(std::move(report)) != nullptr) ledger_.Break("a stale report was accepted");
  return is_stale;
}

bool Sequence::RepeatOldJoin() {
  if (old_joins_.empty()) return false;
  JoinNode join = std::move(old_joins_.back());
  old_joins_.pop_back();
  const auto known = ledger_.state().nodes.by_name.find(join.facts->name);
  if (known == ledger_.state().nodes.by_name.end()) return false;
  const Node& node = *ledger_.state().FindNode(known->second);
  const bool is_harmless = node.condition == NodeCondition::kLost && node.leases.empty();
  const bool is_stale = join.incarnation < node.incarnation && !is_harmless;
  const std::string name = join.facts->name;
  const std::vector<Event>* events = is_stale || is_harmless ? Tell(std::move(join)) : nullptr;
  const bool is_accepted =
      events != nullptr && std::ranges::any_of(*events, [](const Event& event) {
        return std::holds_alternative<NodeJoined>(event);
      });
  if (is_stale && is_accepted) ledger_.Break("a stale join was accepted");
  if (is_accepted) {  // whoever is connected has been replaced, and joins again
    for (Machine& machine : machines_) {
      if (machine.agent.facts().name == name) BreakLink(machine);
    }
  }
  return is_stale || is_accepted;
}

bool Sequence::RestartController() {
  policy_.lease_end_time = Duration::Seconds(rng_.Between(6, 9));
  if (rng_.Chance(1, 2)) WeighPlaces();
  if (rng_.Chance(1, 2)) SetPrices();
  StartController start{policy_};
  start.time = ledger_.state().time;
  Tell(start);
  if (rng_.Chance(1, 2)) Tell(StepWallClock{Duration::Minutes(rng_.Between(-600, 600))});
  for (Machine& machine : machines_) {
    BreakLink(machine);
    machine.heard = now_;
  }
  return true;
}

void Sequence::SendOrders(const std::vector<Event>& events) {
  for (const NodeId id : NodesToUpdate(ledger_.state(), events)) {
    for (Machine& machine : machines_) {
      if (machine.agent.node() == id) machine.orders_due = true;
    }
  }
}

}  // namespace gp
