#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "application/access/caller.h"
#include "application/access/operation.h"
#include "application/access/refusals.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// Identifies callers by their credentials and checks their roles, without asking the writer each
// time.  Any thread.
class AccessGuard : public CommitObserver {
 public:
  // `operations`: all that there are; others are refused to everybody.
  AccessGuard(ControlGateway& gateway, std::span<const Operation> operations)
      : gateway_(gateway), operations_(operations), refusals_(gateway) {}

  // For a caller whose user the kernel reported.
  Result<Caller> ByKernel(User user, std::string from);
  // `secret`: as shown when the token was issued.  kUnauthenticated: unknown or expired.
  Result<Caller> BySecret(std::string_view secret, std::string from);

  // kUnauthenticated: this is not a certificate of the node, or it was revoked.
  Status CheckNode(const std::string& node, std::string_view fingerprint);
  // kUnauthenticated: this is no join token of the node, or it was used or has expired.
  Status CheckJoinToken(const std::string& node, std::string_view hash);
  // Records in the audit that the caller at `origin` was refused this operation.  An error that
  // says nothing about the caller is no refusal.
  void NoteRefusal(const Origin& origin, std::string_view operation, const Error& why);

  // Runs `answer` if the caller is known and may use the operation; otherwise audits the refusal.
  Status Answer(const Result<Caller>& caller, const std::string& from, std::string_view operation,
                const std::function<Status(const Caller&)>& answer);

  void OnBegin(const State& state, const CommittedRecords&) override { Take(state); }
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  struct View {
    Access access;
    std::map<std::string, TokenId, std::less<>> tokens;  // by the digest of their secrets
  };

  static Caller CallerOf(const std::shared_ptr<const View>& view, User user, std::string from);
  // The access rights as of the last commit.  kUnavailable: it observes no commits yet.
  Result<std::shared_ptr<const View>> Look();
  void Take(const State& state);

  ControlGateway& gateway_;
  const std::span<const Operation> operations_;
  Refusals refusals_;
  std::mutex mutex_;
  std::shared_ptr<const View> view_;  // nullptr: before OnBegin
};

}  // namespace gp
