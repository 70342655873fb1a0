// Machines that are opened: GPUs are taken out, put in, exchanged and moved to other machines, and
// listed in another order.

#include <algorithm>

#include "tests/property/sequence.h"

namespace gp {
namespace {

// With links as if there were none: which are there is no matter here.
std::shared_ptr<const NodeFacts> With(const NodeFacts& facts, std::vector<GpuFacts> gpus) {
  auto changed = std::make_shared<NodeFacts>(facts);
  for (size_t i = 0; i < gpus.size(); ++i) gpus[i].minor = static_cast<int>(i);
  changed->links.assign(gpus.size() * gpus.size(), 0);
  changed->gpus = std::move(gpus);
  return changed;
}

}  // namespace

// Another machine for the GPU: one has GPUs of one kind.  nullptr: none was found.
Sequence::Machine* Sequence::FindOfKind(const Machine& machine, const GpuFacts& gpu) {
  for (int tries = 0; tries < 8; ++tries) {
    Machine& other = AnyMachine();
    const std::vector<GpuFacts>& there = other.agent.facts().gpus;
    const bool is_of_kind =
        !there.empty() && there.front().model == gpu.model && there.front().mig == gpu.mig;
    if (&other != &machine && is_of_kind) return &other;
  }
  return nullptr;
}

bool Sequence::ChangeHardware(Machine& machine) {
  std::vector<GpuFacts> gpus = machine.agent.facts().gpus;
  if (gpus.empty()) return false;
  const size_t one = rng_.Below(gpus.size());
  switch (rng_.Below(6)) {
    case 0: gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(one)); break;
    case 1: gpus[one].uuid = "X" + std::to_string(++gpus_made_); break;
    case 2: std::ranges::rotate(gpus, gpus.begin() + static_cast<std::ptrdiff_t>(one)); break;
    default: {
      Machine* found = FindOfKind(machine, gpus[one]);
      if (found == nullptr) return false;
      Machine& other = *found;
      // Both are without power: the other one's jobs are gone too.
      changes_hardware_ = false;
      Reboot(other, false);
      changes_hardware_ = true;
      other.powered = false;
      std::vector<GpuFacts> more = other.agent.facts().gpus;
      gpus[one].numa = 0;
      more.push_back(gpus[one]);
      gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(one));
      other.agent.Rebuild(With(other.agent.facts(), std::move(more)));
    }
  }
  machine.agent.Rebuild(With(machine.agent.facts(), std::move(gpus)));
  return true;
}

// What was exchanged stays away; all else is where it was.
void Sequence::RestoreHardware() {
  if (!changes_hardware_) return;
  changes_hardware_ = false;
  for (Machine& machine : machines_) {
    if (machine.agent.facts() == *machine.original) continue;
    Reboot(machine, false);
    machine.agent.Rebuild(machine.original);
  }
  changes_hardware_ = true;  // a GPU may be looked for where it was last, for a while
}

void Sequence::SeeGpus(Machine& machine) {
  const Node& node = *ledger_.state().FindNode(*machine.agent.node());
  std::vector<GpuObservation> gpus;
  for (const GpuFacts& gpu : machine.agent.facts().gpus) {
    const int position = node.facts->PositionOf(gpu.uuid);
    const auto before = std::ranges::find(machine.gpus, position, &GpuObservation::gpu);
    gpus.push_back(before == machine.gpus.end() ? GpuObservation{position, true, false, ""}
                                                : *before);
  }
  std::ranges::sort(gpus, {}, &GpuObservation::gpu);
  machine.gpus = std::move(gpus);
}

}  // namespace gp
