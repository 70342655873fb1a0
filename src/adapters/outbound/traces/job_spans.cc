#include "adapters/outbound/traces/job_spans.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr size_t kTraceDigits = 32;
constexpr size_t kSpanDigits = 16;
constexpr const char* kVariable = "TRACEPARENT";

bool IsHex(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

class JobTrace {
 public:
  JobTrace(const State& state, const Job& job) : state_(state), job_(job) {
    const auto variable = job.spec->program.environment.find(kVariable);
    const auto parent = variable == job.spec->program.environment.end()
                            ? std::nullopt
                            : ParseTraceParent(variable->second);
    const std::string own = Sha256(ToBase32(state.lineage) + " " + gp::ToText(job.id));
    root_.trace = parent ? parent->trace : own.substr(0, kTraceDigits);
    root_.parent = parent ? parent->span : "";
    root_.id = IdOf("job");
  }

  std::vector<Span> Spans() {
    Instant free_at = job_.submitted_at;
    for (const AttemptRecord& attempt : job_.attempts) {
      AddWaiting(attempt.number, free_at, attempt.placed_at);
      AddAttempt(attempt);
      free_at = attempt.ended_at;
    }
    if (job_.attempts.empty() || free_at < job_.ended_at)
      AddWaiting(job_.attempt + 1, free_at, job_.ended_at);
    AddJob();
    return std::move(spans_);
  }

 private:
  // Contains the job's id, because one trace may hold several jobs.
  std::string IdOf(const std::string& what) const {
    return Sha256(root_.trace + " " + gp::ToText(job_.id) + " " + what).substr(0, kSpanDigits);
  }

  Instant Wall(Instant at) const { return WallOf(state_.time, at); }

  Span& Add(const std::string& name, const std::string& what, Instant begin, Instant end) {
    Span& span = spans_.emplace_back();
    span.trace = root_.trace;
    span.id = IdOf(what);
    span.parent = root_.id;
    span.name = name;
    span.begin = Wall(begin);
    span.end = Wall(std::max(begin, end));
    return span;
  }

  void AddWaiting(int number, Instant begin, Instant end) {
    Add("wait", "wait " + std::to_string(number), begin, end).attributes = {
        {"gpu_platform.attempt", int64_t{number}}};
  }

  void AddAttempt(const AttemptRecord& attempt) {
    Span& span = Add("attempt", "attempt " + std::to_string(attempt.number), attempt.placed_at,
                     attempt.ended_at);
    span.attributes = AttributesOf(attempt);
    span.events = EventsOf(attempt);
    span.is_error = ChargeOf(attempt.end) != EndCharge::kNobody;
    if (span.is_error) span.message = Name(attempt.end);
  }

  SpanAttributes AttributesOf(const AttemptRecord& attempt) const {
    std::vector<std::string> nodes;
    int64_t gpus = 0;
    for (const RankRecord& rank : attempt.ranks) {
      const Node* node = state_.FindNode(rank.node);
      if (node != nullptr) nodes.push_back(node->facts->name);
      gpus += static_cast<int64_t>(rank.gpus.size());
    }
    return {{"gpu_platform.attempt", int64_t{attempt.number}},
            {"gpu_platform.nodes", nodes},
            {"gpu_platform.gpus", gpus},
            {"gpu_platform.end", Name(attempt.end)}};
  }

  std::vector<SpanEvent> EventsOf(const AttemptRecord& attempt) const {
    std::vector<SpanEvent> events;
    if (attempt.started_at.ns != 0) events.push_back({Wall(attempt.started_at), "started", {}});
    for (const Checkpoint& one : job_.checkpoints) {
      if (one.attempt == attempt.number && one.is_complete)
        events.push_back({Wall(one.at),
                          "checkpoint",
                          {{"gpu_platform.step", one.step}, {"gpu_platform.bytes", one.bytes}}});
    }
    for (const XidNote& note : job_.xids) {
      if (note.attempt == attempt.number)
        events.push_back({Wall(note.at), "xid", {{"gpu_platform.xid", int64_t{note.xid}}}});
    }
    std::ranges::sort(events, {}, &SpanEvent::at);
    return events;
  }

  void AddJob() {
    root_.name = "job";
    root_.begin = Wall(job_.submitted_at);
    root_.end = Wall(std::max(job_.submitted_at, job_.ended_at));
    root_.attributes = {{"gpu_platform.job", NameOf(job_)},
                        {"gpu_platform.name", job_.spec->name},
                        {"gpu_platform.user", job_.user.name},
                        {"gpu_platform.queue", job_.queue},
                        {"gpu_platform.state", Name(job_.state)},
                        {"gpu_platform.attempts", int64_t{job_.attempt}},
                        {"process.exit.code", int64_t{job_.exit_code}}};
    root_.is_error = job_.state == JobState::kFailed || job_.state == JobState::kTimeout;
    if (root_.is_error) root_.message = Printable(job_.reason, 300);
    spans_.insert(spans_.begin(), root_);
  }

  const State& state_;
  const Job& job_;
  Span root_;
  std::vector<Span> spans_;
};

}  // namespace

std::optional<TraceParent> ParseTraceParent(std::string_view text) {
  const std::vector<std::string> parts = Split(text, '-');
  const auto is_byte = [](const std::string& part) {
    return part.size() == 2 && part.find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  const bool is_one = parts.size() >= 4 && is_byte(parts[0]) && parts[0] != "ff" &&
                      IsHex(parts[1], kTraceDigits) && IsHex(parts[2], kSpanDigits) &&
                      is_byte(parts[3]);
  if (!is_one || (parts[0] == "00" && parts.size() != 4)) return std::nullopt;
  return TraceParent{parts[1], parts[2]};
}

std::vector<Span> SpansOf(const State& state, const Job& job) {
  return JobTrace(state, job).Spans();
}

}  // namespace gp
