#include "adapters/outbound/etcd/etcd_errors.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(EtcdErrors, OnlyWhatEveryMemberWouldSayIsAnAnswer) {
  EXPECT_TRUE(IsAnswer(grpc::Status::OK));
  EXPECT_TRUE(IsAnswer({grpc::StatusCode::PERMISSION_DENIED, "etcdserver: permission denied"}));
  EXPECT_FALSE(IsAnswer({grpc::StatusCode::UNAVAILABLE, "etcdserver: leader changed"}));
  EXPECT_FALSE(IsAnswer({grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"}));
  EXPECT_FALSE(IsAnswer({grpc::StatusCode::RESOURCE_EXHAUSTED, "etcdserver: too many requests"}));
  EXPECT_FALSE(IsAnswer({grpc::StatusCode::CANCELLED, ""}));
}

TEST(EtcdErrors, ARefusedTokenIsToldFromOtherRefusals) {
  EXPECT_TRUE(
      IsTokenRefused({grpc::StatusCode::UNAUTHENTICATED, "etcdserver: invalid auth token"}));
  EXPECT_TRUE(IsTokenRefused(
      {grpc::StatusCode::INVALID_ARGUMENT, "etcdserver: revision of auth store is old"}));
  EXPECT_FALSE(
      IsTokenRefused({grpc::StatusCode::PERMISSION_DENIED, "etcdserver: permission denied"}));
  EXPECT_FALSE(IsTokenRefused({grpc::StatusCode::UNAVAILABLE, "etcdserver: no leader"}));
  EXPECT_FALSE(IsTokenRefused(grpc::Status::OK));
}

TEST(EtcdErrors, AFailureNamesTheEndpointAndWhatToDo) {
  EXPECT_EQ(
      EtcdFailure("https://e1:2379", {grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"}),
      "etcd at https://e1:2379: no answer in time: check that it runs and reaches a majority "
      "of the members");
  EXPECT_EQ(EtcdFailure("http://e1:1", {grpc::StatusCode::RESOURCE_EXHAUSTED,
                                        "etcdserver: mvcc: database space exceeded"}),
            "etcd at http://e1:1: etcdserver: mvcc: database space exceeded: compact and "
            "defragment etcd, then etcdctl alarm disarm; or raise its --quota-backend-bytes");
}

TEST(EtcdErrors, WhatIsForgottenAlreadyIsKnown) {
  EXPECT_TRUE(IsForgotten(
      {grpc::StatusCode::OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted"}));
  EXPECT_FALSE(IsForgotten({grpc::StatusCode::OUT_OF_RANGE,
                            "etcdserver: mvcc: required revision is a future revision"}));
  EXPECT_FALSE(IsForgotten(grpc::Status::OK));
}

TEST(EtcdErrors, WhatCameFromOutsideIsPrintable) {
  EXPECT_EQ(EtcdFailure("e", {grpc::StatusCode::UNKNOWN, "a\x1b[31m"}).find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace gp
