#include "lib/http/name_lookup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/ignore_result.h"

namespace gp {
namespace {

namespace net = boost::asio;

constexpr std::chrono::milliseconds kPollMax{60'000};

Result<std::vector<NetworkAddress>> AskResolver(const std::string& host,
                                                const std::string& port) try {
  net::io_context context;
  boost::system::error_code error;
  const auto found = net::ip::tcp::resolver(context).resolve(host, port, error);
  if (error) return Fail(Unavailable(error.message()));
  std::vector<NetworkAddress> addresses;
  for (const auto& entry : found)
    addresses.push_back({entry.endpoint().address().to_string(), entry.endpoint().port()});
  if (addresses.empty()) return Fail(Unavailable("this name has no address"));
  return addresses;
} catch (const std::exception& error) {
  return Fail(Unavailable(error.what()));
}

// One lookup, shared by the thread that asks and the one that waits.
class Lookup {
 public:
  Lookup() : done_fd_(eventfd(0, EFD_CLOEXEC)) {}
  ~Lookup() {
    if (done_fd_ >= 0) close(done_fd_);
  }

  int done_fd() const { return done_fd_; }  // readable when the lookup has ended
  void Ask(const std::string& host, const std::string& port) {
    auto found = AskResolver(host, port);
    const std::lock_guard lock(mutex_);
    found_ = std::move(found);
    const uint64_t one = 1;
    IgnoreResult(write(done_fd_, &one, sizeof one),
                 "a descriptor that is full wakes its reader, too");
  }
  // REQUIRES: the lookup has ended.
  Result<std::vector<NetworkAddress>> found() {
    const std::lock_guard lock(mutex_);
    return found_;
  }

 private:
  const int done_fd_;
  std::mutex mutex_;
  Result<std::vector<NetworkAddress>> found_;
};

int MillisecondsUntil(Deadline::TimePoint end) {
  using std::chrono::ceil, std::chrono::milliseconds;
  const auto left = end - std::chrono::steady_clock::now();
  return static_cast<int>(std::clamp(ceil<milliseconds>(left), milliseconds(0), kPollMax).count());
}

}  // namespace

Result<std::vector<NetworkAddress>> LookUpName(const std::string& host, const std::string& port,
                                               const Deadline& deadline) {
  const auto lookup = std::make_shared<Lookup>();
  if (lookup->done_fd() < 0) return Fail(Unavailable("no descriptor is left"));
  std::thread([lookup, host, port] { lookup->Ask(host, port); }).detach();
  while (true) {
    GP_CHECK_OK(deadline.Check());
    pollfd ends[] = {{lookup->done_fd(), POLLIN, 0}, {deadline.stop_fd(), POLLIN, 0}};
    IgnoreResult(poll(ends, 2, MillisecondsUntil(deadline.end())),
                 "what has happened is looked at in both cases");
    if (ends[0].revents != 0) return lookup->found();
  }
}

}  // namespace gp
