#include "cmd/agent/other_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace gp {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr std::string_view kOurService = "0::/system.slice/gpu-platform.service\n";

std::optional<OtherScheduler> FindAmong(const Variables& variables,
                                        std::string_view cgroups = kOurService) {
  const auto variable = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return FindOtherScheduler(variable, cgroups);
}

std::string Found(const Variables& variables, std::string_view cgroups = kOurService) {
  const auto other = FindAmong(variables, cgroups);
  return other ? other->place : "none";
}

TEST(OtherScheduler, NoneOnAHostOfOurOwn) {
  EXPECT_EQ(Found({}), "none");
  EXPECT_EQ(Found({{"SLURM_CONF", "/etc/slurm/slurm.conf"},
                   {"SLURM_JOB_ID", ""},
                   {"KUBERNETES_SERVICE_HOST", ""}}),
            "none");
  for (const char* path :
       {"0::/system.slice/slurmd.service\n", "0::/user.slice/user-1000.slice/session-3.scope\n",
        "4:memory:/jobs/job_7\n", "0::/\n", ""}) {
    EXPECT_EQ(Found({}, path), "none") << path;
  }
}

TEST(OtherScheduler, ByItsVariables) {
  EXPECT_EQ(Found({{"SLURM_JOB_ID", "17"}}), "Slurm's job 17 (SLURM_JOB_ID)");
  EXPECT_EQ(Found({{"SLURM_JOBID", "18"}}), "Slurm's job 18 (SLURM_JOBID)");
  EXPECT_EQ(Found({{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}}),
            "a pod of Kubernetes (KUBERNETES_SERVICE_HOST)");
}

TEST(OtherScheduler, ByItsControlGroups) {
  EXPECT_EQ(Found({}, "0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_0\n"),
            "Slurm's job 17 (cgroup /system.slice/slurmstepd.scope/job_17/step_0/user/task_0)");
  EXPECT_EQ(Found({}, "5:devices:/slurm/uid_1000/job_8/step_batch\n4:memory:/\n"),
            "Slurm's job 8 (cgroup /slurm/uid_1000/job_8/step_batch)");
  EXPECT_EQ(Found({}, "0::/slurm/uid_0/job_9\n"), "Slurm's job 9 (cgroup /slurm/uid_0/job_9)");
  EXPECT_EQ(Found({}, "4:memory:/\n0::/kubepods.slice/kubepods-pod1.slice/cri-1.scope\n"),
            "a pod of Kubernetes (cgroup /kubepods.slice/kubepods-pod1.slice/cri-1.scope)");
}

TEST(OtherScheduler, AJobOfSlurmInsideAPodIsSlurms) {
  const Variables pod{{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}};
  EXPECT_EQ(FindAmong(pod)->kind, OtherSchedulerKind::kKubernetes);
  EXPECT_EQ(FindAmong({}, "0::/kubepods.slice/cri-1.scope\n")->kind,
            OtherSchedulerKind::kKubernetes);
  Variables both = pod;
  both["SLURM_JOB_ID"] = "17";
  const std::string_view below = "0::/kubepods.slice/cri-1.scope/slurmstepd.scope/job_17/step_0\n";
  const std::string_view beside = "4:cpu:/kubepods/pod1\n2:pids:/slurm/uid_0/job_17/step_batch\n";
  for (const auto& job : {FindAmong(both), FindAmong(pod, below), FindAmong({}, beside)}) {
    ASSERT_TRUE(job);
    EXPECT_EQ(job->kind, OtherSchedulerKind::kSlurm);
    EXPECT_TRUE(job->place.starts_with("Slurm's job 17 (")) << job->place;
  }
}

}  // namespace
}  // namespace gp
