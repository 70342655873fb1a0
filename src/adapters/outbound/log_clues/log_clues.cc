#include "adapters/outbound/log_clues/log_clues.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kLineMax = 16 << 10;  // longer lines are truncated
constexpr size_t kMark = 3;            // bytes of the mark of a truncation

// Messages of CUDA, PyTorch, JAX and TensorFlow.
constexpr const char* kGpuMemory =
    R"((?i)cuda(_error_|error:| error:? |: )?\s*out[ _]of[ _]memory|)"
    R"(CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|torch\.(cuda\.)?OutOfMemoryError|)"
    R"(RESOURCE_EXHAUSTED: Out of memory|CUBLAS_STATUS_ALLOC_FAILED)";
// Messages of NCCL, Gloo, torch.distributed and gpu-platform-rsh.
constexpr const char* kCommunication =
    R"(Watchdog caught collective operation timeout|)"
    R"(NCCL (WARN|error).*)"
    R"(([Tt]imeout|[Tt]imed out|[Cc]onnection (closed|refused|reset)|remote error)|)"
    R"(ncclRemoteError|ncclSystemError|unhandled system error, NCCL|)"
    R"(gpu-platform-rsh: (the connection to rank 0 was lost|rank \d+ .* is gone)|)"
    R"(Gloo.*(Connection closed|[Tt]imed out)|Connection closed by peer)";
// A line that begins with an error or names one: "RuntimeError: …", "error: …", "Segmentation
// fault".
constexpr const char* kError = R"(^\s*([\w.]*(Error|Exception|Fault|Interrupt)\b|)"
                               R"((?i:fatal|error|panic|critical|assertion)\b|)"
                               R"(terminate called|Segmentation fault|Killed\b|Aborted\b)|)"
                               R"((?i:\berror:)|\b(Error|Exception): )";

// Matches all expressions in one pass over each line.
class Expressions {
 public:
  explicit Expressions(const std::vector<std::string>& patterns) : set_(Quiet(), RE2::UNANCHORED) {
    for (const char* own : {kGpuMemory, kCommunication, kError}) Add(own, -1);
    for (size_t i = 0; i < patterns.size(); ++i) Add(patterns[i], static_cast<int>(i));
    set_.Compile();
  }

  void Look(std::string_view line, LogClues& clues) const {
    std::vector<int> found;
    if (!set_.Match(re2::StringPiece(line.data(), line.size()), &found)) return;
    for (const int at : found) Take(at, line, clues);
  }

 private:
  static RE2::Options Quiet() {
    RE2::Options options(RE2::Quiet);
    options.set_encoding(RE2::Options::EncodingLatin1);  // output may be binary
    return options;
  }
  void Add(const std::string& pattern, int rule) {
    if (set_.Add(pattern, nullptr) >= 0) rules_.push_back(rule);
  }
  void Take(int at, std::string_view line, LogClues& clues) const {
    if (at == 0) clues.gpu_memory = true;
    if (at == 1) clues.communication = true;
    if (at == 2) clues.last_error = Printable(std::string(line), kLastErrorMax - kMark);
    const int rule = rules_[static_cast<size_t>(at)];
    if (rule >= 0 && std::ranges::find(clues.rules, rule) == clues.rules.end())
      clues.rules.push_back(rule);
  }

  RE2::Set set_;
  std::vector<int> rules_;  // by number in the set; -1: a built-in one
};

void Look(std::string_view output, const Expressions& expressions, LogClues& clues) {
  while (!output.empty()) {
    const size_t end = std::min(output.find('\n'), output.size());
    expressions.Look(output.substr(0, std::min(end, kLineMax)), clues);
    output.remove_prefix(std::min(end + 1, output.size()));
  }
}

}  // namespace

LogClues FindClues(std::string_view output, const std::vector<std::string>& patterns) {
  LogClues clues;
  Look(output, Expressions(patterns), clues);
  std::ranges::sort(clues.rules);
  return clues;
}

LogClues FindClues(LogReader& logs, const LaunchSpec& launch) {
  LogClues clues;
  if (launch.log_directory.empty()) return clues;
  const Expressions expressions(launch.log_patterns);
  // The stream of errors is read last, so that its last line wins.
  for (const char* stream : {".out", ".err"}) {
    const auto tail =
        logs.Read(launch.log_directory + "/" + launch.log_name + stream, -kClueBytes, kClueBytes);
    if (tail) Look(tail->bytes, expressions, clues);
  }
  std::ranges::sort(clues.rules);
  return clues;
}

}  // namespace gp
