#include "adapters/inbound/rest/server/lane.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>

namespace gp {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr auto kBeat = std::chrono::seconds(10);

}  // namespace

void Lane::Run() {
  Beat();
  const auto work = boost::asio::make_work_guard(context_);
  context_.run();
}

void Lane::Wake() {
  if (!is_notified_.exchange(true)) boost::asio::post(context_, [this] { Look(); });
}

// News during the pause is handled when the pause ends.
void Lane::Look() {
  if (is_resting_) return;
  is_notified_ = false;
  PushAll(false);
  is_resting_ = true;
  pause_.expires_after(kPause);
  pause_.async_wait([this](const boost::system::error_code& error) {
    is_resting_ = false;
    if (!error && is_notified_) Look();
  });
}

void Lane::Beat() {
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    PushAll(true);
    Beat();
  });
}

void Lane::PushAll(bool is_beat) {
  std::erase_if(streams_, [is_beat](const std::weak_ptr<Streaming>& weak) {
    const auto stream = weak.lock();
    if (stream != nullptr) stream->Push(is_beat);
    return stream == nullptr;
  });
}

}  // namespace gp
