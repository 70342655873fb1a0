#include "experiments/scale/scale_experiment.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/ignore_result.h"
#include "base/percentile.h"
#include "base/rng.h"
#include "domain/explaining/explain.h"
#include "domain/explaining/forecast.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/scheduling/reasons/why_no_place.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

constexpr int kLargeGangGpus = 512;
constexpr int kInterruptingGpus = 64;
constexpr int kLow = 250;
constexpr int kHigh = 900;
constexpr char kImage[] = "oci:/images/train:v1";

double MicrosecondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

int64_t ResidentMib() {
  long pages = 0;
  long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * 4096 / (1 << 20);
}

struct Kind {
  int gpus;  // per node
  int nodes;
  int weight;
  const char* name;
};
// Most jobs are small, as in every recorded workload; large ones hold most of the GPUs.
constexpr Kind kKinds[] = {{1, 1, 55, "1 GPU"},  {2, 1, 15, "2 GPUs"}, {4, 1, 15, "4 GPUs"},
                           {8, 1, 10, "8 GPUs"}, {8, 2, 4, "2 nodes"}, {8, 8, 1, "8 nodes"}};

const Kind& Draw(Rng& rng) {
  int at = static_cast<int>(rng.Below(100));
  for (const Kind& kind : kKinds) {
    if ((at -= kind.weight) < 0) return kind;
  }
  return kKinds[0];
}

std::shared_ptr<const JobSpec> SpecOf(int gpus, int nodes, int cpus = 0, int64_t memory_bytes = 0) {
  auto spec = std::make_shared<JobSpec>();
  spec->resources.gpus.count = gpus;
  spec->resources.nodes = nodes;
  spec->resources.cpus = cpus;
  spec->resources.memory_bytes = memory_bytes;
  spec->program.command = {"train"};
  spec->policy.priority = kLow;
  return spec;
}

std::shared_ptr<const JobSpec> WithPriority(const JobSpec& base, int priority, bool preemptible) {
  auto spec = std::make_shared<JobSpec>(base);
  spec->policy.priority = priority;
  spec->policy.preemptible = preemptible;
  return spec;
}

class ScaleExperiment {
 public:
  explicit ScaleExperiment(const ScaleOptions& options) : options_(options), rng_(options.seed) {}

  ScaleResult Run() {
    for (int i = 0; i < options_.nodes; ++i) engine_.AddNode(PlainNode(i, options_.gpus_per_node));
    if (options_.with_image) GiveImage();
    engine_.Pass();  // a running controller knows its nodes
    result_.gang512_ms = TimeLargeGang();
    while (gpus_used_ * 100 < Capacity() * options_.fill_percent && PlaceOne(nullptr)) {
    }
    for (int i = 0; i < options_.decisions; ++i) {
      while (gpus_used_ * 100 > Capacity() * options_.fill_percent) FinishAny();
      PlaceOne(&times_);
    }
    Summarize();
    TimeRefusal();
    TimePreemption();
    if (options_.queued > 0) TimeQueue();
    // Before TimeForecast, whose copy a controller of this size does not make.
    result_.rss_mib = ResidentMib();
    TimeForecast();
    result_.classes = static_cast<int64_t>(engine_.planner().classes().size());
    return result_;
  }

 private:
  using Times = std::map<std::string, std::vector<double>>;

  // Every second node has the image of all jobs.
  void GiveImage() {
    for (const Node& node : std::vector<Node>(engine_.state().nodes.all)) {
      if (node.id.value % 2 == 0) continue;
      const ReportNode report{node.id, node.incarnation, {}, {}, {{ImageKey(kImage)}}};
      GP_ASSERT(engine_.Execute(report).has_value(), "a node reports its images");
    }
  }

  std::shared_ptr<const JobSpec> WithImage(std::shared_ptr<const JobSpec> spec) const {
    if (!options_.with_image) return spec;
    auto with_image = std::make_shared<JobSpec>(*spec);
    with_image->program.image = kImage;
    return with_image;
  }

  int64_t Capacity() const { return int64_t{options_.nodes} * options_.gpus_per_node; }

  // False: the job did not fit; it is cancelled then.
  bool PlaceOne(Times* times) {
    const Kind& kind = Draw(rng_);
    const int gpus = std::min(kind.gpus, options_.gpus_per_node);
    // Three of four jobs are preemptible.
    const auto spec = WithPriority(*SpecOf(gpus, kind.nodes), kLow, rng_.Below(4) != 0);
    const JobId job = *engine_.Submit(WithImage(spec), user_);
    size_t placed = 0;
    const double us = MicrosecondsOf([&] { placed = engine_.Pass().Placements().size(); });
    if (placed == 0) {
      GP_ASSERT(engine_.Execute(StopJob{job, true}).has_value(), "a waiting job can be cancelled");
      return false;
    }
    if (times != nullptr) {
      (*times)[""].push_back(us);
      (*times)[kind.name].push_back(us);
    }
    engine_.Start(job);
    running_.push_back({job, gpus * kind.nodes});
    gpus_used_ += gpus * kind.nodes;
    return true;
  }

  void FinishAny() {
    std::swap(running_[rng_.Below(running_.size())], running_.back());
    engine_.Finish(running_.back().first);
    gpus_used_ -= running_.back().second;
    running_.pop_back();
  }

  double TimeLargeGang() {
    const int ranks = kLargeGangGpus / options_.gpus_per_node;
    if (ranks > options_.nodes) return 0;
    const JobId job = *engine_.Submit(SpecOf(options_.gpus_per_node, ranks), user_);
    const double us = MicrosecondsOf([this] { engine_.Pass(); });
    engine_.Start(job);
    engine_.Finish(job);
    return us / 1e3;
  }

  // The cluster is so full that no 512 GPUs are free on whole nodes.
  void TimeRefusal() {
    while (PlaceOne(nullptr)) {
    }
    const JobId job = *engine_.Submit(
        SpecOf(options_.gpus_per_node, kLargeGangGpus / options_.gpus_per_node), user_);
    result_.refusal_us = MicrosecondsOf([&] {
      GP_ASSERT(engine_.Pass().Placements().empty(), "a full cluster refuses a large gang");
      IgnoreResult(
          WhyNoPlace(engine_.state(), engine_.planner().classes(), *engine_.state().FindJob(job)),
          "only its time is measured");
    });
    result_.explain_ms =
        MicrosecondsOf([&] {
          IgnoreResult(Explain(engine_.state(), engine_.now(), *engine_.state().FindJob(job)),
                       "only its time is measured");
        }) /
        1e3;
  }

  // A gang preempts jobs of a lower priority class.
  void TimePreemption() {
    engine_.AdvanceTo(engine_.now() + engine_.state().policy.min_run);
    const int ranks = kInterruptingGpus / options_.gpus_per_node;
    if (ranks > options_.nodes) return;
    IgnoreResult(
        engine_.Submit(WithPriority(*SpecOf(options_.gpus_per_node, ranks), kHigh, false), user_),
        "a refusal is part of the experiment");
    bool preempts = false;  // a small cluster may have too few victims
    const double us = MicrosecondsOf([&] { preempts = !engine_.Pass().steps.empty(); });
    if (preempts) result_.preempt64_ms = us / 1e3;
  }

  // A few jobs end first, one after the other, to provide lengths for the others.
  void TimeForecast() {
    for (size_t i = std::min<size_t>(running_.size() / 8, 200); i > 0; --i) {
      engine_.AdvanceTo(engine_.now() + Duration::Seconds(10));
      FinishAny();
    }
    const JobId job = *engine_.Submit(
        SpecOf(options_.gpus_per_node, kLargeGangGpus / options_.gpus_per_node), user_);
    engine_.Pass();
    if (HoldsLeases(engine_.state().FindJob(job)->state)) return;
    Present present;
    result_.present_ms = MicrosecondsOf([&] { present = TakePresent(engine_.state()); }) / 1e3;
    result_.forecast_ms =
        MicrosecondsOf([&] {
          IgnoreResult(ForecastStart(present, Lengths(present.past), engine_.now(), job),
                       "only its time is measured");
        }) /
        1e3;
  }

  void TimeQueue() {
    std::vector<std::shared_ptr<const JobSpec>> specs;
    for (int i = 0; i < options_.shapes; ++i)
      specs.push_back(
          SpecOf(options_.gpus_per_node, 1, 1 + i % 100, (1 + i / 100) * (int64_t{1} << 30)));
    for (int64_t i = 0; i < options_.queued; ++i) {
      IgnoreResult(engine_.Submit(specs[static_cast<size_t>(i) % specs.size()], user_),
                   "a refusal is part of the experiment");
    }
    engine_.Pass();
    result_.queued_pass_ms = MicrosecondsOf([this] { engine_.Pass(); }) / 1e3;
  }

  static ScaleResult::Times Digest(const std::vector<double>& us) {
    return {static_cast<int64_t>(us.size()), Percentile(us, 50), Percentile(us, 99),
            Percentile(us, 100)};
  }

  void Summarize() {
    double sum_us = 0;
    for (const double us : times_[""]) sum_us += us;
    if (sum_us > 0)
      result_.placements_per_s = static_cast<double>(times_[""].size()) / sum_us * 1e6;
    for (auto& [name, us] : times_)
      (name.empty() ? result_.decision : result_.by_class[name]) = Digest(us);
    result_.gpus_used_percent =
        100.0 * static_cast<double>(gpus_used_) / static_cast<double>(Capacity());
  }

  const ScaleOptions options_;
  Rng rng_;
  Engine engine_;
  const User user_{"ana", 1'000, 1'000};
  std::vector<std::pair<JobId, int>> running_;
  int64_t gpus_used_ = 0;
  Times times_;
  ScaleResult result_;
};

}  // namespace

ScaleResult RunScale(const ScaleOptions& options) { return ScaleExperiment(options).Run(); }

}  // namespace gp
