#include "adapters/inbound/grpc/status.h"

#include <algorithm>
#include <string_view>

#include "adapters/wire/error.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace gp {
namespace {

// Many clients refuse trailers above 8 KiB, and the message occurs there three times
constexpr size_t kStatusTextMax = 1'024;
constexpr int kRetryAfterSeconds = 1;

// "RESOURCE_EXHAUSTED"
std::string ReasonOf(ErrorCode code) {
  std::string reason(ErrorCodeName(code));
  for (char& c : reason) c = c == '-' ? '_' : static_cast<char>(c - ('a' - 'A'));
  return reason;
}

// The field at the start of a message: "specs[0].gpus: must not be negative".  Empty: none.
std::string_view FieldOf(std::string_view message) {
  const size_t end = message.find(": ");
  if (end == std::string_view::npos || end == 0) return "";
  const std::string_view field = message.substr(0, end);
  const bool is_path = std::ranges::all_of(field, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' ||
           c == ']';
  });
  return is_path ? field : "";
}

google::rpc::Status DetailsOf(const Error& error, grpc::StatusCode code) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(error.message);
  google::rpc::ErrorInfo info;
  info.set_reason(ReasonOf(error.code));
  info.set_domain("gpu-platform");
  status.add_details()->PackFrom(info);
  if (error.code == ErrorCode::kUnavailable) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetryAfterSeconds);
    status.add_details()->PackFrom(retry);
  }
  const std::string_view field = FieldOf(error.message);
  if (error.code == ErrorCode::kInvalidArgument && !field.empty()) {
    google::rpc::BadRequest request;
    auto* violation = request.add_field_violations();
    violation->set_field(std::string(field));
    violation->set_description(error.message.substr(field.size() + 2));
    status.add_details()->PackFrom(request);
  }
  return status;
}

}  // namespace

grpc::Status ToGrpc(const Error& error) {
  const auto code = static_cast<grpc::StatusCode>(GrpcCodeFor(error.code));
  if (error.message.size() > kStatusTextMax) return {code, error.message};
  return {code, error.message, DetailsOf(error, code).SerializeAsString()};
}

}  // namespace gp
