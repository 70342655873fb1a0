#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/wire/event_line.h"

namespace gp {

// The line of one event while it is written.  Each field appears once, and an empty text not at
// all.
class EventLineDraft {
 public:
  // `state`: after the commit.  `placed_later`: number of times each job was placed after the
  // event, in the same commit.  Both must outlive it.
  EventLineDraft(const State& state, const std::map<JobId, int>& placed_later)
      : state_(state), placed_later_(placed_later) {}

  EventLine Take() { return std::move(line_); }
  bool HasLine() const { return !line_.event.empty(); }

 protected:
  const State& state() const { return state_; }

  void Begin(LogLevel level, std::string event);
  void Add(std::string name, const std::string& text);
  void Add(std::string name, const char* text) { Add(std::move(name), std::string(text)); }
  void Add(std::string name, int64_t number) { line_.fields.emplace_back(std::move(name), number); }
  void Add(std::string name, int number) { Add(std::move(name), int64_t{number}); }

  // Who and what the job is; of a job that was removed in the same commit only its id.
  void AddJob(JobId id);
  void AddNodes(const std::vector<Lease>& leases);
  void OfNode(LogLevel level, std::string event, NodeId node);
  // `event` names a node and one of its GPUs.
  template <typename E>
  void OfGpu(LogLevel level, std::string name, const E& event) {
    OfNode(level, std::move(name), event.node);
    Add("gpu", event.gpu);
  }

 private:
  std::string NameOfNode(NodeId id) const;

  const State& state_;
  const std::map<JobId, int>& placed_later_;
  EventLine line_;
};

}  // namespace gp
