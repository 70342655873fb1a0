#include "cmd/text/incident_text.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace gp {
namespace {

using Steps = std::vector<std::string>;

v1::Incident Of(const std::string& cause, const std::string& remedy = "none",
                bool needs_person = false) {
  v1::Incident incident;
  incident.set_id("incident-3");
  incident.set_state("OPEN");
  incident.set_cause(cause);
  incident.set_pool("default");
  incident.set_node("n1");
  incident.set_gpu(2);
  incident.set_remedy(remedy);
  incident.set_needs_person(needs_person);
  return incident;
}

TEST(IncidentText, AnXidHasItsMeaning) {
  EXPECT_EQ(
      MeaningText(Of("XID 79")),
      "GPU no longer answers on PCIe (critical; NVIDIA: RESTART_BM); gpu-platform xid explain 79");
  EXPECT_TRUE(
      MeaningText(Of("XID 79, the driver asks for node-reboot")).ends_with("xid explain 79"));
  EXPECT_EQ(MeaningText(Of("XID 9999")), "") << "in no list";
  EXPECT_EQ(MeaningText(Of("an NVLink is down")), "");
}

TEST(IncidentText, ARebootIsDrainRebootOnline) {
  EXPECT_EQ(NextSteps(Of("XID 79", "reboot", true)),
            (Steps{"gpu-platform drain --node n1 --reason incident-3", "reboot n1",
                   "gpu-platform online --node n1"}));
  v1::Incident of_node = Of("SXid 20034", "operator", true);
  of_node.clear_gpu();
  EXPECT_EQ(NextSteps(of_node), Steps{"gpu-platform online --node n1, once it is repaired"});
}

TEST(IncidentText, WhatAnOperatorMendsComesOnlineAfterwards) {
  EXPECT_EQ(NextSteps(Of("a memory row could not be remapped", "operator", true)),
            (Steps{"gpu-platform health --gpu-id n1/2",
                   "gpu-platform online --gpu-id n1/2, once it is repaired"}));
  EXPECT_EQ(NextSteps(Of("XID 63", "watch", true)),
            (Steps{"gpu-platform health --gpu-id n1/2",
                   "gpu-platform incidents close incident-3, once its cause is found"}));
}

TEST(IncidentText, WhatIsRepairedByItselfNeedsNoCommandThatChangesAnything) {
  EXPECT_EQ(NextSteps(Of("XID 95", "reset")), (Steps{"gpu-platform health --gpu-id n1/2"}));
}

TEST(IncidentText, WhatABreakerHoldsBackWaitsForTheBreakersIncident) {
  v1::Incident held = Of("XID 95", "reset");
  held.set_held_by("incident-9");
  EXPECT_EQ(
      NextSteps(held),
      (Steps{"gpu-platform incidents show incident-9",
             "gpu-platform incidents close incident-9, so that what it holds back continues"}));
  v1::Incident breaker = Of("9 GPUs on 4 nodes of pool default", "none", true);
  breaker.clear_node();
  breaker.clear_gpu();
  EXPECT_EQ(NextSteps(breaker).back(),
            "gpu-platform incidents close incident-3, so that what it holds back continues");
  EXPECT_EQ(RunbookOf(breaker), "BreakerOpen");
}

TEST(IncidentText, AMissingGpuIsPutBackOrGivenUp) {
  EXPECT_EQ(NextSteps(Of("it is missing", "test", true)),
            (Steps{"put it back: it is tested when the agent of n1 has joined with it",
                   "gpu-platform incidents close incident-3, if it is gone for good"}));
}

TEST(IncidentText, AMachineThatMayNotJoinIsNamedAgainOrTheOtherDeclaredLost) {
  v1::Incident name = Of("two machines are named n1", "none");
  name.clear_gpu();
  EXPECT_EQ(NextSteps(name),
            (Steps{"gpu-platform agent --name NAME, on the machine that is refused",
                   "gpu-platform incidents close incident-3"}));
  EXPECT_EQ(RunbookOf(name), "IncidentNeedsPerson");
  v1::Incident gpu = Of("GPU GPU-1 is in two nodes: n1 and n2", "none");
  gpu.clear_gpu();
  EXPECT_EQ(NextSteps(gpu), (Steps{"gpu-platform nodes declare-lost n1, if that machine is gone",
                                   "gpu-platform incidents close incident-3"}));
  EXPECT_EQ(RunbookOf(gpu), "IncidentNeedsPerson");
}

TEST(IncidentText, WhatIsOverNeedsNothing) {
  v1::Incident closed = Of("XID 79", "reboot", true);
  closed.set_state("CLOSED");
  EXPECT_EQ(NextSteps(closed), Steps{});
}

TEST(IncidentText, EachRunbookIsThere) {
  for (const char* cause :
       {"an NVLink is down", "a memory row could not be remapped",
        "a memory row waits to be remapped", "3 uncorrected memory errors since its last reset",
        "uncorrected memory errors", "it is too warm", "it is too hot",
        "it is near its thermal shutdown temperature", "XID 79", "it is missing"}) {
    for (const bool needs_person : {false, true}) {
      const v1::Incident incident = Of(cause, "none", needs_person);
      EXPECT_TRUE(std::filesystem::exists(std::string(GP_SOURCE_DIR "/docs/runbooks/") +
                                          RunbookOf(incident) + ".md"))
          << cause;
      EXPECT_TRUE(RunbookText(incident).ends_with("(docs/runbooks/" + RunbookOf(incident) + ".md)"))
          << cause;
    }
  }
  EXPECT_EQ(RunbookOf(Of("it is near its thermal shutdown temperature", "operator", true)),
            "GpuSlowedByHeat");
  EXPECT_EQ(RunbookOf(Of("XID 95", "reset")), "GpuOutOfService");
  EXPECT_EQ(RunbookOf(Of("XID 79", "reboot", true)), "IncidentNeedsPerson");
}

}  // namespace
}  // namespace gp
