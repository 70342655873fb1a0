#include "adapters/outbound/log_clues/log_clues.h"

#include <gtest/gtest.h>

#include <map>

namespace gp {
namespace {

class FixedLogs : public LogReader {
 public:
  explicit FixedLogs(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  Result<LogSlice> Read(const std::string& path, int64_t offset, int64_t bytes_max) override {
    const auto file = files_.find(path);
    if (file == files_.end()) return Fail(Internal("unreadable"));
    EXPECT_EQ(offset, -kClueBytes);
    EXPECT_EQ(bytes_max, kClueBytes);
    return LogSlice{file->second, 0, static_cast<int64_t>(file->second.size())};
  }
  Result<int64_t> OffsetAt(const std::string&, Instant) override { return Fail(Internal("")); }

 private:
  std::map<std::string, std::string> files_;
};

TEST(LogClues, AFullGpuIsKnownByWhatFrameworksSay) {
  for (const char* line : {
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.10 "
           "GiB total)",
           "torch.cuda.OutOfMemoryError: CUDA out of memory.",
           "RuntimeError: CUDA error: out of memory",
           "E0000 cuda_driver.cc:1] failed to alloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
           "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying "
           "to allocate 17179869184 bytes.",
           "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)",
       }) {
    EXPECT_TRUE(FindClues(line, {}).gpu_memory) << line;
  }
  for (const char* line : {"MemoryError: out of memory", "oom-kill: constraint=CONSTRAINT_MEMCG",
                           "cuda memory: 12 GiB free"}) {
    EXPECT_FALSE(FindClues(line, {}).gpu_memory) << line;
  }
}

TEST(LogClues, RanksThatLoseEachOtherAreKnownByWhatTheirLibrariesSay) {
  for (const char* line : {
           "[rank3]:[E ProcessGroupNCCL.cpp:616] Watchdog caught collective operation timeout: "
           "WorkNCCL(SeqNum=7, OpType=ALLREDUCE)",
           "torch.distributed.DistBackendError: NCCL error in: x.cpp:1, unhandled system error, "
           "NCCL version 2.20.5",
           "node1:11:22 [0] socket.c:540 NCCL WARN Net : Connection closed by remote peer",
           "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer "
           "[10.0.0.2]:1234",
       }) {
    EXPECT_TRUE(FindClues(line, {}).communication) << line;
  }
  EXPECT_FALSE(FindClues("NCCL INFO Connected all rings", {}).communication);
}

TEST(LogClues, TheLastLineThatReadsLikeAnErrorIsKept) {
  const LogClues clues = FindClues(
      "Traceback (most recent call last):\nValueError: first\n  File \"x\"\nKeyError: 'lr'\nbye, "
      "no errors here\n",
      {});
  EXPECT_EQ(clues.last_error, "KeyError: 'lr'");
  EXPECT_EQ(FindClues("all good\n", {}).last_error, "");
  EXPECT_LE(FindClues("ValueError: " + std::string(100'000, 'x'), {}).last_error.size(),
            kLastErrorMax);
  EXPECT_EQ(FindClues("error: \x1b[31mred\n", {}).last_error.find('\x1b'), std::string::npos);
}

TEST(LogClues, RulesAreFoundByTheirNumbers) {
  EXPECT_EQ(FindClues("NVLink down on port 3\n", {"never", "NVLink .*port [0-9]", "down"}).rules,
            (std::vector<int>{1, 2}));
  EXPECT_TRUE(FindClues("x\n", {"("}).rules.empty());  // no expression: it matches nothing
  EXPECT_EQ(FindClues("b\n", {"(", "b"}).rules, (std::vector<int>{1}));
}

TEST(LogClues, BothStreamsAreReadAndErrorsOfTheSecondStand) {
  FixedLogs logs({{"/logs/0.out", "error: one\nmarker\n"},
                  {"/logs/0.err", "error: two\nCUDA out of memory\n"}});
  LaunchSpec launch;
  launch.log_directory = "/logs";
  launch.log_name = "0";
  launch.log_patterns = {"marker"};
  const LogClues clues = FindClues(logs, launch);
  EXPECT_EQ(clues.rules, (std::vector<int>{0}));
  EXPECT_EQ(clues.last_error, "error: two");
  EXPECT_TRUE(clues.gpu_memory);
  launch.log_name = "1";
  EXPECT_EQ(FindClues(logs, launch), LogClues{});  // nothing can be read
}

}  // namespace
}  // namespace gp
