#include "simulation/world/programs.h"

#include <algorithm>
#include <utility>

namespace gp {

void Programs::Note(const char* what, const Program& program) {
  findings_.Note(what + ToText(program.lease) + " " + std::to_string(program.host) + " " +
                 std::to_string(timeline_.now().ns));
}

// Why two programs must not share a GPU; empty: they may.
std::string Programs::WhyApart(const Program& mine, const Program& other) const {
  const GpuRequest& a = PlanOf(mine).spec->resources.gpus;
  const GpuRequest& b = PlanOf(other).spec->resources.gpus;
  if (a.isolation != b.isolation || a.isolation == Isolation::kExclusive) return "has two tenants";
  if (a.isolation == Isolation::kMig) {
    const bool is_apart = mine.mig.start + mine.mig.slices <= other.mig.start ||
                          other.mig.start + other.mig.slices <= mine.mig.start;
    return is_apart ? "" : "has a slice with two tenants";
  }
  return mine.uid == other.uid ? "" : "is shared by two users";
}

void Programs::CheckTenants(const Program& mine, const Program& other) {
  const auto fail = [&](const std::string& what) {
    findings_.Break(timeline_.now(), ToText(mine.job) + " attempt " + std::to_string(mine.attempt) +
                                         " starts while " + ToText(other.job) + " attempt " +
                                         std::to_string(other.attempt) + " runs: " + what);
  };
  if (other.job == mine.job && other.attempt != mine.attempt) fail("two attempts of a job");
  if (other.host != mine.host) return;
  // A job that requests no cores may have none of its own.
  const bool has_cores =
      PlanOf(mine).spec->resources.cpus > 0 && PlanOf(other).spec->resources.cpus > 0;
  if (has_cores && mine.cpus.Intersects(other.cpus)) fail("a core has two tenants");
  for (const int gpu : mine.gpus) {
    if (std::ranges::find(other.gpus, gpu) == other.gpus.end()) continue;
    if (const std::string why = WhyApart(mine, other); !why.empty())
      fail("GPU " + std::to_string(gpu) + " " + why);
  }
}

void Programs::CheckTenants(const Program& mine) {
  for (const LeaseId id : alive_) CheckTenants(mine, entries_.at(id).program);
  // The slices of its instance limit its compute.
  if (PlanOf(mine).spec->resources.gpus.isolation == Isolation::kMig) return;
  for (const int gpu : mine.gpus) {
    int share = PlanOf(mine).spec->resources.gpus.share_thousandths;
    for (const LeaseId id : AliveOn(mine.host, gpu))
      share += PlanOf(entries_.at(id).program).spec->resources.gpus.share_thousandths;
    if (share > 1000)
      findings_.Break(timeline_.now(), "GPU " + std::to_string(gpu) +
                                           " has programs with shares of more than the whole");
  }
}

// The devices that it may open must be the GPUs in its environment.
void Programs::CheckVisible(const Program& program) {
  if (program.mig.slices > 0) return;  // an instance has another name
  for (const int card : program.gpus) {
    const std::string& uuid = plan_.hosts[program.host].facts->gpus[static_cast<size_t>(card)].uuid;
    if (program.visible_gpus.find(uuid) != std::string::npos) continue;
    findings_.Break(timeline_.now(), ToText(program.job) + " may open " + uuid +
                                         " but its environment names " + program.visible_gpus);
  }
}

// All ranks and attempts of a job have the same image.
void Programs::CheckImage(const Program& program) {
  if (PlanOf(program).spec->program.image.empty() != program.image.empty())
    findings_.Break(timeline_.now(), ToText(program.job) +
                                         " has an image that it did not ask for, "
                                         "or asked for one that it has not");
  const std::string& first = images_.try_emplace(program.job, program.image).first->second;
  if (first != program.image)
    findings_.Break(timeline_.now(), ToText(program.job) + " attempt " +
                                         std::to_string(program.attempt) + " rank " +
                                         std::to_string(program.rank) + " has another image");
}

bool Programs::IsPortUsed(size_t host, int port) const {
  return std::ranges::any_of(alive_, [&](LeaseId id) {
    const Program& program = entries_.at(id).program;
    return program.host == host && program.rank == 0 && program.is_port_leased &&
           program.port == port;
  });
}

// The ranks of an attempt meet at one port, and at no other attempt's.
void Programs::CheckPort(const Program& program) {
  const auto fail = [&](const std::string& what) {
    findings_.Break(timeline_.now(), ToText(program.job) + " attempt " +
                                         std::to_string(program.attempt) + " rank " +
                                         std::to_string(program.rank) + ": " + what);
  };
  if (program.ranks > 1 && !program.is_port_leased) fail("its gang has no ports");
  const auto others = gangs_.find({program.job, program.attempt});
  if (others != gangs_.end() && entries_.at(others->second.front()).program.port != program.port)
    fail("its ranks meet at different ports");
  if (program.rank == 0 && program.is_port_leased && IsPortUsed(program.host, program.port))
    fail("its port is another attempt's");
}

void Programs::Start(Program program, ProgramHost& host) {
  CheckImage(program);
  CheckPort(program);
  if (entries_.contains(program.lease))
    findings_.Break(timeline_.now(), ToText(program.lease) + " is executed a second time");
  const JobSpec& spec = *PlanOf(program).spec;
  if (program.uid != PlanOf(program).user.uid)
    findings_.Break(timeline_.now(), ToText(program.job) + " runs as another user");
  if (static_cast<int>(program.gpus.size()) != spec.resources.gpus.count)
    findings_.Break(timeline_.now(),
                    ToText(program.job) + " has another number of GPUs than requested");
  if ((spec.resources.gpus.isolation == Isolation::kMig) !=
      (program.mig.instance != MigPart::kNotMade))
    findings_.Break(
        timeline_.now(),
        ToText(program.job) +
            " has a MIG instance without requesting one, or requested one and has none");
  CheckVisible(program);
  CheckTenants(program);
  Note("start ", program);
  ++starts_;
  program.is_alive = true;
  program.started_at = timeline_.now();
  const AttemptKey key{program.job, program.attempt};
  const int ranks = program.ranks;
  alive_.insert(program.lease);
  gangs_[key].push_back(program.lease);
  entries_[program.lease] = {std::move(program), &host};
  if (static_cast<int>(gangs_[key].size()) == ranks) BeginWork(key);
}

bool Programs::IsIntact(const AttemptKey& key) const {
  return std::ranges::all_of(gangs_.at(key), [this](LeaseId rank) {
    return entries_.at(rank).program.is_alive || entries_.at(rank).program.is_complete;
  });
}

bool Programs::GetsOn(LeaseId lease) const {
  const Program& program = entries_.at(lease).program;
  const AttemptKey key{program.job, program.attempt};
  const bool is_whole = static_cast<int>(gangs_.at(key).size()) == program.ranks && IsIntact(key);
  return is_whole && !PlanOf(program).Attempt(program.attempt, program.rank).hangs;
}

bool Programs::ReportsProgress(LeaseId lease) {
  Program& program = entries_.at(lease).program;
  const bool gets_on = GetsOn(lease);
  program.is_hung = program.is_hung || !gets_on;
  return gets_on;
}

void Programs::BeginWork(const AttemptKey& key) {
  for (const LeaseId id : gangs_.at(key)) {
    const Program& program = entries_.at(id).program;
    const ProgramPlan plan = PlanOf(program).Attempt(program.attempt, program.rank);
    if (plan.hangs) continue;
    timeline_.After(plan.work, [this, key, id, plan] {
      if (!entries_.at(id).program.is_alive || !IsIntact(key)) return;
      entries_.at(id).host->EndProgram(id, plan);
    });
  }
}

void Programs::End(LeaseId lease, bool is_complete, int exit_code, int signal) {
  Program& program = entries_.at(lease).program;
  if (!program.is_alive) return;
  program.is_alive = false;
  program.is_complete = is_complete;
  program.exit_code = exit_code;
  program.signal = signal;
  program.ended_at = timeline_.now();
  alive_.erase(lease);
  if (!is_complete) cut_ = cut_ + (program.ended_at - program.started_at);
  Note(is_complete ? "complete " : "cut ", program);
}

const Program* Programs::Find(LeaseId lease) const {
  const auto found = entries_.find(lease);
  return found == entries_.end() ? nullptr : &found->second.program;
}

std::vector<LeaseId> Programs::AliveOn(size_t host, int gpu) const {
  std::vector<LeaseId> found;
  for (const LeaseId id : alive_) {
    const Program& program = entries_.at(id).program;
    if (program.host == host && std::ranges::find(program.gpus, gpu) != program.gpus.end())
      found.push_back(id);
  }
  return found;
}

}  // namespace gp
