#include "adapters/wire/error.h"

#include <algorithm>
#include <iterator>

namespace gp {
namespace {

struct Row {
  ErrorCode code;
  int grpc;
  int http;
  int exit;
  const char* connect;
};

// gRPC's numbers are part of its protocol; the first row with a number is used for the reverse
// direction.
constexpr Row kRows[] = {
    {ErrorCode::kInvalidArgument, 3, 400, 2, "invalid_argument"},
    {ErrorCode::kDeadlineExceeded, 4, 504, 7, "deadline_exceeded"},
    {ErrorCode::kNotFound, 5, 404, 3, "not_found"},
    {ErrorCode::kPermissionDenied, 7, 403, 5, "permission_denied"},
    {ErrorCode::kResourceExhausted, 8, 429, 6, "resource_exhausted"},
    {ErrorCode::kConflict, 9, 409, 4, "failed_precondition"},
    {ErrorCode::kUnsupported, 12, 501, 1, "unimplemented"},
    {ErrorCode::kInternal, 13, 500, 1, "internal"},
    {ErrorCode::kUnavailable, 14, 503, 8, "unavailable"},
    {ErrorCode::kUnauthenticated, 16, 401, 5, "unauthenticated"},
};

const Row& RowOf(ErrorCode code) { return *std::ranges::find(kRows, code, &Row::code); }

}  // namespace

int GrpcCodeFor(ErrorCode code) { return RowOf(code).grpc; }
int HttpStatusFor(ErrorCode code) { return RowOf(code).http; }
int ExitCodeFor(ErrorCode code) { return RowOf(code).exit; }

std::string ConnectNameFor(ErrorCode code) { return RowOf(code).connect; }

ErrorCode ErrorCodeFromConnect(std::string_view name) {
  const auto* row =
      std::ranges::find(kRows, name, [](const Row& one) { return std::string_view(one.connect); });
  return row == std::end(kRows) ? ErrorCode::kInternal : row->code;
}

ErrorCode ErrorCodeFromGrpc(int grpc_code) {
  const auto* row = std::ranges::find(kRows, grpc_code, &Row::grpc);
  return row == std::end(kRows) ? ErrorCode::kInternal : row->code;
}

}  // namespace gp
