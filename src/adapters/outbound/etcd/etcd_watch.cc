#include "adapters/outbound/etcd/etcd_watch.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "adapters/outbound/etcd/etcd_errors.h"
#include "adapters/outbound/etcd/etcd_members.h"

namespace gp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPauseMin{50};
constexpr milliseconds kPauseMax{1'000};
constexpr milliseconds kSilenceMax{1'000};  // then the member is asked, and has as long to answer
constexpr Duration kTokenTime = Duration::Milliseconds(400);

// What a completion queue reports.  Its tags are pointers.
enum class Done : uintptr_t { kWrite = 1, kRead, kFinish };
void* TagOf(Done done) { return reinterpret_cast<void*>(done); }

// One call of Watch, on one thread, which sees when the member is silent.
class WatchCall {
 public:
  WatchCall(EtcdMember& member, grpc::ClientContext& context, const KeyRange& range)
      : context_(context) {
    context.set_initial_metadata_corked(true);  // it goes out with the first request
    stream_ = member.watch.AsyncWatch(&context, &queue_, nullptr);
    etcdserverpb::WatchRequest request;
    request.mutable_create_request()->set_key(range.first);
    request.mutable_create_request()->set_range_end(range.end);
    Ask(request);
    stream_->Read(&response_, TagOf(Done::kRead));
  }
  ~WatchCall() {
    context_.TryCancel();
    grpc::Status end;
    stream_->Finish(&end, TagOf(Done::kFinish));
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) continue;
  }
  WatchCall(const WatchCall&) = delete;
  WatchCall& operator=(const WatchCall&) = delete;

  // The next response; nullptr: the call is over.
  const etcdserverpb::WatchResponse* Next() {
    if (std::exchange(is_taken_, false)) stream_->Read(&response_, TagOf(Done::kRead));
    while (true) {
      void* tag = nullptr;
      bool ok = false;
      const auto next = queue_.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kSilenceMax);
      if (next == grpc::CompletionQueue::TIMEOUT) {
        BreakSilence();
      } else if (tag == TagOf(Done::kWrite)) {
        is_writing_ = false;
      } else {
        if (!ok) return nullptr;
        is_asked_ = false;
        is_taken_ = true;
        return &response_;
      }
    }
  }

 private:
  void Ask(const etcdserverpb::WatchRequest& request) {
    is_asked_ = true;
    is_writing_ = true;
    stream_->Write(request, TagOf(Done::kWrite));
  }

  void BreakSilence() {
    if (is_asked_ || is_writing_) {
      context_.TryCancel();  // the read fails
      return;
    }
    etcdserverpb::WatchRequest request;
    request.mutable_progress_request();
    Ask(request);
  }

  grpc::ClientContext& context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<etcdserverpb::WatchRequest, etcdserverpb::WatchResponse>>
      stream_;
  etcdserverpb::WatchResponse response_;
  bool is_asked_ = false;    // the member owes a response
  bool is_writing_ = false;  // only one request may be on its way
  bool is_taken_ = false;    // nothing is being read
};

}  // namespace

EtcdWatch::EtcdWatch(std::shared_ptr<EtcdMembers> members, KeyRange range,
                     std::function<void()> changed)
    : members_(std::move(members)),
      range_(std::move(range)),
      changed_(std::move(changed)),
      thread_([this] { Run(); }) {}

EtcdWatch::~EtcdWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    if (under_way_ != nullptr) under_way_->TryCancel();
  }
  ending_.notify_one();
  thread_.join();
}

void EtcdWatch::Run() {
  EtcdMember* member = &members_->Present();
  milliseconds pause = kPauseMin;
  while (true) {
    const bool has_begun = Follow(*member);
    if (has_begun) pause = kPauseMin;
    std::unique_lock lock(mutex_);
    if (ending_.wait_for(lock, pause, [this] { return is_ending_; })) return;
    pause = std::min(2 * pause, kPauseMax);
    member = &members_->After(*member);
  }
}

// Until the call is over.  Returns whether the member has watched.
bool EtcdWatch::Follow(EtcdMember& member) {
  member.AwaitConnection();
  const auto token = members_->Token(member, kTokenTime);
  if (!token) return false;
  grpc::ClientContext context;
  if (!token->empty()) context.AddMetadata("token", *token);
  // A member without a leader learns of no change: it ends the call instead of waiting.
  context.AddMetadata("hasleader", "true");
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return false;
    under_way_ = &context;
  }
  bool has_begun = false;
  {
    WatchCall call(member, context, range_);
    while (const etcdserverpb::WatchResponse* response = call.Next()) {
      if (response->canceled()) {
        // Such as a token that has become too old; the next call shows a new one.
        members_->Forget(*token);
        break;
      }
      has_begun |= response->created();
      if (response->created() || !response->events().empty()) changed_();
    }
  }
  const std::lock_guard lock(mutex_);
  under_way_ = nullptr;
  return has_begun;
}

}  // namespace gp
