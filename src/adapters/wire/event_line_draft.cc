#include "adapters/wire/event_line_draft.h"

#include <algorithm>

#include "base/text.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr size_t kWordsMax = 300;  // of one field
constexpr size_t kNodesMax = 16;   // named for one job

}  // namespace

void EventLineDraft::Begin(LogLevel level, std::string event) {
  line_.level = level;
  line_.event = std::move(event);
}

void EventLineDraft::Add(std::string name, const std::string& text) {
  if (!text.empty()) line_.fields.emplace_back(std::move(name), Printable(text, kWordsMax));
}

void EventLineDraft::AddJob(JobId id) {
  Add("job", NameOf(state_, id));
  const Job* job = state_.FindJob(id);
  if (job == nullptr) return;  // removed in the same commit
  Add("name", job->spec->name);
  Add("user", job->user.name);
  Add("queue", job->queue);
  const auto later = placed_later_.find(id);
  const int attempt = job->attempt - (later == placed_later_.end() ? 0 : later->second);
  if (attempt > 0) Add("attempt", attempt);
}

void EventLineDraft::AddNodes(const std::vector<Lease>& leases) {
  std::vector<std::string> nodes;
  for (const Lease& lease : leases) nodes.push_back(NameOfNode(lease.node));
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  std::string text;
  for (size_t i = 0; i < nodes.size() && i < kNodesMax; ++i) text += (i == 0 ? "" : ",") + nodes[i];
  if (nodes.size() > kNodesMax) text += ",…";
  Add("nodes", text);
}

void EventLineDraft::OfNode(LogLevel level, std::string event, NodeId node) {
  Begin(level, std::move(event));
  Add("node", NameOfNode(node));
}

std::string EventLineDraft::NameOfNode(NodeId id) const {
  const Node* node = state_.FindNode(id);
  return node == nullptr ? "" : node->facts->name;
}

}  // namespace gp
