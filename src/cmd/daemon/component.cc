#include "cmd/daemon/component.h"

namespace gp {

Components::~Components() {
  Stop();
  while (!parts_.empty()) parts_.pop_back();
}

Status Components::Start() {
  while (started_ < parts_.size()) {
    const Status done = parts_[started_]->Start();
    if (!done) {
      Stop();
      return done;
    }
    ++started_;
  }
  return Ok();
}

void Components::Stop() {
  while (started_ > 0) parts_[--started_]->Stop();
}

}  // namespace gp
