#include "cmd/jobs/submit.h"

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
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// As Slurm's --time: minutes, H:M:S, D-H; no limit at all; or a duration of ours.
std::optional<std::string> TimeLimitOf(const std::string& text) {
  const auto seconds = SlurmSeconds(text);
  if (!seconds) return text;
  return *seconds == 0 ? std::nullopt : std::optional(std::to_string(*seconds) + "s");
}

constexpr std::string_view kTimeLimit = "--time-limit";

void AddJobFlag(CLI::App& sub, const JobFlag& flag, JobFlags& flags) {
  const std::string names =
      std::string(flag.name) + (flag.other_name.empty() ? "" : "," + std::string(flag.other_name));
  const std::string help(flag.help);
  const auto store = [&flags, name = flag.name](std::string text) {
    flags.texts.insert_or_assign(std::string(name), std::move(text));
  };
  CLI::Option* option = nullptr;
  switch (flag.kind) {
    case JobFlag::Kind::kText:
      option = sub.add_option_function<std::string>(names, store, help);
      break;
    case JobFlag::Kind::kSwitch:
      sub.add_flag_function(
          names, [store](int64_t times) { store(times > 0 ? "true" : "false"); }, help);
      return;
    case JobFlag::Kind::kNames:
      option = sub.add_option_function<std::vector<std::string>>(
                      names,
                      [store](const std::vector<std::string>& all) { store(Join(all, ",")); }, help)
                   ->allow_extra_args(false);
      break;
  }
  if (const std::string type = ValueTypeOf(flag); !type.empty()) option->type_name(type);
}

// Its older name, and Slurm's; neither is in the help.
void AddOlderTimeLimits(CLI::App& sub, JobFlags& flags) {
  const auto store = [&flags](const std::optional<std::string>& text) {
    if (text)
      flags.texts.insert_or_assign(std::string(kTimeLimit), *text);
    else
      flags.texts.erase(std::string(kTimeLimit));
  };
  sub.add_option_function<std::string>("--max-duration", store, "")->group("");
  sub.add_option_function<std::string>(
         "--time", [store](const std::string& text) { store(TimeLimitOf(text)); }, "")
      ->group("");
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
  for (const JobFlag& flag : AllJobFlags()) {
    AddJobFlag(sub, flag, flags);
    if (flag.name == kTimeLimit) AddOlderTimeLimits(sub, flags);
  }
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

std::string CallerDirectory(const std::string& image) {
  if (HasLayers(image)) return "";
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
  const auto client = GP_TRY(OpenController(cli.server));
  const auto reply = GP_TRY(client->Call<v1::SubmitJobsReply>("SubmitJobs", request));
  SayOnce(reply.notes(), reply, cli);
  if (isatty(STDERR_FILENO) == 1) SayOnce(reply.hints(), reply, cli);  // for people
  return std::vector<std::string>(reply.job_ids().begin(), reply.job_ids().end());
}

}  // namespace gp
