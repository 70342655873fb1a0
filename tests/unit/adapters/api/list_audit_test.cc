// The audit as callers read it.

#include <gtest/gtest.h>

#include "adapters/inbound/api/api.h"
#include "application/control/node_connections.h"
#include "tests/support/hand_controller.h"

namespace gp {
namespace {

struct Trail : AuditTrail {
  void Write(AuditEntry entry) override { written.push_back({std::move(entry), ""}); }
  uint64_t LastNumber() const override { return written.empty() ? 0 : written.back().entry.number; }
  uint64_t WrittenUntil() const override { return UINT64_MAX; }
  Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery&) override { return written; }
  std::vector<WrittenAuditEntry> written;
};

TEST(ListAudit, HasAChangeAsSoonAsItsCallerHasTheAnswer) {
  HandController controller;
  Trail trail;
  controller.Open(&trail);
  NodeConnections nodes(*controller.loop);
  ControlApi::About about{"test", {}, nullptr, nullptr, ""};
  about.audit = &trail;
  Api api(*controller.loop, nodes, about);
  controller.Turn();  // it rests: the change is answered here, and published by the next turn
  const Outcome outcome =
      controller.loop->Execute({"user:ana", "unix"}, "", NoteChange{"DeleteSecret", "hf", "own"});
  ASSERT_TRUE(outcome.status) << outcome.status.error().message;
  ASSERT_TRUE(trail.written.empty()) << "else this test shows nothing";

  v1::ListAuditReply reply;
  const Status listed = api.control.ListAudit(Caller{}, v1::ListAuditRequest(), &reply);
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(reply.entries_size(), 1);
  EXPECT_EQ(reply.entries(0).operation(), "DeleteSecret");
}

}  // namespace
}  // namespace gp
