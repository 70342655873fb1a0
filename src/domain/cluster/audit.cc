#include "domain/cluster/audit.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/command_traits.h"
#include "domain/cluster/decide/decide_parts.h"

namespace gp {
namespace {

constexpr std::string_view kUser = "user:";
constexpr size_t kDetailsMax = 300;

}  // namespace

std::string NodeName(const State& state, NodeId id) {
  const Node* node = state.FindNode(id);
  return node == nullptr ? "node " + std::to_string(id.value) : node->facts->name;
}

bool IsAudited(const Record& record) {
  const auto changes = [](const Event& event) {
    return !std::holds_alternative<RequestAnswered>(event);
  };
  if (std::ranges::none_of(record.events, changes)) return false;
  const Envelope& envelope = record.envelope;
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
  const AuditWords words = std::visit(
      [&]<typename C>(const C& command) -> AuditWords {
        if constexpr ((kCommandTraitsOf<C> & kAudited) != 0)
          return WordsFor(state, record.events, command);
        return {};
      },
      envelope.command);
  entry.operation = words.operation;
  entry.object = words.object;
  entry.details = Printable(words.details, kDetailsMax);
  if (const auto* refusal = std::get_if<NoteRefusal>(&envelope.command)) {
    entry.refused = true;
    entry.why = refusal->why;
    entry.times = refusal->times;
  }
  return entry;
}

}  // namespace gp
