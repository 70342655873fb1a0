#include "cmd/text/incident_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"

namespace gp {
namespace {

constexpr std::string_view kXid = "XID ";
constexpr std::string_view kTwoMachines = "two machines are named";
constexpr std::string_view kTwoNodes = "is in two nodes";
constexpr std::string_view kMissing = "it is missing";

struct Runbook {
  std::string_view page;
  std::string_view line;
};

constexpr Runbook kBreaker{"BreakerOpen",
                           "find the cause that the GPUs have in common before anything is reset"};
constexpr Runbook kPerson{"IncidentNeedsPerson",
                          "the platform has done what it may do automatically"};
constexpr Runbook kHeat{
    "GpuSlowedByHeat",
    "if its neighbours are hot too: cooling of the rack; if not: its fan, its heat sink"};
constexpr Runbook kOut{
    "GpuOutOfService",
    "its reset and its test take minutes; if they fail, the hardware is at fault"};

// Runbooks by words of the cause; the first match counts.
struct CauseRunbook {
  std::string_view words;
  Runbook runbook;
};

constexpr CauseRunbook kByCause[] = {
    {kTwoMachines, kPerson},
    {kTwoNodes, kPerson},
    {"NVLink", {"NvlinkDown", "a cable, a switch or the GPU: nvidia-smi nvlink -s on its node"}},
    {"row could not be remapped", {"GpuRowRemapFailed", "replace the GPU"}},
    {"row waits to be remapped", {"GpuRowRemapPending", "a reset applies it"}},
    {"memory error", {"GpuMemoryErrors", "if they recur within days, replace the GPU"}},
    {"too warm", kHeat},
    {"too hot", kHeat},
    {"thermal", kHeat},
};

Runbook Find(const v1::Incident& incident) {
  if (incident.node().empty()) return kBreaker;
  for (const CauseRunbook& one : kByCause) {
    if (incident.cause().contains(one.words)) return one.runbook;
  }
  return incident.needs_person() ? kPerson : kOut;
}

std::optional<int> XidOf(const std::string& cause) {
  if (!cause.starts_with(kXid)) return std::nullopt;
  return std::atoi(cause.c_str() + kXid.size());
}

// "--gpu-id n1/3", "--node n1"
std::string Target(const v1::Incident& incident) {
  return incident.has_gpu() ? fmt::format("--gpu-id {}/{}", incident.node(), incident.gpu())
                            : "--node " + incident.node();
}

std::vector<std::string> OfHardware(const v1::Incident& incident) {
  const std::string online = "gpu-platform online " + Target(incident);
  const std::string close = "gpu-platform incidents close " + incident.id();
  if (incident.remedy() == "reboot") {
    return {"gpu-platform drain --node " + incident.node() + " --reason " + incident.id(),
            "reboot " + incident.node(), "gpu-platform online --node " + incident.node()};
  }
  std::vector<std::string> steps;
  if (incident.has_gpu()) steps.push_back("gpu-platform health " + Target(incident));
  if (!incident.needs_person()) return steps;
  steps.push_back(incident.remedy() == "operator" ? online + ", once it is repaired"
                                                  : close + ", once its cause is found");
  return steps;
}

}  // namespace

std::string MeaningText(const v1::Incident& incident) {
  const auto xid = XidOf(incident.cause());
  const XidFacts* facts = xid ? FindXid(*xid) : nullptr;
  if (facts == nullptr) return "";
  const std::string advice =
      facts->nvidia_action.empty() ? "" : "; NVIDIA: " + facts->nvidia_action;
  return fmt::format("{} ({}{}); gpu-platform xid explain {}", facts->meaning, facts->severity,
                     advice, *xid);
}

std::string RunbookOf(const v1::Incident& incident) { return std::string(Find(incident).page); }

std::string RunbookText(const v1::Incident& incident) {
  const Runbook runbook = Find(incident);
  return fmt::format("{} (docs/runbooks/{}.md)", runbook.line, runbook.page);
}

std::vector<std::string> NextSteps(const v1::Incident& incident) {
  const std::string close = "gpu-platform incidents close " + incident.id();
  if (incident.state() == "CLOSED") return {};
  if (!incident.held_by().empty()) {
    return {"gpu-platform incidents show " + incident.held_by(),
            "gpu-platform incidents close " + incident.held_by() +
                ", so that what it holds back continues"};
  }
  if (incident.node().empty())
    return {"gpu-platform incidents list", close + ", so that what it holds back continues"};
  if (incident.cause().starts_with(kTwoMachines))
    return {"gpu-platform agent --name NAME, on the machine that is refused", close};
  if (incident.cause().contains(kTwoNodes))
    return {"gpu-platform nodes declare-lost " + incident.node() + ", if that machine is gone",
            close};
  if (incident.cause() == kMissing) {
    return {fmt::format("put it back: it is tested when the agent of {} has joined with it",
                        incident.node()),
            close + ", if it is gone for good"};
  }
  return OfHardware(incident);
}

}  // namespace gp
