#include "tests/golden/table_runner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/nodes/verdict.h"
#include "domain/defragmenting/find_moves.h"
#include "domain/model/jobs/dependency.h"
#include "domain/placement/weighted_cost.h"
#include "domain/scheduling/reasons/why_pending.h"
#include "tests/support/event_text.h"
#include "tests/support/mig_models.h"

namespace gp {

std::string TableRunner::Line::Option(const std::string& key, const std::string& otherwise) const {
  return Has(key) ? options.at(key) : otherwise;
}

int TableRunner::Line::Number(const std::string& key, int otherwise) const {
  return Has(key) ? std::stoi(options.at(key)) : otherwise;
}

bool TableRunner::Line::Has(const std::string& key) const {
  read_.insert(key);
  return options.contains(key);
}

std::string TableRunner::Line::Unread() const {
  const auto unread = std::ranges::find_if(
      options, [&](const auto& option) { return !read_.contains(option.first); });
  return unread == options.end() ? "" : unread->first;
}

TableRunner::Line TableRunner::Parse(const std::string& command) {
  Line line;
  for (const std::string& word : Split(command, ' ')) {
    const size_t equals = word.find('=');
    if (word.empty()) continue;
    if (line.verb.empty()) {
      line.verb = word;
    } else if (equals == std::string::npos) {
      line.words.push_back(word);
    } else {
      line.options[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return line;
}

TableRunner::Target TableRunner::TargetOf(const std::string& text) const {
  const size_t bracket = text.find('[');
  Target target{cluster_.state().nodes.by_name.at(text.substr(0, bracket)), -1};
  if (bracket != std::string::npos) target.gpu = std::stoi(text.substr(bracket + 1));
  return target;
}

std::string TableRunner::OutcomeText(const Result<std::vector<Event>>& events,
                                     const State& before) const {
  if (!events)
    return "=> " + std::string(ErrorCodeName(events.error().code)) + ": " + events.error().message;
  std::string text;
  for (const Event& event : *events)
    text += (text.empty() ? "" : ", ") + EventText(before, event, names_);
  return "-> " + (text.empty() ? "nothing" : text);
}

std::string TableRunner::Tell(const Command& command, const std::string& request_id) {
  const State before = cluster_.state();
  return OutcomeText(cluster_.Execute(command, request_id), before);
}

NodeFacts TableRunner::FactsFrom(const Line& line) {
  std::vector<int> numa;
  for (const std::string& part : Split(line.Option("numa", "0,0,0,0,1,1,1,1"), ','))
    numa.push_back(std::stoi(part));
  if (line.Number("gpus", 1) == 0) numa.clear();
  NodeFacts facts = TestCluster::MakeFacts(line.words[0], numa, line.Number("links", 18),
                                           line.Number("memory", 81'559), line.Number("cpus", 48),
                                           line.Option("model", "NVIDIA-H100"));
  for (GpuFacts& gpu : facts.gpus) gpu.mps = line.Option("mps", "no") == "yes";
  const std::vector<std::string> divided = Split(line.Option("mig", ""), ',');
  for (size_t i = 0; i < facts.gpus.size() && i < divided.size(); ++i) {
    if (divided[i] == "a100") facts.gpus[i].mig = A100Mig();
    if (divided[i] == "unknown") facts.gpus[i].mig = {1, 1, {}};
  }
  return facts;
}

std::string TableRunner::Node(const Line& line) {
  cluster_.AddNode(FactsFrom(line), static_cast<uint64_t>(line.Number("incarnation", 1)));
  return "-> node-joined " + line.words[0];
}

// What its agent reports: GPUs that are there, named as "n1-0" for "GPU-n1-0" in the order of the
// machine's list.  Those that are new to the node are like its first.
NodeFacts Reported(const NodeFacts& known, const std::vector<std::string>& names) {
  NodeFacts facts = known;
  facts.gpus.clear();
  for (const std::string& name : names) {
    const int before = known.PositionOf("GPU-" + name);
    GpuFacts gpu = known.gpus[static_cast<size_t>(std::max(before, 0))];
    gpu.uuid = "GPU-" + name;
    gpu.minor = static_cast<int>(facts.gpus.size());
    gpu.presence = GpuPresence::kPresent;
    facts.gpus.push_back(std::move(gpu));
  }
  facts.links.assign(names.size() * names.size(), 18);
  for (size_t i = 0; i < names.size(); ++i) facts.links[i * names.size() + i] = 0;
  return facts;
}

std::vector<std::string> NamesOf(const std::string& list) {
  return list.empty() ? std::vector<std::string>() : Split(list, ',');
}

std::vector<std::string> PresentGpus(const NodeFacts& facts) {
  std::vector<std::string> names;
  for (const GpuFacts& gpu : facts.gpus) {
    if (gpu.presence == GpuPresence::kPresent) names.push_back(gpu.uuid.substr(4));
  }
  return names;
}

// "rejoin n1 [fresh] [incarnation=N] [numa=…] [gpus=n1-1,x-7] [machine=M]": its agent comes back,
// with what it has seen.
std::string TableRunner::Rejoin(const Line& line) {
  const NodeId id = TargetOf(line.words[0]).node;
  const gp::Node& node = *cluster_.state().FindNode(id);
  JoinNode join;
  NodeFacts facts = line.Has("numa") ? FactsFrom(line) : *node.facts;
  const bool is_changed = line.Has("gpus") || PresentGpus(facts).size() != facts.gpus.size();
  if (is_changed)
    facts =
        Reported(facts, line.Has("gpus") ? NamesOf(line.Option("gpus", "")) : PresentGpus(facts));
  facts.machine = line.Option("machine", facts.machine);
  join.facts = std::make_shared<const NodeFacts>(std::move(facts));
  join.incarnation =
      static_cast<uint64_t>(line.Number("incarnation", static_cast<int>(node.incarnation) + 1));
  join.fresh = line.words.size() > 1 && line.words[1] == "fresh";
  if (!join.fresh) join.leases = SeenOn(id);
  return Tell(join);
}

// "spread:1,numa:10"
PlacementWeights WeightsFrom(const std::string& text) {
  PlacementWeights weights;
  for (const std::string& part : Split(text, ',')) {
    const std::vector<std::string> words = Split(part, ':');
    const auto cost = std::ranges::find(PlacementCosts(), words.front(), &PlacementCost::name);
    EXPECT_TRUE(cost != PlacementCosts().end() && words.size() == 2) << part;
    if (cost != PlacementCosts().end() && words.size() == 2)
      weights.*cost->weight = std::stoi(words[1]);
  }
  return weights;
}

// "restart [lease_end=S] [faults=N] [kept=N] [weigh=NAME:WEIGHT,… [weigh_pool=POOL]]": a controller
// with this policy.
std::string TableRunner::Restart(const Line& line) {
  Policy policy = cluster_.state().policy;
  if (line.Has("lease_end")) policy.lease_end_time = Duration::Seconds(line.Number("lease_end", 0));
  policy.faults_max = line.Number("faults", policy.faults_max);
  policy.reserve_after = Duration::Seconds(
      line.Number("reserve_after", static_cast<int>(policy.reserve_after.ToSeconds())));
  policy.jobs_kept = line.Number("kept", policy.jobs_kept);
  policy.faults.lemon_failures = line.Number("lemons", policy.faults.lemon_failures);
  policy.reclaim_grace = Duration::Seconds(line.Number("reclaim_grace", 300));
  policy.class_floor = line.Number("floor", policy.class_floor);
  policy.usage_period = Duration::Seconds(line.Number("period", 30 * 24 * 3600));
  policy.move_interval = Duration::Seconds(line.Number("move_interval", 3600));
  policy.moves_per_hour = line.Number("moves", policy.moves_per_hour);
  if (line.Has("weigh"))
    policy.placement[line.Option("weigh_pool", kEveryPool)] = WeightsFrom(line.Option("weigh", ""));
  policy.min_run = Duration::Seconds(
      line.Number("min_run", static_cast<int>(policy.min_run.ns / 1'000'000'000)));
  return Tell(StartController{policy});
}

// "policy [kept=N] [kept_for=S] [warn=S] [stop=S] [below=P] [lease=S]": of the controller that
// runs.
std::string TableRunner::Repolicy(const Line& line) {
  Policy policy = cluster_.state().policy;
  policy.jobs_kept = line.Number("kept", policy.jobs_kept);
  policy.jobs_kept_for = Duration::Seconds(line.Number("kept_for", 0));
  if (line.Has("lease")) policy.lease_time = Duration::Seconds(line.Number("lease", 0));
  UnderUseRule& rule = policy.under_use.medium;
  rule.below_percent = line.Number("below", rule.below_percent);
  rule.warn_after = Duration::Seconds(
      line.Number("warn", static_cast<int>(rule.warn_after.ToMilliseconds() / 1000)));
  rule.stop_after = Duration::Seconds(
      line.Number("stop", static_cast<int>(rule.stop_after.ToMilliseconds() / 1000)));
  return Tell(SetPolicy{policy});
}

std::string TableRunner::Why(const Line& line) const {
  const PendingReason why = WhyPending(cluster_.state(), cluster_.now(),
                                       *cluster_.state().FindJob(jobs_.at(line.words[0])));
  return "-> " + why.code + ": " + why.text;
}

// Why its last attempt is where it is.
std::string TableRunner::Placed(const Line& line) const {
  const Job& job = *cluster_.state().FindJob(jobs_.at(line.words[0]));
  return "-> " + (job.attempts.empty() ? "nowhere" : job.attempts.back().placement);
}

// "j1" or "j1:ended"
Dependency TableRunner::DependencyFrom(const std::string& text) const {
  const std::vector<std::string> parts = Split(text, ':');
  const auto job = jobs_.find(parts[0]);
  Dependency dependency{job == jobs_.end() ? JobId{9999} : job->second, AfterKind::kOk};
  for (const AfterKind kind : {AfterKind::kEnded, AfterKind::kStarted, AfterKind::kFailed}) {
    if (parts.size() > 1 && parts[1] == Name(kind)) dependency.kind = kind;
  }
  return dependency;
}

// "GPUSxNODES" or "GPUSxNODES:MODEL"
Alternative TableRunner::AlternativeFrom(const std::string& text) {
  const std::vector<std::string> parts = Split(text, ':');
  const std::vector<std::string> counts = Split(parts[0], 'x');
  Alternative alternative;
  alternative.gpus.count = std::stoi(counts[0]);
  if (counts.size() > 1) alternative.nodes = std::stoi(counts[1]);
  if (parts.size() > 1) alternative.gpus.models = {parts[1]};
  return alternative;
}

// "COUNT" or "COUNT%PARALLEL"
ArrayRequest TableRunner::ArrayFrom(const std::string& text) {
  const std::vector<std::string> parts = Split(text, '%');
  return {std::stoi(parts[0]), parts.size() > 1 ? std::stoi(parts[1]) : 0};
}

std::string TableRunner::Submit(const Line& line) {
  JobSpec spec;
  spec.name = line.words[0];
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = line.Number("gpus", 1);
  spec.resources.gpus.share_thousandths = line.Number("share", kWholeShare);
  spec.resources.gpus.memory_mib = line.Number("mem", 0);
  if (line.Has("share") || line.Has("mem")) spec.resources.gpus.isolation = Isolation::kTimeslice;
  if (line.Has("model")) spec.resources.gpus.models = {line.Option("model", "")};
  for (const std::string& text : Split(line.Option("or", ""), ',')) {
    if (!text.empty()) spec.resources.any_of.push_back(AlternativeFrom(text));
  }
  if (line.Option("isolation", "") == "mps") spec.resources.gpus.isolation = Isolation::kMps;
  if (line.Option("isolation", "") == "mig") spec.resources.gpus.isolation = Isolation::kMig;
  spec.resources.gpus.memory_mib_min = line.Number("mem_min", 0);
  spec.resources.nodes = line.Number("nodes", 1);
  spec.resources.nodes_min = line.Number("nodes_min", 0);
  spec.resources.cpus = line.Number("cpus", 0);
  spec.policy.priority = line.Number("priority", 500);
  spec.policy.preemptible = line.Option("preemptible", "no") == "yes";
  spec.policy.movable = line.Option("movable", "no") == "yes";
  spec.policy.grace = Duration::Seconds(line.Number("grace", 30));
  spec.policy.queue = line.Option("queue", "");
  spec.project = line.Option("project", "default");
  spec.placement.reservation = line.Option("reservation", "");
  for (const std::string& text : Split(line.Option("after", ""), ',')) {
    if (!text.empty()) spec.policy.after.push_back(DependencyFrom(text));
  }
  if (line.Has("zone")) spec.placement.node_labels = {{"zone", line.Option("zone", "")}};
  spec.policy.time_limit = Duration::Seconds(line.Number("limit", 0));
  spec.placement.topology.allow_cross_numa = line.Option("cross", "yes") == "yes";
  spec.placement.topology.network_levels = line.Number("levels", 0);
  if (line.Option("require", "") == "same_numa")
    spec.placement.topology.require = TopologyLevel::kSameNuma;
  if (line.Option("require", "") == "nvlink")
    spec.placement.topology.require = TopologyLevel::kNvlink;
  if (line.Option("prefer", "") == "nvlink")
    spec.placement.topology.prefer = TopologyLevel::kNvlink;
  spec.recovery.retry.on_failure = line.Has("retry");
  spec.recovery.retry.retries_max = line.Number("retry", 3);
  if (line.Option("on_loss", "") == "stop") spec.recovery.on_lease_loss = LeaseLoss::kStop;
  if (line.Option("on_loss", "") == "continue") spec.recovery.on_lease_loss = LeaseLoss::kContinue;
  spec.recovery.hang_after = Duration::Seconds(line.Number("hang", 0));
  for (const MetricAction action :
       {MetricAction::kStop, MetricAction::kRestart, MetricAction::kComplete}) {
    if (line.Has("on_metric")) spec.recovery.on_metric.push_back({"loss is nan", action});
  }
  spec.program.image = line.Option("image", "");
  if (line.Has("rule")) {
    spec.recovery.on_log = {{"pattern", line.Option("rule", "") == "exclude"
                                            ? LogAction::kExcludeNode
                                            : LogAction::kStopRetries}};
  }
  if (line.Has("array")) spec.policy.array = ArrayFrom(line.Option("array", ""));
  const JobId next{cluster_.state().jobs.last + 1};
  names_[next] = spec.name;
  const User user{line.Option("user", "ana"), 1000, 1000};
  const std::string outcome =
      Tell(SubmitJob{std::make_shared<const JobSpec>(spec), user}, line.Option("request", ""));
  if (cluster_.state().jobs.last < next.value) {
    names_.erase(next);
    return outcome;
  }
  jobs_[spec.name] = next;
  for (int index = 0; index < spec.policy.array.count; ++index) {
    const JobId element = ElementId(next, index);
    names_[element] = spec.name + "[" + std::to_string(index) + "]";
    jobs_[names_[element]] = element;
  }
  return outcome;
}

// "queue NAME [pool=P] [weight=N] [guaranteed=N] [reclaimable=no] [gpus=N] [jobs=N] [hours=N]
// [user_gpus=N] [user_jobs=N] [default_time=S] [max_time=S]"
std::string TableRunner::Queue(const Line& line) {
  SetQueue set;
  set.name = line.words[0];
  const auto number = [&](const char* key) -> std::optional<int64_t> {
    return line.Has(key) ? std::optional<int64_t>(line.Number(key, 0)) : std::nullopt;
  };
  if (line.Has("pool")) set.pool = line.Option("pool", "");
  if (line.Has("weight")) set.weight = line.Number("weight", 1);
  if (line.Has("reclaimable")) set.reclaimable = line.Option("reclaimable", "") == "yes";
  set.guaranteed = number("guaranteed");
  set.limit = {number("gpus"), number("jobs"), number("hours"), number("cpus"), number("memory")};
  set.user_limit = {number("user_gpus"), number("user_jobs"), number("user_hours"),
                    number("user_cpus"), number("user_memory")};
  set.min_gpus = number("min_gpus");
  if (const auto time = number("default_time")) set.default_time = Duration::Seconds(*time);
  if (const auto time = number("max_time")) set.max_time = Duration::Seconds(*time);
  if (const auto time = number("wait_target")) set.wait_target = Duration::Seconds(*time);
  return Tell(set);
}

// "reserve NAME [nodes=n1,n2] [count=N] [start=SECONDS] [for=SECONDS] [users=ana] [queues=PATH]
// [pool=P]"
std::string TableRunner::Reserve(const Line& line) {
  const auto list = [&](const char* key) {
    const std::string text = line.Option(key, "");
    return text.empty() ? std::vector<std::string>{} : Split(text, ',');
  };
  ReserveNodes reserve;
  Reservation& wanted = reserve.reservation;
  wanted.name = line.words[0];
  wanted.pool = line.Option("pool", kDefaultPool);
  for (const std::string& node : list("nodes")) wanted.nodes.push_back(TargetOf(node).node);
  wanted.starts_at = cluster_.now() + Duration::Seconds(line.Number("start", 0));
  wanted.ends_at = wanted.starts_at + Duration::Seconds(line.Number("for", 3600));
  wanted.users = list("users");
  wanted.queues = list("queues");
  wanted.maintenance = line.Has("maintenance");
  reserve.count = line.Number("count", 0);
  return Tell(reserve);
}

// "role ana operator|- [queue=PATH]"
std::string TableRunner::Grant(const Line& line) {
  GrantRole grant{line.words[0], line.Option("queue", ""), std::nullopt};
  if (line.words[1] != "-") grant.role = ParseRole(line.words[1]).value();
  return Tell(grant);
}

// "token ana life=60s [role=user] [queue=PATH] [secret=0]"
std::string TableRunner::Issue(const Line& line) {
  AccessToken token;
  token.label = "table";
  token.user = {line.words[0], static_cast<uint32_t>(line.words[0].front()), 100};
  token.most = ParseRole(line.Option("role", "user")).value();
  token.queue = line.Option("queue", "");
  token.hash = std::string(kTokenHashLength, line.Option("secret", "0").front());
  token.expires_at = cluster_.now() + ParseDuration(line.Option("life", "60s")).value();
  return Tell(IssueToken{token});
}

// "join-token n1 secret=a life=30s"
std::string TableRunner::IssueJoin(const Line& line) {
  const std::string hash(kTokenHashLength, line.Option("secret", "a").front());
  const Duration life = ParseDuration(line.Option("life", "30s")).value();
  return Tell(IssueJoinToken{line.words[0], {hash, cluster_.now() + life, ""}});
}

// "certify n1 secret=a life=60s [shown=b] [token=c]"
std::string TableRunner::Certify(const Line& line) {
  CertifyNode command{line.words[0], {}, ""};
  command.certificate.fingerprint =
      std::string(kFingerprintLength, line.Option("secret", "a").front());
  command.certificate.expires_at =
      cluster_.now() + ParseDuration(line.Option("life", "60s")).value();
  if (const std::string shown = line.Option("shown", ""); !shown.empty())
    command.shown = std::string(kFingerprintLength, shown.front());
  if (const std::string token = line.Option("token", ""); !token.empty())
    command.join_token = std::string(kTokenHashLength, token.front());
  return Tell(command);
}

// "set n1 [pool=P] [zone=Z]"
std::string TableRunner::ChangeNode(const Line& line) {
  gp::ChangeNode change{TargetOf(line.words[0]).node, {}, {}, {}};
  if (line.Has("pool")) change.pool = line.Option("pool", "");
  for (const char* label : {"zone", "network"}) {
    if (line.Has(label)) change.labels[label] = line.Option(label, "");
  }
  return Tell(change);
}

std::vector<LeaseObservation> TableRunner::SeenOn(NodeId node) const {
  std::vector<LeaseObservation> seen;
  for (const LeaseId id : cluster_.state().FindNode(node)->leases) {
    if (seen_.contains(id)) seen.push_back(seen_.at(id));
  }
  return seen;
}

std::string TableRunner::ReportFrom(NodeId node, std::vector<GpuObservation> gpus,
                                    uint64_t incarnation) {
  if (incarnation == 0) incarnation = cluster_.state().FindNode(node)->incarnation;
  return Tell(ReportNode{node, incarnation, SeenOn(node), std::move(gpus)});
}

// "run j1 [n1]", "exit j1 CODE [n1]", "end j1 CAUSE [n1]": seen on all its nodes, or on one.
std::string TableRunner::Observe(const Line& line, bool running, bool ended) {
  const Job& job = *cluster_.state().FindJob(jobs_.at(line.words[0]));
  const size_t node_word = ended ? 2 : 1;
  std::vector<NodeId> nodes;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *cluster_.state().FindLease(id);
    if (line.words.size() > node_word && TargetOf(line.words[node_word]).node != lease.node)
      continue;
    LeaseObservation& seen = seen_[id];
    seen.lease = id;
    seen.running = running;
    seen.ended = ended;
    if (seen.started_at.ns == 0 && (running || line.verb == "exit"))
      seen.started_at = cluster_.now();
    if (line.verb == "exit") {
      const int code = std::stoi(line.words[1]);
      seen.outcome = code < 0 ? LeaseOutcome{LeaseEnd::kExited, 0, -code, ""}
                              : LeaseOutcome{LeaseEnd::kExited, code, 0, ""};
    } else if (ended) {
      for (int end = 0; end <= static_cast<int>(LeaseEnd::kPlatformFault); ++end) {
        if (line.words[1] == Name(static_cast<LeaseEnd>(end)))
          seen.outcome = {static_cast<LeaseEnd>(end), 0, 0, ""};
      }
    }
    if (ended) AddClues(line, seen.outcome.clues);
    if (ended && line.Has("metric")) MeetMetricRule(line.Number("metric", 0), seen);
    nodes.push_back(lease.node);
  }
  return ReportFromAll(nodes);
}

std::string TableRunner::ReportFromAll(const std::vector<NodeId>& nodes) {
  std::string outcome;
  for (const NodeId node : nodes) {
    if (!outcome.empty()) outcome += " ";
    outcome += ReportFrom(node);
  }
  return outcome.empty() ? "-> nothing" : outcome;
}

// "gpu n1[2] lost|sick|ok"
std::string TableRunner::ObserveGpu(const Line& line) {
  const Target target = TargetOf(line.words[0]);
  const auto trouble = cluster_.state().faults.troubles.find({target.node, target.gpu});
  const bool is_tested =
      trouble != cluster_.state().faults.troubles.end() && trouble->second.task == GpuTask::kTest;
  // As it is, so the node's test finds it
  if (is_tested && line.words[1] != "lost") return EndTask(line);
  return ReportFrom(target.node,
                    {{target.gpu, line.words[1] == "ok", line.words[1] == "lost", line.words[1]}});
}

// "reads n1[2] [ecc-uncorrected=3] [nvlink-down=17] …": what its readings say; nothing: it is well
std::string TableRunner::ReadGpu(const Line& line) {
  const Target target = TargetOf(line.words[0]);
  GpuObservation seen{target.gpu, line.options.empty(), false, "", {}};
  for (int i = 0; i < kHealthCodes; ++i) {
    const auto code = static_cast<HealthCode>(i);
    if (const int value = line.Number(Name(code), -1); value >= 0)
      seen.findings.push_back({code, value, code == HealthCode::kLinkDown ? 18 : 0});
  }
  return ReportFrom(target.node, {seen});
}

std::string TableRunner::Service(const Line& line, ServiceAction action) {
  const Target target = TargetOf(line.words[0]);
  const bool force = line.words.size() > 1 && line.words[1] == "force";
  return Tell(ChangeService{target.node, target.gpu, action, force, "table",
                            Duration::Seconds(line.Number("deadline", 0))});
}

// "xid n1[2] 79 [job=j1] [advice=gpu-reset] [told=node-reboot] [soft] [number=1]", "lost n1[2]",
// "hot n1[2]", "critical n1[2]", "advises n1[2] node-reboot", "sxid n1 20034 [soft]", "lost n1": of
// a GPU that the node does not have
std::string TableRunner::Fault(const Line& line) {
  const Target target = TargetOf(line.words[0]);
  const gp::Node& node = *cluster_.state().FindNode(target.node);
  FaultSignal signal;
  const int number = line.Number("number", 0);  // one that was reported before
  signal.number = number > 0 ? static_cast<uint64_t>(number) : ++signals_;
  signal.gpu = target.gpu;
  signal.at = cluster_.now();
  if (line.verb == "xid") {
    signal.xid = std::stoi(line.words[1]);
    signal.is_fatal = line.words.size() < 3 || line.words[2] != "soft";
    signal.is_of_peer = line.words.size() > 2 && line.words[2] == "peer";
    signal.advice = *ParseDriverAdvice(line.Option("advice", "unknown"));
    signal.reported = *ParseDriverAdvice(line.Option("told", "unknown"));
    const std::string job = line.Option("job", "");
    for (const LeaseId id : node.leases) {
      if (!job.empty() && cluster_.state().FindLease(id)->job == jobs_.at(job)) signal.lease = id;
    }
  } else if (line.verb == "sxid") {
    signal.kind = SignalKind::kFabric;
    signal.xid = std::stoi(line.words[1]);
    signal.is_fatal = line.words.size() < 3;
  } else if (line.verb == "advises") {
    signal.kind = SignalKind::kAdvice;
    signal.advice = *ParseDriverAdvice(line.words[1]);
  } else {
    signal.kind = line.verb == "hot"        ? SignalKind::kHot
                  : line.verb == "critical" ? SignalKind::kCritical
                                            : SignalKind::kLost;
  }
  return Tell(ReportGpus{target.node, node.incarnation, {signal}, {}});
}

// "task n1[2] ok|failed": how the task ended that the GPU has.
std::string TableRunner::EndTask(const Line& line) {
  const Target target = TargetOf(line.words[0]);
  const gp::Node& node = *cluster_.state().FindNode(target.node);
  const auto trouble = cluster_.state().faults.troubles.find({target.node, target.gpu});
  const uint64_t number =
      trouble == cluster_.state().faults.troubles.end() ? 0 : trouble->second.task_number;
  const bool ok = line.words[1] == "ok";
  return Tell(ReportGpus{
      target.node, node.incarnation, {}, {{target.gpu, number, ok, ok ? "" : "it is broken"}}});
}

std::string TableRunner::Wait(const Line& line) {
  cluster_.Advance(ParseDuration(line.words[0]).value());
  return Tell(Tick{});
}

// All moves that are worth it are ordered.
std::string TableRunner::Defragment() {
  std::string outcome;
  for (const MovePlan& plan : PlanMoves(cluster_.state(), cluster_.now()))
    outcome += (outcome.empty() ? "" : " ") + Tell(plan.moves);
  return outcome.empty() ? "-> nothing" : outcome;
}

std::string TableRunner::Show() const {
  std::string text;
  for (const auto& [name, id] : jobs_) {
    if (cluster_.state().jobs.arrays.contains(id)) continue;  // told by its elements
    const Job* job = cluster_.state().FindJob(id);
    text +=
        (text.empty() ? "" : ", ") + name + " " + (job == nullptr ? "forgotten" : Name(job->state));
  }
  return "-> " + text;
}

// Each position of the node: "0 n1-0 AVAILABLE draining remedy reset".
std::string TableRunner::ShowGpus(const std::string& name) const {
  const NodeId id = TargetOf(name).node;
  const gp::Node& node = *cluster_.state().FindNode(id);
  std::string text;
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const GpuFacts& facts = node.facts->gpus[i];
    const auto trouble = cluster_.state().faults.troubles.find({id, static_cast<int>(i)});
    text += (text.empty() ? "" : ", ") + std::to_string(i) + " " + facts.uuid.substr(4) + " ";
    text += facts.presence == GpuPresence::kRetired ? "retired" : Name(node.gpus[i].condition);
    if (facts.presence == GpuPresence::kMissing) text += " missing";
    if (node.gpus[i].draining) text += " draining";
    if (trouble != cluster_.state().faults.troubles.end() &&
        trouble->second.remedy != GpuRemedy::kNone)
      text += std::string(" remedy ") + Name(trouble->second.remedy);
  }
  return "-> " + text;
}

// "verdict n1[2]": "-> FAIL xid-119, follows "no new work; …", held-by incident-9".
std::string TableRunner::ShowVerdict(const Line& line) const {
  const Target target = TargetOf(line.words[0]);
  const GpuKey key{target.node, target.gpu};
  const GpuVerdict verdict = VerdictOf(cluster_.state(), key);
  const IncidentId held = HeldBy(cluster_.state(), key);
  std::string text = std::string("-> ") + Name(verdict.level) + " " + verdict.code;
  if (!verdict.follows.empty()) text += ", follows \"" + verdict.follows + "\"";
  if (held.value != 0) text += ", held-by " + ToText(held);
  return text;
}

std::string TableRunner::Run(const std::string& command) {
  const Line line = Parse(command);
  const std::string outcome = Run(line);
  const std::string unread = line.Unread();
  return unread.empty() ? outcome : "=> unknown option " + unread;
}

std::string TableRunner::Run(const Line& line) {
  if (line.verb == "node") return Node(line);
  if (line.verb == "submit") return Submit(line);
  if (line.verb == "queue") return Queue(line);
  if (line.verb == "unqueue") return Tell(DeleteQueue{line.words[0]});
  if (line.verb == "reserve") return Reserve(line);
  if (line.verb == "policy") return Repolicy(line);
  if (line.verb == "use") return ReportUse(line);
  if (line.verb == "unreserve") return Tell(EndReservation{line.words[0]});
  if (line.verb == "role") return Grant(line);
  if (line.verb == "token") return Issue(line);
  if (line.verb == "certify") return Certify(line);
  if (line.verb == "join-token") return IssueJoin(line);
  if (line.verb == "decertify") return Tell(RevokeNode{line.words[0]});
  if (line.verb == "revoke") return Tell(RevokeToken{*ParseTokenId(line.words[0])});
  if (line.verb == "set") return ChangeNode(line);
  if (line.verb == "run") return Observe(line, true, false);
  if (line.verb == "exit" || line.verb == "end") return Observe(line, false, true);
  if (line.verb == "hang" || line.verb == "checkpoint" || line.verb == "metric" ||
      line.verb == "resolved")
    return ReportProgress(line);
  if (line.verb == "report") {
    return ReportFrom(TargetOf(line.words[0]).node, {},
                      static_cast<uint64_t>(line.Number("incarnation", 0)));
  }
  if (line.verb == "rejoin") return Rejoin(line);
  if (line.verb == "vanish") {  // its nodes know nothing of it any more
    for (const LeaseId id : cluster_.state().FindJob(jobs_.at(line.words[0]))->leases)
      seen_.erase(id);
    return "-> nothing";
  }
  if (line.verb == "restart") return Restart(line);
  if (line.verb == "why") return Why(line);
  if (line.verb == "placed") return Placed(line);
  if (line.verb == "gpu") return ObserveGpu(line);
  if (line.verb == "reads") return ReadGpu(line);
  if (line.verb == "drain") return Service(line, ServiceAction::kDrain);
  if (line.verb == "offline") return Service(line, ServiceAction::kOffline);
  if (line.verb == "online") return Service(line, ServiceAction::kOnline);
  if (line.verb == "reset") return Service(line, ServiceAction::kReset);
  if (line.verb == "xid" || line.verb == "lost" || line.verb == "advises" || line.verb == "hot" ||
      line.verb == "critical" || line.verb == "sxid")
    return Fault(line);
  if (line.verb == "task") return EndTask(line);
  if (line.verb == "ack")
    return Tell(ChangeIncident{*ParseIncidentId(line.words[0]), IncidentState::kAcknowledged, ""});
  if (line.verb == "close")
    return Tell(ChangeIncident{*ParseIncidentId(line.words[0]), IncidentState::kClosed, ""});
  if (line.verb == "wait") return Wait(line);
  if (line.verb == "step")
    return Tell(StepWallClock{cluster_.state().time.wall + ParseDuration(line.words[0]).value()});
  if (line.verb == "show") return Show();
  if (line.verb == "gpus") return ShowGpus(line.words[0]);
  if (line.verb == "verdict") return ShowVerdict(line);
  if (line.verb == "silence") return Tell(ExpireHeartbeat{TargetOf(line.words[0]).node});
  if (line.verb == "declare-lost")
    return Tell(DeclareNodeLost{TargetOf(line.words[0]).node, "table"});
  if (line.verb == "defrag") return Defragment();
  if (line.verb == "pass") {
    const State before = cluster_.state();
    return OutcomeText(cluster_.Pass(), before);
  }
  if (line.words.empty()) return "=> unknown command";
  const auto job = jobs_.find(line.words[0]);
  const JobId id = job == jobs_.end() ? JobId{9999} : job->second;
  if (line.verb == "cancel") return Tell(StopJob{id, false});
  if (line.verb == "kill") return Tell(StopJob{id, true});
  if (line.verb == "priority") return Tell(SetPriority{id, std::stoi(line.words[1])});
  if (line.verb == "move") return Tell(ChangeJobQueue{id, line.words[1]});
  if (line.verb == "extend")
    return Tell(ChangeTimeLimit{
        id, Duration::Seconds(std::stoi(line.words[1])), {}, line.words.size() > 2});
  if (line.verb == "hold") return Tell(HoldJob{id});
  if (line.verb == "release") return Tell(ReleaseJob{id});
  return "=> unknown command";
}

}  // namespace gp
