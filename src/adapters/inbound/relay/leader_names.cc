#include "adapters/inbound/relay/leader_names.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ignore_result.h"
#include "files/descriptor.h"

namespace gp {
namespace {

// A name that leads elsewhere is noticed after that time.
constexpr std::chrono::seconds kKnownFor{5};

bool IsNumber(const std::string& host) {
  char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// Shared with the thread that asks: the loop may have ended before the name servers answer.
struct Answer {
  const Descriptor done{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::optional<LeaderNames::Addresses> found;

  void Put(LeaderNames::Addresses addresses) {
    const std::lock_guard lock(mutex);
    found = std::move(addresses);
    const uint64_t one = 1;
    IgnoreResult(write(done.get(), &one, sizeof one),
                 "a descriptor that is full wakes its reader, too");
  }
};

}  // namespace

// One name, and who waits for it.
class LeaderNames::Question : public Watched {
 public:
  explicit Question(Found over) : over_(std::move(over)) {}

  Status Begin(EventLoop& loop, const std::shared_ptr<Watched>& self, const HostPort& name,
               const AskServers& ask_servers) {
    GP_CHECK_OK(loop.Watch(answer_->done.get(), EPOLLIN, self));
    try {
      std::thread([answer = answer_, name, ask_servers] {
        answer->Put(ask_servers(name));
      }).detach();
    } catch (const std::system_error& error) {
      loop.Forget(answer_->done.get());
      return Fail(Unavailable(name.host + ": cannot be looked up: " + error.what()));
    }
    return Ok();
  }
  void Join(Found found) { waiting_.push_back(std::move(found)); }
  int descriptor() const { return answer_->done.get(); }

  void OnReady(uint32_t) override {
    std::optional<Addresses> found;
    {
      const std::lock_guard lock(answer_->mutex);
      found = answer_->found;
    }
    if (!found || !over_) return;
    const auto waiting = std::exchange(waiting_, {});
    std::exchange(over_, nullptr)(*found);
    for (const Found& one : waiting) one(*found);
  }

 private:
  const std::shared_ptr<Answer> answer_ = std::make_shared<Answer>();
  Found over_;
  std::vector<Found> waiting_;
};

LeaderNames::LeaderNames(EventLoop& loop, AskServers ask_servers)
    : loop_(loop), ask_servers_(std::move(ask_servers)) {}

void LeaderNames::Find(const std::string& address, Found found) {
  const Result<HostPort> name = SplitAddress(address);
  if (!name) return found(Fail(name.error()));
  if (IsNumber(name->host)) return found(LookUp(*name, false));
  const auto known = known_.find(address);
  if (known != known_.end() && std::chrono::steady_clock::now() < known->second.until)
    return found(known->second.addresses);
  if (const auto asked = asked_.find(address); asked != asked_.end())
    return asked->second->Join(std::move(found));
  Ask(address, *name, std::move(found));
}

void LeaderNames::Ask(const std::string& address, const HostPort& name, Found found) {
  const auto question = std::make_shared<Question>([this, address](const Addresses& addresses) {
    const auto asked = asked_.extract(address);
    loop_.Forget(asked.mapped()->descriptor());
    if (addresses) known_[address] = {*addresses, std::chrono::steady_clock::now() + kKnownFor};
  });
  if (const Status begun = question->Begin(loop_, question, name, ask_servers_); !begun)
    return found(Fail(begun.error()));
  question->Join(std::move(found));
  asked_[address] = question;
}

}  // namespace gp
