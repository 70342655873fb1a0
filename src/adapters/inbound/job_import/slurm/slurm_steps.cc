#include "adapters/inbound/job_import/slurm/slurm_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/inbound/job_import/slurm/shell_script.h"
#include "base/text.h"

namespace gp {
namespace {

// The lines of a script as one text; Apply writes the collected changes back to the lines.
class Lines {
 public:
  explicit Lines(std::vector<ScriptLine>& lines) : lines_(lines) {
    for (const ScriptLine& line : lines) {
      begins_.push_back(text_.size());
      text_ += line.text + "\n";
    }
  }

  const std::string& Text() const { return text_; }
  int NumberAt(size_t at) const { return lines_[IndexAt(at)].number; }

  void Replace(size_t begin, size_t end, std::string with) {
    changes_.push_back({begin, end, std::move(with)});
  }

  // Applies the changes from the last to the first, so that earlier offsets stay valid; a change
  // within another one is dropped.
  void Apply() {
    std::ranges::stable_sort(changes_, {}, &Change::begin);
    std::vector<Change> apart;
    for (Change& change : changes_) {
      if (apart.empty() || change.begin >= apart.back().end) apart.push_back(std::move(change));
    }
    std::ranges::reverse(apart);
    for (const Change& change : apart) {
      const size_t first = IndexAt(change.begin), last = IndexAt(change.end);
      const std::string rest = lines_[last].text.substr(change.end - begins_[last]);
      lines_[first].text =
          lines_[first].text.substr(0, change.begin - begins_[first]) + change.with + rest;
      lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                   lines_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
  }

 private:
  struct Change {
    size_t begin;
    size_t end;
    std::string with;
  };

  size_t IndexAt(size_t at) const {
    return static_cast<size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin()) - 1;
  }

  std::vector<ScriptLine>& lines_;
  std::vector<size_t> begins_;
  std::string text_;
  std::vector<Change> changes_;
};

std::string ProgramOf(const ShellWord& word) { return word.text.substr(word.text.rfind('/') + 1); }

// What an import does with an option of srun.
enum class Fate {
  kCounts,   // read: the number of tasks, of nodes, or of GPUs of a task
  kGpus,     // the GPUs of the step; here a step has all GPUs of the job
  kNothing,  // dropped: it has no effect here
  kNoted,    // dropped, with a note
};

struct StepOption {
  std::string_view name;
  char letter;
  char takes;  // '=': a value; '?': only after "="; 0: none
  Fate fate;
};

constexpr StepOption kStepOptions[] = {
    {"ntasks", 'n', '=', Fate::kCounts},
    {"nodes", 'N', '=', Fate::kCounts},
    {"ntasks-per-node", 0, '=', Fate::kCounts},
    {"tasks-per-node", 0, '=', Fate::kCounts},
    {"account", 'A', '=', Fate::kNothing},
    {"bcast", 0, '?', Fate::kNoted},
    {"chdir", 'D', '=', Fate::kNoted},
    {"cluster-constraint", 0, '=', Fate::kNothing},
    {"constraint", 'C', '=', Fate::kNoted},
    {"container", 0, '=', Fate::kNoted},
    {"container-env", 0, '=', Fate::kNoted},
    {"container-image", 0, '=', Fate::kNoted},
    {"container-mounts", 0, '=', Fate::kNoted},
    {"container-name", 0, '=', Fate::kNoted},
    {"container-workdir", 0, '=', Fate::kNoted},
    {"container-writable", 0, 0, Fate::kNoted},
    {"container-mount-home", 0, 0, Fate::kNoted},
    {"no-container-mount-home", 0, 0, Fate::kNoted},
    {"no-container-entrypoint", 0, 0, Fate::kNoted},
    {"no-container-remap-root", 0, 0, Fate::kNoted},
    {"container-remap-root", 0, 0, Fate::kNoted},
    {"cores-per-socket", 0, '=', Fate::kNothing},
    {"cpu-bind", 0, '=', Fate::kNothing},
    {"cpu_bind", 0, '=', Fate::kNothing},
    {"cpu-freq", 0, '=', Fate::kNoted},
    {"cpus-per-gpu", 0, '=', Fate::kNothing},
    {"cpus-per-task", 'c', '=', Fate::kNothing},
    {"disable-status", 'X', 0, Fate::kNothing},
    {"distribution", 'm', '=', Fate::kNothing},
    {"error", 'e', '=', Fate::kNoted},
    {"exact", 0, 0, Fate::kNothing},
    {"exclude", 'x', '=', Fate::kNoted},
    {"exclusive", 0, '?', Fate::kGpus},
    {"export", 0, '=', Fate::kNoted},
    {"gpu-bind", 0, '=', Fate::kNoted},
    {"gpus", 'G', '=', Fate::kGpus},
    {"gpus-per-node", 0, '=', Fate::kGpus},
    {"gpus-per-task", 0, '=', Fate::kCounts},
    {"gres", 0, '=', Fate::kGpus},
    {"gres-flags", 0, '=', Fate::kNothing},
    {"het-group", 0, '=', Fate::kNoted},
    {"hint", 0, '=', Fate::kNothing},
    {"immediate", 'I', '?', Fate::kNothing},
    {"input", 'i', '=', Fate::kNoted},
    {"interactive", 0, 0, Fate::kNothing},
    {"job-name", 'J', '=', Fate::kNothing},
    {"jobid", 0, '=', Fate::kNothing},
    {"kill-on-bad-exit", 'K', '?', Fate::kNothing},
    {"label", 'l', 0, Fate::kNothing},
    {"mem", 0, '=', Fate::kNothing},
    {"mem-bind", 0, '=', Fate::kNothing},
    {"mem-per-cpu", 0, '=', Fate::kNothing},
    {"mem-per-gpu", 0, '=', Fate::kNothing},
    {"mpi", 0, '=', Fate::kNoted},
    {"network", 0, '=', Fate::kNothing},
    {"nodelist", 'w', '=', Fate::kNoted},
    {"ntasks-per-gpu", 0, '=', Fate::kNoted},
    {"ntasks-per-socket", 0, '=', Fate::kNothing},
    {"open-mode", 0, '=', Fate::kNothing},
    {"output", 'o', '=', Fate::kNoted},
    {"overcommit", 'O', 0, Fate::kNothing},
    {"overlap", 0, 0, Fate::kNothing},
    {"oversubscribe", 's', 0, Fate::kNothing},
    {"partition", 'p', '=', Fate::kNothing},
    {"preserve-env", 'E', 0, Fate::kNothing},
    {"propagate", 0, '?', Fate::kNothing},
    {"pty", 0, '?', Fate::kNoted},
    {"qos", 'q', '=', Fate::kNothing},
    {"quiet", 'Q', 0, Fate::kNothing},
    {"quit-on-interrupt", 0, 0, Fate::kNothing},
    {"relative", 'r', '=', Fate::kNoted},
    {"reservation", 0, '=', Fate::kNothing},
    {"resv-ports", 0, '?', Fate::kNothing},
    {"signal", 0, '=', Fate::kNoted},
    {"slurmd-debug", 0, '=', Fate::kNothing},
    {"sockets-per-node", 0, '=', Fate::kNothing},
    {"task-epilog", 0, '=', Fate::kNoted},
    {"task-prolog", 0, '=', Fate::kNoted},
    {"threads", 'T', '=', Fate::kNothing},
    {"threads-per-core", 0, '=', Fate::kNothing},
    {"time", 't', '=', Fate::kNoted},
    {"unbuffered", 'u', 0, Fate::kNothing},
    {"verbose", 'v', 0, Fate::kNothing},
    {"wait", 'W', '=', Fate::kNothing},
};

const StepOption* StepOptionByName(std::string_view name) {
  const auto exact = std::ranges::find(kStepOptions, name, &StepOption::name);
  return exact == std::end(kStepOptions) ? nullptr : &*exact;
}

const StepOption* StepOptionByLetter(char letter) {
  const auto found = std::ranges::find(kStepOptions, letter, &StepOption::letter);
  return letter == 0 || found == std::end(kStepOptions) ? nullptr : &*found;
}

// The options of a step, and where its program begins.
struct Step {
  std::map<std::string_view, std::string> counts;
  std::vector<std::string> noted;  // as written
  // Options that give it GPUs, as written, and their values.
  std::vector<std::pair<std::string, std::string>> gpus;
  size_t program = 0;  // index of the word
};

// nullopt: an option is unknown, or there is no program.
std::optional<Step> ReadStep(const std::vector<ShellWord>& words, size_t srun) {
  Step step;
  size_t at = srun + 1;
  while (at < words.size() && words[at].text.starts_with('-') && words[at].text.size() > 1) {
    std::string written = words[at++].text;
    if (written == "--") break;
    const bool is_long = written.starts_with("--");
    const size_t equals = is_long ? written.find('=') : std::string::npos;
    const StepOption* option = is_long ? StepOptionByName(std::string_view(written).substr(
                                             2, equals == std::string::npos ? equals : equals - 2))
                                       : StepOptionByLetter(written[1]);
    if (option == nullptr) return std::nullopt;
    std::string value = equals != std::string::npos ? written.substr(equals + 1)
                        : is_long                   ? ""
                                                    : written.substr(2);
    // Letters without values may be combined.
    if (option->takes == 0 && !value.empty() && !is_long) {
      if (std::ranges::any_of(value, [](char c) {
            return StepOptionByLetter(c) == nullptr || StepOptionByLetter(c)->takes == '=';
          }))
        return std::nullopt;
    }
    if (option->takes == '=' && value.empty() && equals == std::string::npos) {
      if (at == words.size()) return std::nullopt;
      value = words[at++].text;
      written += " " + value;
    }
    if (option->fate == Fate::kCounts)
      step.counts[option->name == "tasks-per-node" ? "ntasks-per-node" : option->name] = value;
    if (option->fate == Fate::kGpus) step.gpus.emplace_back(written, value);
    const bool is_plain_export = option->name == "export" && (value == "ALL" || value.empty());
    if (option->fate == Fate::kNoted && !is_plain_export) step.noted.push_back(written);
  }
  if (at >= words.size()) return std::nullopt;
  step.program = at;
  return step;
}

// The index of the word srun; nullopt: the command is not a step.
std::optional<size_t> FindSrun(const std::vector<ShellWord>& words) {
  constexpr std::string_view kRunners[] = {"exec", "nohup", "command", "timeout"};
  for (size_t i = 0; i < words.size(); ++i) {
    if (ProgramOf(words[i]) == "srun") return i;
    const bool is_runner = std::ranges::find(kRunners, words[i].text) != std::end(kRunners);
    const bool is_its_option =
        i > 0 && (words[i].text.starts_with('-') || words[0].text == "timeout");
    if (!is_runner && !is_its_option) return std::nullopt;
  }
  return std::nullopt;
}

// Whether the step asks for the rendezvous address of the ranks:
// srun -N1 -n1 -w "$head_node" hostname --ip-address.
bool AsksForTheHead(const std::vector<ShellWord>& words, const Step& step) {
  const auto is_one = [&](std::string_view option) {
    const auto count = step.counts.find(option);
    return count != step.counts.end() && count->second == "1";
  };
  constexpr std::string_view kHeads[] = {"head", "HEAD", "master", "MASTER", "[0]"};
  const auto is_head = [&](const std::string& option) {
    const bool is_place = option.starts_with("-w") || option.starts_with("--nodelist");
    return is_place && std::ranges::any_of(
                           kHeads, [&](std::string_view head) { return option.contains(head); });
  };
  return std::ranges::any_of(step.noted, is_head) && (is_one("nodes") || is_one("ntasks")) &&
         ProgramOf(words[step.program]) == "hostname";
}

// Finds the steps of a script and replaces them.
class StepWriter {
 public:
  StepWriter(const StepPlan& plan, Lines& lines, std::vector<ImportNote>& notes)
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
    const auto step = ReadStep(words, srun);
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
  void NoteGpus(const ShellWord& word, const Step& step) {
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
  static int64_t CountOf(const Step& step, std::string_view option, int64_t otherwise) {
    const auto count = step.counts.find(option);
    return count == step.counts.end()
               ? otherwise
               : std::max<int64_t>(ParseCount(count->second).value_or(otherwise), 1);
  }

  int64_t TasksOnANode(const ShellWord& word, const Step& step) {
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
  Lines& lines_;
  std::vector<ImportNote>& notes_;
  StepUse use_;
};

}  // namespace

StepUse TakeSteps(const StepPlan& plan, std::vector<ScriptLine>& body,
                  std::vector<ImportNote>& notes) {
  if (body.empty()) return {};
  Lines lines(body);
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

void NoteArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes) {
  std::vector<ScriptLine> copy = body;
  if (copy.empty()) return;
  const Lines lines(copy);
  std::map<int, std::vector<std::string>> by_line;
  for (const ShellArgument& argument : ReadShellScript(lines.Text()).arguments) {
    std::vector<std::string>& texts = by_line[lines.NumberAt(argument.at)];
    if (std::ranges::find(texts, argument.text) == texts.end()) texts.push_back(argument.text);
  }
  for (const auto& [line, texts] : by_line) {
    notes.push_back(
        {line, Printable(Join(texts, " "), 100),
         "arguments of the script are given at submit: gpu-platform jobs submit FILE -- "
         "ARGUMENTS"});
  }
}

}  // namespace gp
