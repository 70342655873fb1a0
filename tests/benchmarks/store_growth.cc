// How large etcd becomes while a leader appends millions of records, trims its log and compacts the
// store as in production: make bench-store-growth.
//
//   store_growth [RECORDS [RECORDS_PER_APPEND [BYTES_PER_RECORD]]]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "application/replication/care/store_care.h"
#include "application/replication/lead/leader_key.h"
#include "infrastructure/system_clock.h"
#include "tests/integration/etcd/etcd_cluster.h"

namespace gp {
namespace {

constexpr uint64_t kQuota = uint64_t{2} << 30;

class ToStderr : public OperatorLog {
 public:
  void Write(LogLevel, const std::string& text) override {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
};

struct Load {
  uint64_t records = 10'000'000;
  uint64_t per_append = 64;
  uint64_t bytes = 300;
};

// What one run has seen.
struct Growth {
  uint64_t records = 0;
  double seconds = 0;
  StoreBytes most;   // at the worst moment
  StoreBytes after;  // at the end
  bool was_full = false;
};

// Of standbys that follow at once.
Status PublishMembers(MemberBoard& board, uint64_t applied) {
  for (const char* name : {"c1", "c2", "c3"}) {
    Member member;
    member.name = name;
    member.applied = applied;
    GP_CHECK_OK(board.Publish(member));
  }
  return Ok();
}

std::vector<std::string> RecordsOf(const Load& load) {
  std::vector<std::string> records(load.per_append, std::string(load.bytes, ' '));
  uint64_t word = 1;
  for (std::string& record : records)
    for (char& byte : record)
      byte = static_cast<char>((word = word * 6364136223846793005 + 1) >> 56);
  return records;
}

Result<Growth> Grow(EtcdStore& store, const Load& load) {
  const StoreKeys keys("growth");
  SystemClock clock;
  ToStderr log;
  SharedLog shared(store, keys);
  LeaderKey key(store, keys, "c1", Duration::Minutes(60));
  GP_CHECK_OK(shared.Create(0, 0));
  if (!GP_TRY(key.TryTake())) return Fail(Internal("somebody else leads"));
  MemberBoard board(store, keys);
  NewChunks written;
  LogWriter writer(
      shared, key.term(), *GP_TRY(shared.Head()), [](int tries) { return tries < 9; }, &written);
  LogTrimmer trimmer(store, keys, clock, key.term(), 0, written, {});
  StoreCompactor compactor(store, keys, clock, written);
  StoreSpace space(store, kQuota, log);
  const StoreCare care({trimmer, &compactor, space, written}, log);
  const std::vector<std::string> records = RecordsOf(load);
  Growth growth;
  const auto begun = std::chrono::steady_clock::now();
  auto next_look = begun;
  while (writer.last() < load.records) {
    if (const Appended appended = writer.Append(records); appended.end != AppendEnd::kDurable)
      return Fail(Internal(appended.why));
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look) continue;
    next_look = now + std::chrono::seconds(1);
    GP_CHECK_OK(PublishMembers(board, writer.last()));
    growth.after = GP_TRY(store.Bytes());
    growth.most.file = std::max(growth.most.file, growth.after.file);
    growth.most.in_use = std::max(growth.most.in_use, growth.after.in_use);
    growth.was_full = growth.was_full || !space.AcceptsJobs();
  }
  growth.records = writer.last();
  growth.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return growth;
}

Result<Load> LoadOf(int count, char** words) {
  Load load;
  uint64_t* const values[] = {&load.records, &load.per_append, &load.bytes};
  for (int i = 1; i < count && i <= 3; ++i) *values[i - 1] = std::strtoull(words[i], nullptr, 10);
  if (std::ranges::any_of(values, [](const uint64_t* value) { return *value == 0; }))
    return Fail(InvalidArgument("usage: store_growth [RECORDS [RECORDS_PER_APPEND [BYTES]]]"));
  return load;
}

int Run(int count, char** words) {
  const Result<Load> load = LoadOf(count, words);
  if (!load) return std::fprintf(stderr, "%s\n", load.error().message.c_str()), 2;
  const EtcdCluster cluster({.members = 3, .flags = {"--quota-backend-bytes=2147483648"}});
  if (!cluster.is_up() || !cluster.AwaitHealth())
    return std::fputs("etcd does not start\n", stderr), 1;
  const Result<Growth> growth = Grow(*cluster.Store(), *load);
  if (!growth) return std::fprintf(stderr, "%s\n", growth.error().message.c_str()), 1;
  constexpr double kMiB = 1 << 20;
  std::printf(
      "{\"records\": %lu, \"seconds\": %.0f, \"records_per_s\": %.0f, \"file_most_mib\": %.0f, "
      "\"used_most_mib\": %.0f, \"used_after_mib\": %.0f, \"refused_jobs\": %s}\n",
      growth->records, growth->seconds, static_cast<double>(growth->records) / growth->seconds,
      static_cast<double>(growth->most.file) / kMiB,
      static_cast<double>(growth->most.in_use) / kMiB,
      static_cast<double>(growth->after.in_use) / kMiB, growth->was_full ? "true" : "false");
  return 0;
}

}  // namespace
}  // namespace gp

int main(int count, char** words) { return gp::Run(count, words); }
