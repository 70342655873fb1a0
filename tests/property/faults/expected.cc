#include "tests/property/faults/expected.h"

#include <map>
#include <set>

namespace gp {
namespace {

using Numbers = std::set<int>;

const std::map<std::string_view, Numbers> kBuckets = {
    {"unused", {1,   2,   3,   4,   5,   6,   7,   9,   10,  12,  15,  16,  17, 18, 19, 20,
                21,  22,  23,  24,  26,  27,  28,  29,  30,  33,  34,  35,  36, 42, 47, 49,
                50,  51,  52,  53,  55,  56,  57,  58,  59,  61,  65,  73,  81, 87, 90, 91,
                111, 112, 113, 114, 115, 116, 117, 118, 122, 123, 124, 125, 138}},
    {"RESTART_APP",
     {8,   11,  13,  25,  31,  32,  39,  40,  41,  60,  68,  69,  70,  71,  72,  75,
      76,  77,  80,  82,  83,  84,  85,  86,  88,  89,  94,  96,  97,  98,  99,  100,
      101, 102, 103, 104, 105, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 139}},
    {"IGNORE", {14,  37,  38,  43,  44,  63,  66,  67,  92,  93, 106,
                107, 108, 121, 137, 141, 152, 153, 157, 160, 161}},
    {"RESET_GPU", {46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158}},
    {"WORKFLOW_XID_45", {45}},
    {"WORKFLOW_XID_48", {48}},
    {"CHECK_MECHANICALS", {54}},
    {"WORKFLOW_NVLINK_ERR", {74}},
    {"UPDATE_SWFW", {78}},
    {"RESTART_BM", {79}},
    {"CONTACT_SUPPORT", {142}},
    {"WORKFLOW_NVLINK5_ERR", {144, 145, 146, 147, 148, 149, 150}},
    {"RESTART_VM", {151}},
    {"XID_154", {154}},
    {"CHECK_UVM", {159}},
    {"", {162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176}},
};

// Errors of programs: they end by themselves, and by their own fault; a GPU may be to blame all the
// same.
const Numbers kOfPrograms = {11, 13, 25, 31, 69, 137};
// The same, and so surely of the program that nothing is counted.
const Numbers kOfProgramsUncounted = {43};
// The program may die of it, and it is not its fault.
const Numbers kMayKill = {8, 37, 38, 44, 66, 67, 141, 159};
// Takes effect with the next reset, which can wait.
const Numbers kNeedsResetSometime = {63, 94, 121, 159, 160};
// Worth knowing, and no more.
const Numbers kWorthKnowing = {92, 157, 161};
// NVIDIA prints no action, and the GPU is plainly unfit.
const Numbers kUnfit = {167, 169, 173, 175};

const std::set<std::string_view> kResetsAll = {"RESET_GPU", "WORKFLOW_XID_48"};
const std::set<std::string_view> kLinks = {"WORKFLOW_NVLINK_ERR", "WORKFLOW_NVLINK5_ERR"};
const std::set<std::string_view> kAsksForPerson = {"CHECK_MECHANICALS", "UPDATE_SWFW",
                                                   "CONTACT_SUPPORT"};
const std::set<std::string_view> kReboots = {"RESTART_BM", "RESTART_VM"};

void HitAll(Expected& expected) {
  expected.named = expected.mate = expected.linked = Fate::kRestarted;
}

void HitNamed(Expected& expected, Fate fate) { expected.named = expected.linked = fate; }

void TakeOut(Expected& expected, GpuRemedy remedy) {
  expected.remedy = remedy;
  expected.condition = GpuCondition::kQuarantined;
  expected.has_incident = true;
  expected.needs_person = remedy >= GpuRemedy::kOperator;
}

void ByBucket(int xid, std::string_view bucket, Expected& expected) {
  if (bucket == "RESTART_APP") {
    HitNamed(expected, Fate::kRestarted);
    expected.has_incident = true;
    expected.is_counted = true;
  } else if (kResetsAll.contains(bucket)) {
    HitAll(expected);
    TakeOut(expected, GpuRemedy::kReset);
  } else if (kReboots.contains(bucket)) {
    HitAll(expected);
    TakeOut(expected, GpuRemedy::kReboot);  // of this GPU: the others of its node are sound
  } else if (kLinks.contains(bucket)) {
    // What uses one GPU alone does not need the link.
    expected.named = expected.mate = Fate::kForgiven;
    expected.linked = Fate::kRestarted;
    TakeOut(expected, GpuRemedy::kReset);
  } else if (kAsksForPerson.contains(bucket)) {
    HitNamed(expected, Fate::kRestarted);
    TakeOut(expected, GpuRemedy::kOperator);
  } else if (bucket == "unused") {
    HitNamed(expected, Fate::kForgiven);
    expected.has_incident = expected.needs_person = true;
  }
  if (bucket == "CHECK_MECHANICALS") expected.mate = Fate::kRestarted;  // the board has no power
  if (xid == 79) expected.condition = GpuCondition::kLost;
}

}  // namespace

std::string_view BucketOf(int xid) {
  for (const auto& [bucket, numbers] : kBuckets) {
    if (numbers.contains(xid)) return bucket;
  }
  return "not listed";
}

Expected ExpectedOf(int xid) {
  Expected expected;
  ByBucket(xid, BucketOf(xid), expected);
  const bool is_of_program = kOfPrograms.contains(xid) || kOfProgramsUncounted.contains(xid);
  if (is_of_program || kMayKill.contains(xid)) {
    expected = {};
    HitNamed(expected, is_of_program ? Fate::kNoted : Fate::kForgiven);
    expected.is_counted = kOfPrograms.contains(xid);
  }
  if (kNeedsResetSometime.contains(xid)) {
    expected.remedy = GpuRemedy::kResetWhenIdle;
    expected.has_incident = true;
    expected.is_counted = false;
  }
  if (kWorthKnowing.contains(xid)) expected.has_incident = expected.needs_person = true;
  if (kUnfit.contains(xid)) {
    HitAll(expected);
    TakeOut(expected, GpuRemedy::kOperator);
  }
  return expected;
}

}  // namespace gp
