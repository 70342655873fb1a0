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
};

// gRPC's numbers are part of its protocol; the first row of a number is the way back from it.
constexpr Row kRows[] = {
    {ErrorCode::kInvalidArgument, 3, 400, 2},   {ErrorCode::kDeadlineExceeded, 4, 504, 7},
    {ErrorCode::kNotFound, 5, 404, 3},          {ErrorCode::kPermissionDenied, 7, 403, 5},
    {ErrorCode::kResourceExhausted, 8, 429, 6}, {ErrorCode::kConflict, 9, 409, 4},
    {ErrorCode::kUnsupported, 12, 501, 1},      {ErrorCode::kInternal, 13, 500, 1},
    {ErrorCode::kUnavailable, 14, 503, 8},      {ErrorCode::kUnauthenticated, 16, 401, 5},
};

const Row& RowOf(ErrorCode code) { return *std::ranges::find(kRows, code, &Row::code); }

}  // namespace

int GrpcCodeFor(ErrorCode code) { return RowOf(code).grpc; }
int HttpStatusFor(ErrorCode code) { return RowOf(code).http; }
int ExitCodeFor(ErrorCode code) { return RowOf(code).exit; }

ErrorCode ErrorCodeFromGrpc(int grpc_code) {
  const auto* row = std::ranges::find(kRows, grpc_code, &Row::grpc);
  return row == std::end(kRows) ? ErrorCode::kInternal : row->code;
}

}  // namespace gp
