#include "adapters/inbound/grpc/status.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace gp {
namespace {

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), status.error_code());
  EXPECT_EQ(details.message(), status.error_message());
  return details;
}

TEST(GrpcStatus, SaysWhichFieldIsWrong) {
  const google::rpc::Status details =
      DetailsOf(ToGrpc(InvalidArgument("specs[0].gpus.count: must not be negative: -1")));
  ASSERT_EQ(details.details_size(), 2);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "INVALID_ARGUMENT");
  EXPECT_EQ(info.domain(), "gpu-platform");
  google::rpc::BadRequest request;
  ASSERT_TRUE(details.details(1).UnpackTo(&request));
  ASSERT_EQ(request.field_violations_size(), 1);
  EXPECT_EQ(request.field_violations(0).field(), "specs[0].gpus.count");
  EXPECT_EQ(request.field_violations(0).description(), "must not be negative: -1");
}

TEST(GrpcStatus, NamesNoFieldWhereNoneIs) {
  for (const char* message : {"no such thing", "XID 79: is no program's", "a queue: no", ": empty",
                              "\"x\": is none", ""}) {
    EXPECT_EQ(DetailsOf(ToGrpc(InvalidArgument(message))).details_size(), 1) << message;
  }
  EXPECT_EQ(DetailsOf(ToGrpc(NotFound("queue: there is none"))).details_size(), 1);
}

TEST(GrpcStatus, SaysWhenToTryAgain) {
  const google::rpc::Status details = DetailsOf(ToGrpc(Unavailable("the inbox is full")));
  google::rpc::RetryInfo retry;
  ASSERT_EQ(details.details_size(), 2);
  ASSERT_TRUE(details.details(1).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
}

TEST(GrpcStatus, HasAReasonForEveryCode) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    google::rpc::ErrorInfo info;
    ASSERT_TRUE(
        DetailsOf(ToGrpc(Error{static_cast<ErrorCode>(code), "x"})).details(0).UnpackTo(&info));
    for (const char c : info.reason())
      EXPECT_TRUE((c >= 'A' && c <= 'Z') || c == '_') << info.reason();
  }
}

TEST(GrpcStatus, LongMessagesStandOnce) {
  const grpc::Status status = ToGrpc(InvalidArgument("name: " + std::string(2'000, 'x')));
  EXPECT_EQ(status.error_details(), "");
  EXPECT_EQ(status.error_message().size(), 2'006u);
  EXPECT_TRUE(ToGrpc(Status()).ok());
}

}  // namespace
}  // namespace gp
