#include "cmd/watch/watch_line.h"

#include "adapters/wire/call_deadline.h"
#include "cmd/connection/controller_line.h"

namespace gp {

WatchLine::Current::Current(WatchLine& line, grpc::ClientContext& context) : line_(line) {
  const std::lock_guard lock(line_.mutex_);
  line_.current_ = &context;
  if (line_.is_cancelled_) context.TryCancel();
}

WatchLine::Current::~Current() {
  const std::lock_guard lock(line_.mutex_);
  line_.current_ = nullptr;
}

Status WatchLine::Connect() {
  client_ = GP_TRY(OpenController(place_, ControlClient::WhenKilled::kFail));
  return Ok();
}

Result<v1::Control::Stub*> WatchLine::Begin(grpc::ClientContext& context) {
  v1::Control::Stub* stub = GP_TRY(client_->Streams(context));
  context.set_deadline(DeadlineIn(kCallTime));
  return stub;
}

void WatchLine::Cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  if (current_ != nullptr) current_->TryCancel();
}

}  // namespace gp
