#include "adapters/inbound/job_import/slurm/slurm_steps.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/inbound/job_import/slurm/script_text.h"
#include "adapters/inbound/job_import/slurm/shell_script.h"
#include "adapters/inbound/job_import/slurm/srun_step.h"
#include "base/text.h"

namespace gp {
namespace {

// Finds the steps of a script and replaces them.
class StepWriter {
 public:
  StepWriter(const StepPlan& plan, ScriptText& lines, std::vector<ImportNote>& notes)
      : plan_(plan), lines_(lines), notes_(notes) {}

  StepUse All() {
    for (const ShellCommand& command : ReadShellScript(lines_.Text()).commands) {
      const std::vector<ShellWord>& words = command.words;
      const auto is = [&](size_t at, std::string_view text) {
        return at < words.size() && words[at].text == text;
      };
      const std::string program = ProgramOf(words.front());
      NameRendezvous(words);
      if (program == "clear" || program == "tput" || program == "reset") use_.has_terminal = true;
      if (program == "scontrol" && is(1, "show") && (is(2, "hostnames") || is(2, "hostname"))) {
        lines_.Replace(words[0].begin, words[2].end, "gp_hosts");
        use_.has_hosts = true;
      } else if (const auto srun = FindSrun(words)) {
        Take(words, *srun);
      }
    }
    return use_;
  }

 private:
  void Note(const ShellWord& word, const std::string& what, const std::string& why) {
    notes_.push_back({lines_.NumberAt(word.begin), Printable(what, 100), Printable(why)});
  }

  void Take(const std::vector<ShellWord>& words, size_t srun) {
    const auto step = ReadSrunStep(words, srun);
    if (!step) return;  // it gets its note as a Slurm command
    if (AsksForTheHead(words, *step)) {
      lines_.Replace(words[srun].begin, words.back().end, "echo \"$GP_MASTER_ADDR\"");
      use_.has_steps = true;
      return;
    }
    const int64_t tasks = TasksOnANode(words[srun], *step);
    // exec, nohup and timeout cannot run the function gp_tasks.
    if (tasks > 1 && srun > 0) return;
    for (const std::string& option : step->noted)
      Note(words[srun], "srun " + option,
           "is left out: " + words[step->program].text + " runs on each node without it");
    const int64_t gpus = CountOf(*step, "gpus-per-task", plan_.gpus_per_task);
    NoteGpus(words[srun], *step);
    if (tasks <= 1 && gpus > 0 && gpus < plan_.gpus_per_node) {
      NoteAllGpus(words[srun], "srun --gpus-per-task=" + std::to_string(gpus));
    }
    const std::string each = gpus > 0 ? "-g " + std::to_string(gpus) + " " : "";
    lines_.Replace(words[srun].begin, words[step->program].begin,
                   tasks > 1 ? "gp_tasks " + each + std::to_string(tasks) + " " : "");
    use_.has_steps = true;
    use_.has_tasks |= tasks > 1;
  }

  // torchrun --rdzv_id $RANDOM: each node would get another id and wait alone.
  void NameRendezvous(const std::vector<ShellWord>& words) {
    for (size_t i = 1; i < words.size(); ++i) {
      const bool is_option = words[i - 1].text == "--rdzv_id" || words[i - 1].text == "--rdzv-id";
      const std::string& text = words[i].text;
      const std::string prefix = text.substr(0, text.find('=') + 1);
      if (is_option && text == "$RANDOM")
        lines_.Replace(words[i].begin, words[i].end, "$GP_JOB_ID");
      if (prefix.starts_with("--rdzv") && text == prefix + "$RANDOM")
        lines_.Replace(words[i].begin, words[i].end, prefix + "$GP_JOB_ID");
    }
  }

  void NoteAllGpus(const ShellWord& word, const std::string& what) {
    Note(word, what,
         "is left out: each step sees all of the job's GPUs on its node here; "
         "set CUDA_VISIBLE_DEVICES to those that it may use");
  }

  // In Slurm, parallel steps have their own GPUs; here each sees all of the job.
  void NoteGpus(const ShellWord& word, const SrunStep& step) {
    for (const auto& [written, value] : step.gpus) {
      const bool is_gres = written.starts_with("--gres");
      if (is_gres && !value.starts_with("gpu")) continue;
      const auto count = ParseCount(value.substr(value.rfind(':') + 1));
      const bool has_all =
          count && (*count == plan_.gpus_per_node || *count == plan_.gpus_per_node * plan_.nodes);
      if (has_all || plan_.gpus_per_node == 0) continue;
      NoteAllGpus(word, "srun " + written);
    }
  }

  // The number of an option; `otherwise` if it is not given or only known when the job runs.
  static int64_t CountOf(const SrunStep& step, std::string_view option, int64_t otherwise) {
    const auto count = step.counts.find(option);
    return count == step.counts.end()
               ? otherwise
               : std::max<int64_t>(ParseCount(count->second).value_or(otherwise), 1);
  }

  int64_t TasksOnANode(const ShellWord& word, const SrunStep& step) {
    constexpr int64_t kTasksMost = 4'096;
    const int64_t nodes = CountOf(step, "nodes", plan_.nodes);
    int64_t on_node = CountOf(step, "ntasks-per-node", plan_.tasks_per_node);
    const int64_t tasks = CountOf(step, "ntasks", 0);
    if (nodes < plan_.nodes || (tasks > 0 && tasks < plan_.nodes)) {
      Note(word, "srun",
           "runs on " + std::to_string(tasks > 0 ? std::min(nodes, tasks) : nodes) + " of the " +
               std::to_string(plan_.nodes) +
               " nodes there and on each here: for one node write if [ \"$GP_NODE_RANK\" = 0 "
               "]; then …; fi");
      return tasks > 0 ? std::min((tasks + nodes - 1) / nodes, kTasksMost)
                       : std::min(on_node, kTasksMost);
    }
    if (tasks > 0) {
      on_node = (tasks + plan_.nodes - 1) / plan_.nodes;
      if (tasks % plan_.nodes != 0)
        Note(word, "srun",
             std::to_string(tasks) + " tasks become " + std::to_string(on_node) + " on each of " +
                 std::to_string(plan_.nodes) + " nodes here");
    }
    return std::min(on_node, kTasksMost);
  }

  StepPlan plan_;
  ScriptText& lines_;
  std::vector<ImportNote>& notes_;
  StepUse use_;
};

}  // namespace

StepUse TakeSteps(const StepPlan& plan, std::vector<ScriptLine>& body,
                  std::vector<ImportNote>& notes) {
  if (body.empty()) return {};
  ScriptText lines(body);
  const StepUse use = StepWriter(plan, lines, notes).All();
  lines.Apply();
  return use;
}

std::vector<std::string> StepFunctions(const StepUse& use) {
  std::vector<std::string> lines;
  if (use.has_hosts)
    lines.emplace_back(
        "gp_hosts() { printf '%s\\n' \"${1:-$GP_NODE_LIST}\" | tr ',' '\\n'; }  # as scontrol show "
        "hostnames");
  if (use.has_tasks) {
    for (const char* line : {
             "gp_tasks() {  # [-g GPUS_OF_EACH] N PROGRAM: N tasks on this node, as srun starts "
             "them; the code of one that fails",
             "  gp_each=0 gp_task=0 gp_running= gp_code=0 gp_gpus=${CUDA_VISIBLE_DEVICES:-}",
             "  if [ \"$1\" = -g ]; then gp_each=$2; shift 2; fi",
             "  gp_count=$1; shift",
             "  while [ \"$gp_task\" -lt \"$gp_count\" ]; do",
             "    if [ \"$gp_each\" -gt 0 ]; then",
             "      gp_gpus=$(printf %s \"${CUDA_VISIBLE_DEVICES:-}\" | cut -d , -f $((gp_task * "
             "gp_each + 1))-$(((gp_task + 1) * gp_each)))",
             "    fi",
             "    CUDA_VISIBLE_DEVICES=$gp_gpus SLURM_LOCALID=$gp_task "
             "SLURM_PROCID=$((GP_NODE_RANK * gp_count + gp_task)) SLURM_NTASKS=$((GP_NNODES * "
             "gp_count)) \"$@\" &",
             "    gp_running=\"$gp_running $!\" gp_task=$((gp_task + 1))",
             "  done",
             "  for gp_task in $gp_running; do wait \"$gp_task\" || gp_code=$?; done",
             "  return \"$gp_code\"",
             "}",
         }) {
      lines.emplace_back(line);
    }
  }
  // A shell without TERM uses "dumb", with which clear fails.
  if (use.has_terminal)
    lines.emplace_back("case \"${TERM:-dumb}\" in dumb) export TERM=xterm ;; esac");
  return lines;
}

}  // namespace gp
