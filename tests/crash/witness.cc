#include "tests/crash/witness.h"

#include <sys/mman.h>

#include <cstring>

#include "base/assert.h"

namespace gp {
namespace {

constexpr size_t kBytesMax = 4 << 20;
constexpr size_t kRecordsMax = 4'096;
constexpr size_t kPromisesMax = 512;
constexpr size_t kNameMax = 24;

}  // namespace

struct Witness::Shared {
  std::atomic<uint64_t> offered;  // records; record i ends at ends[i]
  std::atomic<uint64_t> durable;
  std::atomic<uint64_t> promises;
  uint64_t ends[kRecordsMax];
  struct {
    char request[kNameMax];
    uint64_t job;
  } promised[kPromisesMax];
  char bytes[kBytesMax];
};

Witness::Witness() {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  GP_ASSERT(memory != MAP_FAILED, "a witness has its memory");
  shared_ = new (memory) Shared;
}

Witness::~Witness() { munmap(shared_, sizeof(Shared)); }

void Witness::Clear() {
  shared_->offered = 0;
  shared_->durable = 0;
  shared_->promises = 0;
}

std::string Witness::Save() const {
  return {
      reinterpret_cast<const char*>(shared_),
      offsetof(Shared, bytes) + (shared_->offered == 0 ? 0 : shared_->ends[shared_->offered - 1])};
}

void Witness::Restore(const std::string& saved) {
  std::memcpy(static_cast<void*>(shared_), saved.data(), saved.size());
}

void Witness::Offer(uint64_t sequence, std::span<const std::string> records) {
  GP_ASSERT(sequence <= shared_->offered, "records are offered in order");
  uint64_t end = sequence == 0 ? 0 : shared_->ends[sequence - 1];
  for (const std::string& record : records) {
    GP_ASSERT(end + record.size() <= kBytesMax && sequence < kRecordsMax, "a witness has room");
    std::memcpy(shared_->bytes + end, record.data(), record.size());
    end += record.size();
    shared_->ends[sequence++] = end;
  }
  shared_->offered = sequence;
}

void Witness::MarkDurable(uint64_t sequence) { shared_->durable = sequence; }

void Witness::Promise(const std::string& request_id, uint64_t job) {
  const uint64_t at = shared_->promises;
  GP_ASSERT(at < kPromisesMax && request_id.size() < kNameMax, "a witness has room");
  std::strncpy(shared_->promised[at].request, request_id.c_str(), kNameMax);
  shared_->promised[at].job = job;
  shared_->promises = at + 1;
}

std::vector<std::string> Witness::Offered() const {
  std::vector<std::string> records;
  uint64_t begin = 0;
  for (uint64_t i = 0; i < shared_->offered; begin = shared_->ends[i++]) {
    records.emplace_back(shared_->bytes + begin, shared_->ends[i] - begin);
  }
  return records;
}

uint64_t Witness::durable() const { return shared_->durable; }

std::map<std::string, uint64_t> Witness::Promised() const {
  std::map<std::string, uint64_t> promised;
  for (uint64_t i = 0; i < shared_->promises; ++i)
    promised[shared_->promised[i].request] = shared_->promised[i].job;
  return promised;
}

}  // namespace gp
