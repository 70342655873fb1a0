#include "domain/cluster/audit.h"

#include <array>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

constexpr std::string_view kUser = "user:";
constexpr size_t kDetailsMax = 300;

std::string NodeName(const State& state, NodeId id) {
  const Node* node = state.FindNode(id);
  return node == nullptr ? "node " + std::to_string(id.value) : node->facts->name;
}

std::string Everywhere(const std::string& queue) {
  return queue.empty() ? "everywhere" : "in " + queue;
}

// The GPUs of one node.
std::string GpusText(const GpuRequest& gpus) {
  std::string text = Count(gpus.count, "GPU");
  if (!gpus.models.empty()) text += " " + Join(gpus.models, " or ");
  if (gpus.isolation == Isolation::kExclusive) return text;
  text += ", " + std::string(ToText(gpus.isolation));
  if (gpus.share_thousandths != kShareMax) text += " share " + ShareToText(gpus.share_thousandths);
  return gpus.memory_mib == 0 ? text : text + " " + std::to_string(gpus.memory_mib) + " MiB";
}

// Describes each kind of command in words.
class Teller {
 public:
  Teller(const State& state, const Record& record, AuditEntry& entry)
      : state_(state), record_(record), entry_(entry) {}

  void operator()(const SubmitJob& command) {
    const auto* submitted =
        record_.events.empty() ? nullptr : std::get_if<JobSubmitted>(&record_.events.front());
    const JobSpec& spec = *command.spec;
    const std::string array = spec.policy.array.count > 0
                                  ? ", " + std::to_string(spec.policy.array.count) + " elements"
                                  : "";
    Tell("SubmitJob", submitted == nullptr ? "" : ToText(submitted->job),
         spec.name + ": " + std::to_string(spec.resources.nodes) + " x " +
             GpusText(spec.resources.gpus) + ", priority " + std::to_string(spec.policy.priority) +
             (submitted == nullptr ? "" : ", queue " + submitted->queue) + array);
  }
  void operator()(const StopJob& command) {
    Tell("StopJob", NameOf(state_, command.job), command.force ? "by force" : "");
  }
  void operator()(const HoldJob& command) { Tell("HoldJob", NameOf(state_, command.job), ""); }
  void operator()(const ReleaseJob& command) {
    Tell("ReleaseJob", NameOf(state_, command.job), "");
  }
  void operator()(const SetPriority& command) {
    Tell("SetPriority", NameOf(state_, command.job), std::to_string(command.priority));
  }
  void operator()(const ChangeService& command) {
    constexpr std::array kActions = {"drain", "offline", "online", "reset"};
    const std::string place = NodeName(state_, command.node) +
                              (command.gpu < 0 ? "" : "[" + std::to_string(command.gpu) + "]");
    Tell("ChangeService", place,
         std::string(kActions[static_cast<size_t>(command.action)]) +
             (command.force ? " by force" : "") + ": " + command.reason);
  }
  void operator()(const DeclareNodeLost& command) {
    Tell("DeclareNodeLost", NodeName(state_, command.node), command.reason);
  }
  void operator()(const ChangeNode& command) {
    std::string details = command.pool ? "pool " + *command.pool : "";
    for (const auto& [name, value] : command.labels) details += " " + name + "=" + value;
    for (const std::string& name : command.labels_removed) details += " -" + name;
    Tell("ChangeNode", NodeName(state_, command.node), details);
  }
  void operator()(const ChangeIncident& command) {
    Tell("ChangeIncident", ToText(command.incident),
         std::string(Name(command.to)) + (command.note.empty() ? "" : ": " + command.note));
  }
  void operator()(const SetQueue& command) {
    std::string details;
    const auto add = [&](const char* what, const auto& value) {
      if (value)
        details += (details.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(*value);
    };
    if (command.pool) details = "pool " + *command.pool;
    add("weight", command.weight);
    add("guaranteed", command.guaranteed);
    add("reclaimable", command.reclaimable);
    add("GPUs at most", command.limit.gpus);
    add("jobs at most", command.limit.jobs);
    add("GPU-hours at most", command.limit.gpu_hours);
    add("GPUs a user", command.user_limit.gpus);
    add("jobs a user", command.user_limit.jobs);
    add("GPU-hours a user", command.user_limit.gpu_hours);
    const auto add_time = [&](const char* what, const std::optional<Duration>& time) {
      if (time)
        details += (details.empty() ? "" : ", ") + std::string(what) + " " +
                   (time->ns == 0 ? "none" : ToText(*time));
    };
    add_time("default time", command.default_time);
    add_time("maximum time", command.max_time);
    Tell("SetQueue", command.name, details);
  }
  void operator()(const DeleteQueue& command) { Tell("DeleteQueue", command.name, ""); }
  void operator()(const ReserveNodes& command) {
    const Reservation& wanted = command.reservation;
    Tell("ReserveNodes", wanted.name,
         ToRfc3339(wanted.starts_at) + " to " + ToRfc3339(wanted.ends_at));
  }
  void operator()(const EndReservation& command) { Tell("DeleteReservation", command.name, ""); }
  void operator()(const MoveJobs& command) {
    std::string details = "moves";
    for (const MoveJobs::Move& move : command.moves) details += " " + NameOf(state_, move.job);
    Tell("ApplyMoves", NameOf(state_, command.by), details);
  }
  void operator()(const GrantRole& command) {
    Tell("GrantRole", command.subject,
         (command.role ? Name(*command.role) : std::string("granted role removed")) + " " +
             Everywhere(command.queue));
  }
  void operator()(const IssueToken& command) {
    const auto* issued =
        record_.events.empty() ? nullptr : std::get_if<TokenIssued>(&record_.events.front());
    const AccessToken& token = command.token;
    Tell("IssueToken", issued == nullptr ? "" : ToText(issued->token.id),
         token.label + ": " + token.user.name + " as " + Name(token.most) + " " +
             Everywhere(token.queue) + " until " + ToRfc3339(token.expires_at));
  }
  void operator()(const RevokeToken& command) { Tell("RevokeToken", ToText(command.token), ""); }
  void operator()(const CertifyNode& command) {
    Tell("CertifyNode", command.name,
         "sha256:" + command.certificate.fingerprint + " until " +
             ToRfc3339(command.certificate.expires_at) +
             (command.shown.empty() ? ", by the join token" : ", by the one before"));
  }
  void operator()(const RevokeNode& command) { Tell("RevokeNode", command.name, ""); }
  void operator()(const SetBudget& command) {
    std::string details;
    const auto add = [&](const std::string& what) {
      details += (details.empty() ? "" : ", ") + what;
    };
    if (command.gpu_hours) add(std::to_string(*command.gpu_hours) + " GPU-hours");
    if (command.money_micros) add(ToText(Money::OfMicros(*command.money_micros)));
    if (command.warn_at) {
      std::string levels;
      for (const int level : *command.warn_at)
        levels += (levels.empty() ? "" : ", ") + std::to_string(level);
      add("warns at " + levels + " %");
    }
    if (command.over) add(Name(*command.over));
    Tell("SetBudget", ToText(command.key), details);
  }
  void operator()(const DeleteBudget& command) { Tell("DeleteBudget", ToText(command.key), ""); }
  void operator()(const SetPolicy& command) { Tell("ReloadConfig", "policy", command.changes); }
  void operator()(const ChangeTimeLimit& command) {
    Tell("SetTimeLimit", NameOf(state_, command.job),
         (command.longer_by.ns == 0 ? "to " + ToText(command.time_limit)
                                    : "by " + ToText(command.longer_by)) +
             (command.force ? " by force" : ""));
  }
  void operator()(const NoteChange& command) {
    Tell(command.operation, command.target, command.details);
  }
  void operator()(const NoteRefusal& command) {
    Tell(command.operation, "", "");
    entry_.refused = true;
    entry_.why = command.why;
    entry_.times = command.times;
  }
  // Not audited: commands of nodes, the scheduler and the controller itself.
  void operator()(const StartController&) {}
  void operator()(const StepWallClock&) {}
  void operator()(const ReviewBudget&) {}
  void operator()(const JoinNode&) {}
  void operator()(const ReportNode&) {}
  void operator()(const ReportGpus&) {}
  void operator()(const ExpireHeartbeat&) {}
  void operator()(const PlaceGang&) {}
  void operator()(const PreemptJob&) {}
  void operator()(const Tick&) {}

 private:
  void Tell(std::string operation, std::string object, const std::string& details) {
    entry_.operation = std::move(operation);
    entry_.object = std::move(object);
    entry_.details = Printable(details, kDetailsMax);
  }

  const State& state_;
  const Record& record_;
  AuditEntry& entry_;
};

}  // namespace

bool IsAudited(const Envelope& envelope) {
  return envelope.origin.principal.starts_with(kUser) ||
         std::holds_alternative<NoteRefusal>(envelope.command) ||
         std::holds_alternative<CertifyNode>(envelope.command);
}

AuditEntry AuditOf(const State& state, uint64_t number, const Record& record) {
  const Envelope& envelope = record.envelope;
  AuditEntry entry;
  entry.number = number;
  entry.at = ToRfc3339(WallOf(state.time, envelope.at), true);
  if (envelope.origin.principal.starts_with(kUser))
    entry.user = envelope.origin.principal.substr(kUser.size());
  entry.from = envelope.origin.from;
  std::visit(Teller(state, record, entry), envelope.command);
  return entry;
}

}  // namespace gp
