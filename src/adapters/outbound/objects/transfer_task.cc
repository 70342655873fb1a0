#include "adapters/outbound/objects/transfer_task.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr char kProgressWord[] = "progress";
constexpr const char* kKindWords[] = {"list", "fetch", "restore", "put"};
constexpr int kAtOnceMax = 16;

constexpr ErrorCode kTransferCodes[] = {ErrorCode::kInvalidArgument, ErrorCode::kNotFound,
                                        ErrorCode::kConflict,        ErrorCode::kPermissionDenied,
                                        ErrorCode::kUnauthenticated, ErrorCode::kResourceExhausted,
                                        ErrorCode::kUnavailable,     ErrorCode::kDeadlineExceeded,
                                        ErrorCode::kUnsupported,     ErrorCode::kInternal};

std::string DumpText(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

ErrorCode CodeNamed(const std::string& name) {
  for (const ErrorCode code : kTransferCodes)
    if (ErrorCodeName(code) == name) return code;
  return ErrorCode::kInternal;
}

// The process may have been subverted by what it read.
bool IsSoundReport(const TransferReport& report) {
  const bool is_name = report.single.find('/') == std::string::npos && report.single != "..";
  return (report.digest.empty() || IsSha256Name(report.digest)) && is_name && report.bytes >= 0 &&
         report.files >= 0 && report.unverified >= 0 && report.moved >= 0 && report.left_out >= 0;
}

TransferReport ReportFrom(const json& answer) {
  return {.digest = answer.at("digest").get<std::string>(),
          .version = Printable(answer.at("version").get<std::string>(), 200),
          .bytes = answer.at("bytes").get<int64_t>(),
          .files = answer.at("files").get<int64_t>(),
          .unverified = answer.at("unverified").get<int64_t>(),
          .moved = answer.at("moved").get<int64_t>(),
          .left_out = answer.at("left_out").get<int64_t>(),
          .single = answer.at("single").get<std::string>()};
}

}  // namespace

std::string TaskText(const TransferTask& task) {
  return DumpText({{"kind", kKindWords[static_cast<size_t>(task.kind)]},
                   {"url", task.url},
                   {"directory", task.directory},
                   {"include", task.include},
                   {"sha256", task.sha256},
                   {"credentials", task.credentials},
                   {"bytes_max", task.bytes_max},
                   {"create_only", task.create_only},
                   {"listing", task.listing},
                   {"is_fixed", task.is_fixed},
                   {"staying", task.staying},
                   {"allowed_addresses", task.allowed_addresses},
                   {"authorities", task.authorities},
                   {"objects_at_once", task.objects_at_once},
                   {"stall_ms", task.stall.ToMilliseconds()}});
}

Result<TransferTask> ReadTask(const std::string& text) try {
  const json object = json::parse(text);
  TransferTask task;
  const auto kind = object.at("kind").get<std::string>();
  const auto* const word = std::ranges::find(kKindWords, kind);
  if (word == std::end(kKindWords))
    return Fail(InvalidArgument("the task of a transfer is of an unknown kind"));
  task.kind = static_cast<TransferTask::Kind>(word - std::begin(kKindWords));
  task.url = object.at("url").get<std::string>();
  task.directory = object.at("directory").get<std::string>();
  task.include = object.at("include").get<std::vector<std::string>>();
  task.sha256 = object.at("sha256").get<std::string>();
  task.credentials = object.at("credentials").get<std::string>();
  task.bytes_max = object.at("bytes_max").get<int64_t>();
  task.create_only = object.at("create_only").get<bool>();
  task.listing = object.at("listing").get<std::string>();
  task.is_fixed = object.at("is_fixed").get<bool>();
  task.staying = object.at("staying").get<std::vector<std::string>>();
  task.allowed_addresses = object.at("allowed_addresses").get<std::vector<std::string>>();
  task.authorities = object.at("authorities").get<std::string>();
  task.objects_at_once = std::clamp(object.at("objects_at_once").get<int>(), 1, kAtOnceMax);
  task.stall = Duration::Milliseconds(object.at("stall_ms").get<int64_t>());
  return task;
} catch (const json::exception&) {
  return Fail(InvalidArgument("this is no task of a transfer"));
}

std::string ProgressLine(const TransferProgress& progress) {
  return std::string(kProgressWord) + " " + std::to_string(progress.done_bytes) + " " +
         std::to_string(progress.total_bytes) + " " + std::to_string(progress.files) + "\n";
}

std::optional<TransferProgress> ReadProgress(const std::string& line) {
  const std::vector<std::string> words = Split(line, ' ');
  if (words.size() != 4 || words[0] != kProgressWord) return std::nullopt;
  const auto done = ParseCount(words[1]);
  const auto total = ParseCount(words[2]);
  const auto files = ParseCount(words[3]);
  if (!done || !total || !files) return std::nullopt;
  return TransferProgress{*done, *total, *files};
}

std::string AnswerLine(const Result<TransferReport>& report) {
  if (!report)
    return DumpText(
               {{"error", report.error().message}, {"code", ErrorCodeName(report.error().code)}}) +
           "\n";
  return DumpText({{"digest", report->digest},
                   {"version", report->version},
                   {"bytes", report->bytes},
                   {"files", report->files},
                   {"unverified", report->unverified},
                   {"moved", report->moved},
                   {"left_out", report->left_out},
                   {"single", report->single}}) +
         "\n";
}

Result<TransferReport> ReadTransferAnswer(const std::string& printed) {
  const Error odd = Internal("a process that transfers data said: " + Printable(printed));
  std::vector<std::string> lines = Split(printed, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return Fail(Internal("a process that transfers data said nothing"));
  try {
    const json answer = json::parse(lines.back());
    if (answer.contains("error"))
      return Fail(Error{CodeNamed(answer.at("code").get<std::string>()),
                        Printable(answer.at("error").get<std::string>(), 1'000)});
    TransferReport report = ReportFrom(answer);
    if (!IsSoundReport(report)) return Fail(odd);
    return report;
  } catch (const json::exception&) {
    return Fail(odd);
  }
}

}  // namespace gp
