#include "cmd/watch/watch_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cmd/text/job_text.h"
#include "cmd/text/service_text.h"

namespace gp {
namespace {

constexpr size_t kNameMax = 40;  // bytes of a job's name in a question

// Elements of an array are held by their own ids: "job-5[3]" belongs to the entry of job-5.
bool Belongs(const std::string& holder, const std::string& id) {
  return holder == id || holder.starts_with(id + "[");
}

struct HeldParts {
  int gpus = 0;
  std::set<std::string> nodes;
};

HeldParts HeldBy(const WatchData& data, const std::string& id) {
  HeldParts held;
  for (const v1::Node& node : data.cluster.nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) {
      const bool holds = std::ranges::any_of(
          gpu.holders(), [&](const v1::Holder& one) { return Belongs(one.job_id(), id); });
      if (!holds) continue;
      ++held.gpus;
      held.nodes.insert(node.name());
    }
  }
  return held;
}

std::string Verb(int64_t count, const char* singular, const char* plural) {
  return count == 1 ? singular : plural;
}

// "job-12 (train) of ana"
std::string Titled(const WatchData& data, const std::string& id) {
  const v1::Job* job = FindJob(data, id);
  if (job == nullptr) return id;
  const std::string& name = job->spec().name();
  return id + (name.empty() ? "" : " (" + Printable(name, kNameMax) + ")") + " of " + job->user();
}

// Of an entry that stands for a whole array.
std::string ElementsStop(const v1::Elements& elements, const HeldParts& held) {
  std::string text = Count(elements.running(), "running element");
  if (held.gpus > 0)
    text += fmt::format(" with {} on {}", Count(held.gpus, "GPU"),
                        Count(static_cast<int64_t>(held.nodes.size()), "node"));
  return text + fmt::format(" and {} stop now", Count(elements.waiting(), "waiting element"));
}

std::string WhatStops(const WatchData& data, const std::string& id) {
  const HeldParts held = HeldBy(data, id);
  const v1::Job* job = FindJob(data, id);
  if (job != nullptr && job->has_elements()) return ElementsStop(job->elements(), held);
  if (held.gpus > 0)
    return fmt::format("{} on {} {} now", Count(held.gpus, "GPU"),
                       Count(static_cast<int64_t>(held.nodes.size()), "node"),
                       Verb(held.gpus, "stops", "stop"));
  if (job == nullptr || job->state() == v1::RUNNING) return "its processes stop now";
  return "it leaves the queue and never starts";
}

std::set<std::string> JobsAt(const v1::Cluster& cluster, const std::string& place) {
  v1::ChangeServiceRequest request;
  NameTarget(place, request);
  std::set<std::string> jobs;
  for (const FoundGpu& target : ServiceTargets(cluster, request)) {
    for (const v1::Holder& holder : target.gpu->holders()) jobs.insert(holder.job_id());
  }
  return jobs;
}

}  // namespace

const v1::Job* FindJob(const WatchData& data, const std::string& id) {
  const auto found = std::ranges::find(data.jobs, id, &v1::Job::id);
  return found == data.jobs.end() ? nullptr : &*found;
}

std::string CancelQuestion(const WatchData& data, const std::string& id) {
  return "cancel " + Titled(data, id) + ": " + WhatStops(data, id);
}

std::string HoldQuestion(const WatchData& data, const std::string& id) {
  return "hold " + Titled(data, id) + ": it does not start until somebody releases it";
}

std::string ReleaseQuestion(const WatchData& data, const std::string& id) {
  return "release " + Titled(data, id) + ": it starts when its turn comes";
}

std::string DrainQuestion(const WatchData& data, const std::string& place) {
  const auto jobs = static_cast<int64_t>(JobsAt(data.cluster, place).size());
  const std::string rest =
      jobs == 0 ? "nothing runs there"
                : Count(jobs, "job") + Verb(jobs, " runs on to its end", " run on to their ends");
  return "drain " + place + ": nothing new starts there, " + rest;
}

std::string OnlineQuestion(const std::string& place) {
  return "return " + place + " to service: jobs start there again after a test";
}

bool IsOutOfService(const WatchData& data, const std::string& place) {
  const auto is_out = [](const v1::Gpu* gpu) {
    return gpu->draining() || gpu->state() == v1::OFFLINE || gpu->state() == v1::DEGRADED;
  };
  v1::ChangeServiceRequest request;
  NameTarget(place, request);
  const std::vector<FoundGpu> targets = ServiceTargets(data.cluster, request);
  const bool drains = std::ranges::any_of(data.cluster.nodes(), [&](const v1::Node& node) {
    return node.name() == place && node.draining();
  });
  return drains || (!targets.empty() && std::ranges::all_of(targets, is_out, &FoundGpu::gpu));
}

}  // namespace gp
