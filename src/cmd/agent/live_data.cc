#include "cmd/agent/live_data.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/data_store/caching_data_store.h"
#include "adapters/outbound/objects/transfer_task.h"
#include "infrastructure/paths.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

// Of a whole transfer; one without progress ends by itself much earlier.
constexpr Duration kTransferMax = Duration::Minutes(24 * 60);

using TaskKind = TransferTask::Kind;

TaskKind KindOf(TransferOrder::Kind kind) {
  switch (kind) {
    case TransferOrder::Kind::kList: return TaskKind::kList;
    case TransferOrder::Kind::kFetch: return TaskKind::kFetch;
    case TransferOrder::Kind::kRestore: return TaskKind::kRestore;
    case TransferOrder::Kind::kPut: break;
  }
  return TaskKind::kPut;
}

TransferTask TaskFor(const TransferOrder& order, const AgentConfig& config) {
  TransferTask task;
  task.kind = KindOf(order.kind);
  task.url = order.url;
  task.directory = order.path;
  task.include = order.include;
  task.sha256 = order.sha256;
  task.credentials = order.credentials;
  task.bytes_max = order.bytes_max;
  task.listing = order.tree_digest;
  task.is_fixed = order.is_fixed;
  task.staying = order.staying;
  task.allowed_addresses = config.data_addresses;
  return task;
}

std::vector<std::string> WordsFor(const TransferOrder& order) {
  std::vector<std::string> words{ExecutablePath(), "__transfer",
                                 "--uid=" + std::to_string(order.uid),
                                 "--gid=" + std::to_string(order.gid)};
  for (const uint32_t group : order.groups) words.push_back("--group=" + std::to_string(group));
  return words;
}

// What a user asked for and cannot have is not tried on another node.
Error AsOfDataStore(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kUnsupported: return InvalidArgument(error.message);
    default: return error;
  }
}

// Takes the lines that a process prints: progress, and its answer.
class Lines {
 public:
  explicit Lines(const std::function<void(int64_t, int64_t)>& progress) : progress_(progress) {}

  void Take(std::string_view piece) {
    text_ += piece;
    for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      std::string line = text_.substr(0, end);
      if (const auto now = ReadProgress(line)) {
        progress_(now->done_bytes, now->total_bytes);
      } else {
        answer_ = std::move(line);
      }
    }
    if (text_.size() > kTransferAnswerBytesMax) text_.clear();
  }
  const std::string& answer() const { return answer_; }

 private:
  const std::function<void(int64_t, int64_t)>& progress_;
  std::string text_;
  std::string answer_;
};

Result<TransferAnswer> Transfer(const AgentConfig& config, const TransferOrder& order, int stop_fd,
                                const std::function<void(int64_t, int64_t)>& progress) {
  Lines lines(progress);
  const CommandEnd end = RunCommand(
      WordsFor(order), {.time_limit = kTransferMax,
                        .stop_fd = stop_fd,
                        .input = TaskText(TaskFor(order, config)),
                        .on_output = [&](std::string_view piece) { lines.Take(piece); }});
  if (lines.answer().empty() && !end.ok) return Fail(Unavailable("it was stopped"));
  const auto report = ReadTransferAnswer(lines.answer());
  if (!report) return Fail(AsOfDataStore(report.error()));
  return TransferAnswer{report->digest, report->bytes, report->files, report->single};
}

// For an agent that is not root, if a job comes nevertheless.
class NoDataStore : public DataStore {
 public:
  NoDataStore() : event_fd_(eventfd(0, EFD_CLOEXEC)) {}
  ~NoDataStore() override { close(event_fd_); }

  std::optional<Result<std::vector<std::string>>> Prepare(const LaunchSpec&) override {
    return Fail(Internal(kWhy));
  }
  void Keep(const std::string&, const std::vector<std::string>&) override {}
  void Release(const std::string&) override {}
  std::optional<Status> Copy(const DataCopy&) override { return Fail(Internal(kWhy)); }
  StagingProgress ProgressOf(const std::string&) override { return {}; }
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override {}

 private:
  static constexpr const char* kWhy = "this node fetches no data: its agent is not root";

  const int event_fd_;
};

}  // namespace

Result<std::unique_ptr<DataStore>> MakeDataStore(const AgentConfig& config) {
  if (geteuid() != 0) return std::make_unique<NoDataStore>();
  auto cache = GP_TRY(DataCache::Open(config.state_directory + "/data", config.data_gib << 30));
  return std::make_unique<CachingDataStore>(
      [&config](const TransferOrder& order, int stop_fd,
                const std::function<void(int64_t, int64_t)>& progress) {
        return Transfer(config, order, stop_fd, progress);
      },
      std::move(cache));
}

}  // namespace gp
