#include "adapters/outbound/etcd/etcd_errors.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace gp {
namespace {

// By a part of etcd's or gRPC's message; the first that fits.
struct EtcdAdvice {
  std::string_view part;
  std::string_view advice;
};
constexpr std::array kAdvice = {
    EtcdAdvice{"invalid user ID or password", "set the right user and password of etcd"},
    EtcdAdvice{"user name is empty", "set the user and the password that etcd asks for"},
    EtcdAdvice{"authentication is not enabled",
               "enable it (etcdctl auth enable), or set no user here"},
    EtcdAdvice{"permission denied",
               "grant the user read and write of this cluster's keys (etcdctl role "
               "grant-permission)"},
    EtcdAdvice{"database space exceeded",
               "compact and defragment etcd, then etcdctl alarm disarm; or raise its "
               "--quota-backend-bytes"},
    EtcdAdvice{"lease not found", "the lease has ended: grant another one"},
    EtcdAdvice{"too large", "send less at a time, or raise etcd's --max-request-bytes"},
    EtcdAdvice{"larger than max", "send less at a time, or raise etcd's --max-request-bytes"},
    EtcdAdvice{"verify failed",
               "its certificate is not of the authority that is set here, or not for this address"},
    EtcdAdvice{"No match found for server name",
               "its certificate is not for this address: use a name that is in it"},
    // What gRPC makes of a key that it cannot use.
    EtcdAdvice{"empty address list", "check that the client's certificate and its key match"},
    EtcdAdvice{"Ssl handshake",
               "check that both sides use TLS, and the certificates and authorities of both"},
};

std::string_view AdviceFor(const grpc::Status& end) {
  for (const EtcdAdvice& known : kAdvice)
    if (end.error_message().find(known.part) != std::string::npos) return known.advice;
  return end.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED
             ? "check that it runs and reaches a majority of the members"
             : "check that it runs, its address, and that it accepts this program's certificate";
}

}  // namespace

bool IsAnswer(const grpc::Status& end) {
  switch (end.error_code()) {
    case grpc::StatusCode::OK:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED: return true;
    default: return false;
  }
}

bool IsTokenRefused(const grpc::Status& end) {
  return end.error_code() == grpc::StatusCode::UNAUTHENTICATED ||
         end.error_message().contains("invalid auth token") ||
         end.error_message().contains("revision of auth store is old");
}

bool IsForgotten(const grpc::Status& end) {
  return end.error_code() == grpc::StatusCode::OUT_OF_RANGE &&
         end.error_message().contains("has been compacted");
}

std::string EtcdTrouble(const grpc::Status& end) {
  return end.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED
             ? "no answer in time"
             : Printable(end.error_message(), 400);
}

std::string EtcdFailure(const std::string& endpoint, const grpc::Status& end) {
  return "etcd at " + endpoint + ": " + EtcdTrouble(end) + ": " + std::string(AdviceFor(end));
}

}  // namespace gp
