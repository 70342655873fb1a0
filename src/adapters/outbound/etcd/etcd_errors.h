#pragma once

// What the ends of etcd's calls mean.  Pure; any thread.

#include <grpcpp/support/status.h>

#include <string>

namespace gp {

// The member has answered: the next one would say the same.
bool IsAnswer(const grpc::Status& end);

// The token is not accepted (it is too old, or etcd's users have changed).  etcd looks at it before
// it carries anything out.
bool IsTokenRefused(const grpc::Status& end);

// The revision of a compaction is forgotten already.
bool IsForgotten(const grpc::Status& end);

// "etcd at https://e1:2379: what happened: what to do about it".
std::string EtcdTrouble(const grpc::Status& end);
// That of this member, and what to do.
std::string EtcdFailure(const std::string& endpoint, const grpc::Status& end);

}  // namespace gp
