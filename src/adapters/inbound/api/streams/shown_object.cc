#include "adapters/inbound/api/streams/shown_object.h"

#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr const char* kGone = "";

const char* PresentIf(bool is_there) { return is_there ? "PRESENT" : kGone; }

// Copies only what differs, because this is done for each change, and little of it does.
void CopyTo(std::string& text, const std::string& from) {
  if (text != from) text = from;
}

const char* ShowJob(const Job* job, ShownObject& shown) {
  if (job == nullptr) return kGone;
  if (shown.name.empty()) {
    shown.name = NameOf(*job);
    shown.user = job->user;
  }
  CopyTo(shown.queue, job->queue);
  return Name(job->state);
}

const char* ShowNode(const Node* node, ShownObject& shown) {
  if (node == nullptr) return kGone;
  CopyTo(shown.name, node->facts->name);
  return Name(node->condition);
}

const char* ShowIncident(const State& state, ShownObject& shown) {
  const IncidentId id{shown.id};
  const auto found = state.faults.incidents.find(id);
  if (found == state.faults.incidents.end()) return kGone;
  if (shown.name.empty()) shown.name = ToText(id);
  return Name(found->second.state);
}

}  // namespace

void Show(const State& state, ShownObject& shown) {
  switch (shown.kind) {
    case FeedKind::kJob: shown.state = ShowJob(state.FindJob({shown.id}), shown); break;
    case FeedKind::kNode:
      shown.state = ShowNode(state.FindNode({static_cast<uint32_t>(shown.id)}), shown);
      break;
    case FeedKind::kQueue: shown.state = PresentIf(state.queues.all.contains(shown.name)); break;
    case FeedKind::kReservation:
      shown.state = PresentIf(state.reservations.all.contains(shown.name));
      break;
    case FeedKind::kIncident: shown.state = ShowIncident(state, shown); break;
  }
}

}  // namespace gp
