#include "lib/sockets/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr int kEventsAtOnce = 256;
constexpr std::chrono::milliseconds kReportEvery{250};

epoll_event EventsOf(int descriptor, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return event;
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event = EventsOf(wake_.get(), EPOLLIN);
  IgnoreResult(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event),
               "without a descriptor, Watch fails too");
}

Status EventLoop::Watch(int descriptor, uint32_t events, std::shared_ptr<Watched> watched) {
  epoll_event event = EventsOf(descriptor, events);
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    return Fail(Unavailable(std::string("epoll: ") + std::strerror(errno)));
  all_[descriptor] = std::move(watched);
  return Ok();
}

void EventLoop::Change(int descriptor, uint32_t events) {
  epoll_event event = EventsOf(descriptor, events);
  IgnoreResult(epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event),
               "it is watched, so there is nothing that could fail");
}

void EventLoop::Forget(int descriptor) {
  IgnoreResult(epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr),
               "one that is not watched needs not be forgotten");
  all_.erase(descriptor);
}

bool EventLoop::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return false;
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return true;  // the loop is woken already
  }
  const uint64_t one = 1;
  IgnoreResult(write(wake_.get(), &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  return true;
}

void EventLoop::Stop() {
  IgnoreResult(Post([this] { stops_ = true; }), "a loop that has ended stops no more");
}

void EventLoop::RunPosted() {
  uint64_t count = 0;
  IgnoreResult(read(wake_.get(), &count, sizeof count), "only the wake-up matters");
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& work : posted) work();
}

// All that is watched may be forgotten meanwhile.
void EventLoop::EverySecond() {
  std::vector<std::shared_ptr<Watched>> all;
  all.reserve(all_.size());
  for (const auto& [descriptor, watched] : all_) all.push_back(watched);
  for (const auto& watched : all) watched->OnSecond();
}

void EventLoop::Run() {
  Clock::time_point next_second = Clock::now() + std::chrono::seconds(1);
  Clock::time_point next_report = Clock::now();
  while (!stops_) {
    Round(std::min(next_second, next_report));
    const Clock::time_point now = Clock::now();
    if (!is_behind_ && now >= next_report) {
      caught_up_();
      next_report = now + kReportEvery;
    }
    if (now < next_second) continue;
    EverySecond();
    next_second = now + std::chrono::seconds(1);
  }
  End();
}

void EventLoop::Round(Clock::time_point until) {
  epoll_event ready[kEventsAtOnce];
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const int count = epoll_wait(epoll_.get(), ready, kEventsAtOnce,
                               static_cast<int>(std::max<int64_t>(left.count(), 0)));
  is_behind_ = count == kEventsAtOnce;
  for (int i = 0; i < count; ++i) {
    if (ready[i].data.fd == wake_.get()) {
      RunPosted();
      continue;
    }
    const auto found = all_.find(ready[i].data.fd);
    if (found == all_.end()) continue;  // an earlier event has ended it
    const std::shared_ptr<Watched> watched = found->second;
    watched->OnReady(ready[i].events);
  }
}

void EventLoop::End() {
  std::unordered_map<int, std::shared_ptr<Watched>> all;
  all.swap(all_);
  for (const auto& [descriptor, watched] : all) watched->OnEnd();
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  RunPosted();
}

}  // namespace gp
