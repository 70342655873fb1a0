#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gp {

// A part of a daemon that starts and stops.
class Component {
 public:
  virtual ~Component() = default;
  // Uses what earlier components of the list have started.  A failure ends the daemon's start.
  virtual Status Start() = 0;
  // Called once, and only after a successful Start.
  virtual void Stop() {}
};

// The parts of a daemon, in the order in which they start.  They stop, and are destroyed, in the
// reverse order, so each may use those before it for its whole life.
class Components {
 public:
  Components() = default;
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;
  ~Components();

  template <typename Part, typename... Arguments>
  Part& Add(Arguments&&... arguments) {
    auto part = std::make_unique<Part>(std::forward<Arguments>(arguments)...);
    Part& added = *part;
    parts_.push_back(std::move(part));
    return added;
  }

  // If one fails, stops those that have started and returns its error.
  Status Start();
  // May be called again.
  void Stop();

 private:
  std::vector<std::unique_ptr<Component>> parts_;
  size_t started_ = 0;
};

}  // namespace gp
