#include "cmd/jobs/submit.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "adapters/inbound/job_import/slurm/slurm_values.h"
#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/connection/controller_line.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// As Slurm's --time: minutes, H:M:S, D-H; no limit at all; or a duration of ours.
std::optional<std::string> TimeLimitOf(const std::string& text) {
  const auto seconds = SlurmSeconds(text);
  if (!seconds) return text;
  return *seconds == 0 ? std::nullopt : std::optional(std::to_string(*seconds) + "s");
}

}  // namespace

void AddPairs(CLI::App& sub, const std::string& name,
              std::vector<std::pair<std::string, std::string>>& pairs, const std::string& help) {
  sub.add_option_function<std::vector<std::string>>(
         name,
         [name, &pairs](const std::vector<std::string>& texts) {
           auto split = SplitPairs(name, texts);
           if (!split) throw CLI::ValidationError(split.error().message);
           pairs = *std::move(split);
         },
         help)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

void AddJobFlags(CLI::App& sub, JobFlags& flags) {
  sub.add_option("--gpus,--gpus-per-node", flags.gpus, "GPUs per node: 2, or H100:2")
      ->type_name("N|MODEL:N");
  sub.add_option("--share", flags.share, "Part of each GPU: 0.5 or 50%")->type_name("FRACTION");
  sub.add_option("--gpu-memory", flags.gpu_memory, "Memory of each GPU to reserve")
      ->type_name("SIZE");
  sub.add_option("--gpu-memory-min", flags.gpu_memory_min, "Each GPU has at least this")
      ->type_name("SIZE");
  sub.add_option("--isolation", flags.isolation,
                 "GPU sharing: exclusive, timeslice, mps, mig or auto");
  sub.add_option("--mig", flags.mig, "MIG instance, at least as large as this profile: 3g.40gb")
      ->type_name("PROFILE");
  sub.add_option("--cpus", flags.cpus, "Cores per node")->type_name("N");
  sub.add_option("--memory", flags.memory, "Host memory per node")->type_name("SIZE");
  sub.add_option("--shm", flags.shm, "Size of /dev/shm")->type_name("SIZE");
  sub.add_option("--nodes", flags.nodes, "Nodes of the gang: all or none")->type_name("N");
  sub.add_option("--nodes-min", flags.nodes_min,
                 "Minimum number of nodes, for a job that may start on fewer")
      ->type_name("N");
  sub.add_option("--topology", flags.topology, "Required: same_numa, nvlink, same_node or none");
  sub.add_flag_function(
      "--allow-cross-numa,!--no-cross-numa",
      [&flags](int64_t times) { flags.allow_cross_numa = times > 0 ? "true" : "false"; },
      "Whether its GPUs may span NUMA nodes, with a warning if they do (the default), or must not");
  sub.add_option("--name", flags.name, "Name of the job");
  sub.add_option("--project", flags.project, "Project that the job counts for");
  sub.add_option("--queue", flags.queue, "Queue");
  sub.add_option("--array", flags.array,
                 "Array of N jobs, each with its GP_ARRAY_INDEX; at most M of them run at once")
      ->type_name("N[%M]");
  sub.add_option("--after", flags.after,
                 "Dependencies: queued once these jobs completed (JOB), or JOB:ended, JOB:started, "
                 "JOB:failed")
      ->type_name("JOB,...");
  sub.add_option("--reservation", flags.reservation, "Runs on the nodes of this reservation");
  sub.add_option("--priority", flags.priority, "low, medium, high or 0 to 1000");
  sub.add_option("--time-limit", flags.time_limit,
                 "Stopped after this long; --time takes Slurm's formats too, as 1-12:00:00")
      ->type_name("DURATION");
  sub.add_option("--max-duration", flags.time_limit, "")->group("");  // its older name
  sub.add_option_function<std::string>(
         "--time", [&flags](const std::string& text) { flags.time_limit = TimeLimitOf(text); }, "")
      ->group("");
  sub.add_option("--retries", flags.retries, "Retries after failures of its own program")
      ->type_name("N");
  sub.add_option("--grace", flags.grace, "Grace period between SIGTERM and SIGKILL")
      ->type_name("DURATION");
  sub.add_option("--checkpoint-dir", flags.checkpoint_dir, "GP_CHECKPOINT_DIR of the job")
      ->type_name("DIRECTORY");
  sub.add_flag("--preemptible", flags.preemptible,
               "May be preempted by other jobs: it saves its work when it receives SIGTERM");
  sub.add_flag(
      "--movable", flags.movable,
      "May be migrated to other GPUs for other jobs: it saves its work when it receives SIGTERM");
  sub.add_flag("--wait-for-nodes", flags.wait_for_nodes,
               "Queue it even if no known node could ever run it");
  sub.add_option("--on-lease-loss", flags.on_lease_loss,
                 "stop or continue when its node is disconnected");
  sub.add_option("--workdir", flags.workdir, "Working directory; default: the current one")
      ->type_name("DIRECTORY");
  const auto add_names = [&sub](const char* flag, std::optional<std::string>& names,
                                const char* help, const char* type) {
    sub.add_option_function<std::vector<std::string>>(
           flag, [&names](const std::vector<std::string>& all) { names = Join(all, ","); }, help)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  add_names("--secret", flags.secrets, "Secrets to inject as environment variables (secrets set)",
            "NAME,...");
  add_names("--notify", flags.notify,
            "Receivers to notify of its end (docs/how-to/notifications.md)", "RECEIVER,...");
  AddPairs(sub, "--env", flags.environment, "Environment variable of the job");
  AddPairs(sub, "--label", flags.labels, "Label of the job");
  AddPairs(sub, "--node-label", flags.node_labels, "Only nodes with this label");
}

Result<std::vector<std::pair<std::string, std::string>>> SplitPairs(
    const std::string& flag, const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Fail(InvalidArgument(flag + ": \"" + Printable(text, 60) + "\" is not NAME=VALUE"));
    }
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

std::string CallerDirectory() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return "";
  if (geteuid() != 0) return here;
  for (std::filesystem::path part = here; part.has_relative_path(); part = part.parent_path()) {
    struct stat info{};
    if (stat(part.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) return "";
  }
  return here;
}

std::string JobFilePath(const std::string& path) {
  if (path == "-") return "";
  std::error_code error;
  const std::string whole = std::filesystem::weakly_canonical(path, error);
  return error || PathFault(whole) ? "" : whole;
}

std::string GangText(const JobSpec& spec) {
  if (spec.resources.nodes < 2 || spec.resources.gpus.count == 0) return "";
  return Count(spec.resources.gpus.count * spec.resources.nodes, "GPU") + " on " +
         Count(spec.resources.nodes, "node");
}

Result<std::string> ReadJobFile(const std::string& path) {
  constexpr size_t kBytesMax = 1 << 20;
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
  } else {
    std::ifstream file(path);
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(path, error);
    if (!file || is_directory)
      return Fail(InvalidArgument(path + ": " + std::strerror(is_directory ? EISDIR : errno)));
    text << file.rdbuf();
  }
  std::string all = text.str();
  if (all.size() > kBytesMax) return Fail(InvalidArgument(path + ": a job file has at most 1 MiB"));
  return all;
}

std::string NewRequestId() {
  uint64_t words[2] = {};
  if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words)) return "";
  return ToBase32(words[0], 13) + ToBase32(words[1], 13);
}

namespace {

// One message for all jobs that it applies to.
void SayOnce(const google::protobuf::RepeatedPtrField<std::string>& notes,
             const v1::SubmitJobsReply& reply, const Cli& cli) {
  std::map<std::string, int> times;
  for (const std::string& note : notes) ++times[note];
  for (int i = 0; i < notes.size(); ++i) {
    const auto note = times.extract(notes[i]);
    if (note.empty() || note.key().empty()) continue;
    cli.Say(reply.job_ids(i) +
            (note.mapped() > 1 ? " and " + std::to_string(note.mapped() - 1) + " more: " : ": ") +
            note.key());
  }
}

}  // namespace

Result<std::vector<std::string>> SubmitSpecs(Cli& cli, const std::vector<JobSpec>& specs, int count,
                                             const std::string& request_id) {
  v1::SubmitJobsRequest request;
  for (const JobSpec& spec : specs) ToProto(spec, request.add_specs());
  request.set_count(count);
  request.set_request_id(request_id);
  constexpr int kTries = 25;
  for (int tries = 1;; ++tries) {
    const auto client = OpenController(cli.server);
    Result<v1::SubmitJobsReply> reply =
        client ? (*client)->Call<v1::SubmitJobsReply>("SubmitJobs", request)
               : Result<v1::SubmitJobsReply>(Fail(client.error()));
    if (reply) {
      SayOnce(reply->notes(), *reply, cli);
      if (isatty(STDERR_FILENO) == 1) SayOnce(reply->hints(), *reply, cli);  // for people
      return std::vector<std::string>(reply->job_ids().begin(), reply->job_ids().end());
    }
    // The answer was lost: the same request id gives the same jobs. A controller that was never
    // there is not waited for.
    const bool was_there = client.has_value() || tries > 1;
    if (reply.error().code != ErrorCode::kUnavailable || !was_there || tries == kTries)
      return Fail(reply.error());
    poll(nullptr, 0, 200);
  }
}

}  // namespace gp
