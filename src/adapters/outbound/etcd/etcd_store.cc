#include "adapters/outbound/etcd/etcd_store.h"

#include <algorithm>
#include <utility>

#include "adapters/outbound/etcd/etcd_errors.h"
#include "adapters/outbound/etcd/etcd_members.h"
#include "adapters/outbound/etcd/etcd_watch.h"
#include "base/text.h"

namespace gp {
namespace {

using etcdserverpb::Compare;

void Fill(const etcdserverpb::StatusResponse& from, StoreMember& to) {
  to.version = from.version();
  to.bytes = static_cast<uint64_t>(from.db_size());
  to.leads = from.leader() != 0 && from.leader() == from.header().member_id();
  to.trouble = Printable(Join(from.errors(), "; "), 400);
}

Compare ToCompare(const StoreCondition& condition) {
  Compare compare;
  compare.set_key(condition.key);
  const auto revision = static_cast<int64_t>(condition.revision);
  if (condition.of == StoreCondition::Of::kCreated) {
    compare.set_target(Compare::CREATE);
    compare.set_create_revision(revision);
  } else {
    compare.set_target(Compare::MOD);
    compare.set_mod_revision(revision);
  }
  return compare;
}

etcdserverpb::TxnRequest ToTxn(const StoreTransaction& transaction) {
  etcdserverpb::TxnRequest request;
  for (const StoreCondition& condition : transaction.conditions)
    *request.add_compare() = ToCompare(condition);
  for (const StorePut& put : transaction.puts) {
    auto& to = *request.add_success()->mutable_request_put();
    to.set_key(put.key);
    to.set_value(put.value);
    to.set_lease(static_cast<int64_t>(put.lease));
  }
  for (const KeyRange& range : transaction.deletions) {
    auto& to = *request.add_success()->mutable_request_delete_range();
    to.set_key(range.first);
    to.set_range_end(range.end);
  }
  // A transaction without any operation is answered by one member from what it has, however old
  // that is.  A linearizable read in it makes that member ask the majority first.
  if (request.success().empty() && !transaction.conditions.empty()) {
    auto& read = *request.add_success()->mutable_request_range();
    read.set_key(transaction.conditions.front().key);
    read.set_count_only(true);
  }
  return request;
}

StoreEntry ToEntry(etcdserverpb::KeyValue& from) {
  return {.key = std::move(*from.mutable_key()),
          .value = std::move(*from.mutable_value()),
          .created = static_cast<uint64_t>(from.create_revision()),
          .modified = static_cast<uint64_t>(from.mod_revision())};
}

}  // namespace

Result<std::unique_ptr<EtcdStore>> EtcdStore::Open(const EtcdOptions& options) {
  GP_CHECK_OK(CheckEtcdOptions(options));
  return std::unique_ptr<EtcdStore>(new EtcdStore(options));
}

EtcdStore::EtcdStore(const EtcdOptions& options)
    : commit_time_(options.commit_time), members_(std::make_shared<EtcdMembers>(options)) {}

Committed EtcdStore::Commit(const StoreTransaction& transaction) {
  const etcdserverpb::TxnRequest request = ToTxn(transaction);
  etcdserverpb::TxnResponse response;
  const Status answered =
      members_->Ask(commit_time_, [&](EtcdMember& member, grpc::ClientContext& context) {
        return member.kv.Txn(&context, request, &response);
      });
  if (!answered) return {.end = CommitEnd::kUnknown, .why = answered.error().message};
  if (!response.succeeded())
    return {.end = CommitEnd::kRefused, .why = "a condition of the transaction does not hold"};
  return {.end = CommitEnd::kCommitted,
          .revision = static_cast<uint64_t>(response.header().revision())};
}

Result<StoreRead> EtcdStore::Read(const KeyRange& range, size_t max) {
  etcdserverpb::RangeRequest request;
  request.set_key(range.first);
  request.set_range_end(range.end);
  // etcd gives the keys in their order.  If it were asked to sort them it would read the whole
  // range first, beyond the limit.  A limit of 0 would be none.
  request.set_limit(static_cast<int64_t>(std::max<size_t>(max, 1)));
  etcdserverpb::RangeResponse response;
  GP_CHECK_OK(members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    return member.kv.Range(&context, request, &response);
  }));
  StoreRead read{.entries = {}, .has_more = response.more()};
  for (etcdserverpb::KeyValue& entry : *response.mutable_kvs()) {
    if (read.entries.size() < max)
      read.entries.push_back(ToEntry(entry));
    else
      read.has_more = true;
  }
  return read;
}

// A grant whose answer is lost leaves a lease that nobody uses, and that ends by itself.
Result<StoreLease> EtcdStore::GrantLease(Duration wanted) {
  constexpr int64_t kSecond = Duration::Seconds(1).ns;
  etcdserverpb::LeaseGrantRequest request;
  request.set_ttl(std::max<int64_t>((wanted.ns + kSecond - 1) / kSecond, 1));
  etcdserverpb::LeaseGrantResponse response;
  GP_CHECK_OK(members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    return member.lease.LeaseGrant(&context, request, &response);
  }));
  return StoreLease{.id = static_cast<uint64_t>(response.id()),
                    .granted = Duration::Seconds(response.ttl())};
}

// One question and one answer, though etcd's call could carry many.
Result<bool> EtcdStore::KeepLease(uint64_t lease) {
  etcdserverpb::LeaseKeepAliveRequest request;
  request.set_id(static_cast<int64_t>(lease));
  etcdserverpb::LeaseKeepAliveResponse response;
  GP_CHECK_OK(members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    const auto stream = member.lease.LeaseKeepAlive(&context);
    stream->Write(request);  // if it fails, so does the read
    const bool is_answered = stream->Read(&response);
    if (is_answered) context.TryCancel();  // no need to wait for the call's end
    grpc::Status end = stream->Finish();
    if (is_answered) return grpc::Status::OK;
    // A call that ends well, but without an answer, tells nothing.
    return end.ok() ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "no answer") : end;
  }));
  return response.ttl() > 0;
}

Status EtcdStore::EndLease(uint64_t lease) {
  etcdserverpb::LeaseRevokeRequest request;
  request.set_id(static_cast<int64_t>(lease));
  return members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    etcdserverpb::LeaseRevokeResponse response;
    grpc::Status end = member.lease.LeaseRevoke(&context, request, &response);
    const bool has_ended_before = end.error_code() == grpc::StatusCode::NOT_FOUND;
    return has_ended_before ? grpc::Status::OK : end;
  });
}

Status EtcdStore::Forget(uint64_t before) {
  etcdserverpb::CompactionRequest request;
  request.set_revision(static_cast<int64_t>(before));
  return members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    etcdserverpb::CompactionResponse response;
    grpc::Status end = member.kv.Compact(&context, request, &response);
    return IsForgotten(end) ? grpc::Status::OK : end;
  });
}

Result<StoreBytes> EtcdStore::Bytes() {
  etcdserverpb::StatusResponse response;
  GP_CHECK_OK(members_->AskEach([&](EtcdMember& member, grpc::ClientContext& context) {
    return member.maintenance.Status(&context, etcdserverpb::StatusRequest(), &response);
  }));
  return StoreBytes{static_cast<uint64_t>(response.db_size_in_use()),
                    static_cast<uint64_t>(response.db_size())};
}

std::vector<StoreMember> EtcdStore::Members() {
  std::vector<StoreMember> all;
  etcdserverpb::StatusResponse response;
  members_->AskAll(
      [&](EtcdMember& member, grpc::ClientContext& context) {
        response.Clear();
        return member.maintenance.Status(&context, etcdserverpb::StatusRequest(), &response);
      },
      [&](const EtcdMember& member, const grpc::Status& end) {
        StoreMember one{.endpoint = member.endpoint};
        if (end.ok()) Fill(response, one);
        if (!end.ok()) one.trouble = EtcdTrouble(end);
        all.push_back(std::move(one));
      });
  return all;
}

std::unique_ptr<StoreWatch> EtcdStore::Watch(const KeyRange& range, std::function<void()> changed) {
  return std::make_unique<EtcdWatch>(members_, range, std::move(changed));
}

}  // namespace gp
