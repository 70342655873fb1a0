// Completion for shells: the tree of commands, and names of existing objects.

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "cmd/cli.h"

namespace gp {
namespace {

// A word that may come next, and its description.
struct Candidate {
  std::string word;
  std::string meaning;
};

using Candidates = std::vector<Candidate>;

constexpr unsigned kPatienceS = 1;  // no key press waits longer for a controller
constexpr int kNamesMax = 200;
constexpr size_t kWordMax = 4'096;
constexpr size_t kMeaningMax = 200;

// Empty if no controller answers.
template <typename Reply, typename Request>
Reply Ask(Cli& cli, const char* method, const Request& request) {
  const auto client = cli.Controller();
  if (!client) return {};
  return (*client)->Call<Reply>(method, request).value_or(Reply());
}

Candidates Jobs(Cli& cli) {
  v1::ListJobsRequest request;
  request.set_limit(kNamesMax);
  Candidates found;
  const auto reply = Ask<v1::ListJobsReply>(cli, "ListJobs", request);
  for (const v1::Job& job : reply.jobs())
    found.push_back({job.id(), job.spec().name() + ", " + v1::JobState_Name(job.state())});
  return found;
}

Candidates FromCluster(Cli& cli, const std::function<void(const v1::Node&, Candidates&)>& add) {
  Candidates found;
  const auto cluster = Ask<v1::Cluster>(cli, "GetCluster", v1::GetClusterRequest());
  for (const v1::Node& node : cluster.nodes()) add(node, found);
  return found;
}

Candidates Nodes(Cli& cli) {
  return FromCluster(cli, [](const v1::Node& node, Candidates& found) {
    found.push_back({node.name(), node.state()});
  });
}

Candidates Gpus(Cli& cli) {
  return FromCluster(cli, [](const v1::Node& node, Candidates& found) {
    for (const v1::Gpu& gpu : node.gpus())
      found.push_back(
          {node.name() + "/" + std::to_string(gpu.index()), v1::GpuState_Name(gpu.state())});
  });
}

// Targets of drain, offline, online and reset: a GPU, or a whole node.
Candidates GpusAndNodes(Cli& cli) {
  Candidates found = Nodes(cli);
  const Candidates gpus = Gpus(cli);
  found.insert(found.end(), gpus.begin(), gpus.end());
  return found;
}

Candidates Pools(Cli& cli) {
  const auto reply = Ask<v1::ListQueuesReply>(cli, "ListQueues", v1::ListQueuesRequest());
  Candidates found;
  for (const v1::Pool& pool : reply.pools())
    found.push_back({pool.name(), std::to_string(pool.gpus()) + " GPUs"});
  return found;
}

Candidates Queues(Cli& cli) {
  const auto reply = Ask<v1::ListQueuesReply>(cli, "ListQueues", v1::ListQueuesRequest());
  Candidates found;
  for (const v1::Queue& queue : reply.queues())
    found.push_back({queue.name(), "pool " + queue.pool()});
  return found;
}

Candidates Reservations(Cli& cli) {
  const auto reply =
      Ask<v1::ListReservationsReply>(cli, "ListReservations", v1::ListReservationsRequest());
  Candidates found;
  for (const v1::Reservation& one : reply.reservations()) found.push_back({one.name(), one.note()});
  return found;
}

Candidates Incidents(Cli& cli) {
  const auto reply = Ask<v1::ListIncidentsReply>(cli, "ListIncidents", v1::ListIncidentsRequest());
  Candidates found;
  for (const v1::Incident& one : reply.incidents())
    found.push_back({one.id(), one.cause() + " " + one.node()});
  return found;
}

Candidates Tokens(Cli& cli) {
  const auto reply = Ask<v1::ListTokensReply>(cli, "ListTokens", v1::ListTokensRequest());
  Candidates found;
  for (const v1::Token& one : reply.tokens()) found.push_back({one.id(), one.label()});
  return found;
}

// Candidates by the name of an argument, or of an option's value.
const std::map<std::string, Candidates (*)(Cli&)> kLive = {
    {"job", Jobs},
    {"jobs", Jobs},
    {"JOB,...", Jobs},
    {"node", Nodes},
    {"NODE,...", Nodes},
    {"gpu", GpusAndNodes},
    {"gpus", GpusAndNodes},
    {"target", GpusAndNodes},
    {"pool", Pools},
    {"POOL", Pools},
    {"QUEUE", Queues},
    {"QUEUE,...", Queues},
    {"queues name", Queues},
    {"token", Tokens},
    {"incident", Incidents},
    {"reservations name", Reservations},
    {"NODE", Nodes},
    {"GPU", Gpus},
    {"RESERVATION", Reservations},
};

// "WORD:{kind,day}": the words between the braces.
Candidates WordsOf(const std::string& type) {
  Candidates found;
  const size_t begin = type.find('{');
  const size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return found;
  std::string word;
  for (const char letter : type.substr(begin + 1, end - begin - 1) + ",") {
    if (letter != ',') {
      word += letter;
      continue;
    }
    const size_t arrow = word.find("->");  // of a transformer
    found.push_back({word.substr(0, arrow), ""});
    word.clear();
  }
  return found;
}

bool TakesValue(const CLI::Option& option) { return option.get_expected_max() > 0; }

// Reads the words so far as the parser would.
class TypedWords {
 public:
  explicit TypedWords(const CLI::App& root) : command_(&root) {}

  void Take(const std::string& word) {
    if (is_behind_dashes_) return;
    if (waiting_ != nullptr) {
      if (word == "=") return;  // bash takes --queue=research apart
      if (waiting_->check_lname("server")) server_ = word;
      waiting_ = nullptr;
    } else if (word == "--") {
      is_behind_dashes_ = true;
    } else if (word.starts_with("-")) {
      const CLI::Option* option = Find(word.substr(0, word.find('=')));
      if (option != nullptr && TakesValue(*option) && !word.contains('=')) waiting_ = option;
    } else if (const CLI::App* child = Child(word)) {
      command_ = child;
      arguments_ = 0;
    } else {
      ++arguments_;
    }
  }

  // The value of --server; empty: it was not given.
  const std::string& server() const { return server_; }

  Candidates Next(const std::string& begun, Cli& cli) const {
    if (is_behind_dashes_) return {};  // arguments of the job
    if (waiting_ != nullptr) return Values(waiting_->get_type_name(), cli);
    if (begun.starts_with("-")) return Flags();
    Candidates found = Commands();
    const CLI::Option* argument = Argument();
    if (argument == nullptr) return found;
    Candidates values = Values(argument->get_type_name(), cli);
    for (const std::string& name :
         {argument->get_name(), command_->get_parent()->get_name() + " " + argument->get_name()}) {
      if (values.empty() && kLive.contains(name)) values = kLive.at(name)(cli);
    }
    found.insert(found.end(), values.begin(), values.end());
    return found;
  }

 private:
  const CLI::App* Child(const std::string& name) const {
    for (const CLI::App* child : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (child->get_name() == name) return child;
    }
    return nullptr;
  }
  const CLI::Option* Find(const std::string& flag) const {
    const std::string name = flag.substr(
        flag.find_first_not_of('-') == std::string::npos ? 0 : flag.find_first_not_of('-'));
    for (const CLI::App* level = command_; level != nullptr; level = level->get_parent()) {
      for (const CLI::Option* option : level->get_options()) {
        if (option->check_lname(name) || option->check_sname(name)) return option;
      }
    }
    return nullptr;
  }
  // The last positional takes all words that are left.
  const CLI::Option* Argument() const {
    std::vector<const CLI::Option*> all;
    for (const CLI::Option* option : command_->get_options()) {
      if (option->get_positional()) all.push_back(option);
    }
    if (all.empty() || (arguments_ >= all.size() && all.back()->get_expected_max() <= 1))
      return nullptr;
    return all[std::min(arguments_, all.size() - 1)];
  }
  Candidates Commands() const {
    Candidates found;
    if (arguments_ > 0) return found;
    for (const CLI::App* child : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (!child->get_group().empty())
        found.push_back({child->get_name(), child->get_description()});
    }
    return found;
  }
  Candidates Flags() const {
    Candidates found;
    for (const CLI::App* level = command_; level != nullptr; level = level->get_parent()) {
      for (const CLI::Option* option : level->get_options()) {
        if (option->get_group().empty()) continue;  // not in the help either
        for (const std::string& name : option->get_lnames())
          found.push_back({"--" + name, option->get_description()});
      }
    }
    return found;
  }
  static Candidates Values(const std::string& type, Cli& cli) {
    if (Candidates words = WordsOf(type); !words.empty()) return words;
    return kLive.contains(type) ? kLive.at(type)(cli) : Candidates();
  }

  const CLI::App* command_;
  std::string server_;
  const CLI::Option* waiting_ = nullptr;  // for its value
  bool is_behind_dashes_ = false;
  size_t arguments_ = 0;
};

void Complete(const CLI::App& root, const std::vector<std::string>& words, Cli& cli) {
  alarm(kPatienceS);
  TypedWords typed(root);
  for (size_t i = 0; i + 1 < words.size(); ++i) typed.Take(words[i]);
  if (!typed.server().empty()) cli.server = typed.server();
  std::string begun = words.empty() ? "" : words.back();
  std::string before;  // the part that is kept
  const size_t equals = begun.starts_with("--") ? begun.find('=') : std::string::npos;
  if (equals != std::string::npos) {  // --queue=re: its value is being written
    typed.Take(begun.substr(0, equals));
    before = begun.substr(0, equals + 1);
  } else if (begun == "=") {  // in bash
    begun.clear();
  }
  // The last of a list
  if (const size_t comma = begun.rfind(','); comma != std::string::npos)
    before = begun.substr(0, comma + 1);
  begun.erase(0, before.size());
  std::string text;
  for (const Candidate& one : typed.Next(begun, cli)) {
    // Names come from users: keep control characters away from the shell
    const bool is_plain = one.word == Printable(one.word, kWordMax);
    if (is_plain && one.word.starts_with(begun))
      text += before + one.word + "\t" + Printable(one.meaning, kMeaningMax) + "\n";
  }
  std::fputs(text.c_str(), stdout);
}

constexpr const char* kBash =
    R"sh(# gpu-platform: completion for bash.  Put it where bash-completion looks, or source it.
_gpu_platform() {
  local word meaning quoted begun="${COMP_WORDS[COMP_CWORD]}"
  [[ $begun == = ]] && begun=
  COMPREPLY=()
  while IFS=$'\t' read -r word meaning; do
    [[ $word == "$begun"* ]] || continue
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done < <(gpu-platform __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gpu_platform gpu-platform
)sh";

constexpr const char* kZsh = R"sh(#compdef gpu-platform
# gpu-platform: completion for zsh.
# Put it as _gpu-platform into a directory of $fpath, or source it.
_gpu-platform() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <(gpu-platform __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then _describe 'gpu-platform' found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _gpu-platform "$@"
elif (( $+functions[compdef] )); then
  compdef _gpu-platform gpu-platform
fi
)sh";

constexpr const char* kFish = R"sh(# gpu-platform: completion for fish.
# Put it into ~/.config/fish/completions/gpu-platform.fish.
complete -c gpu-platform \
  -a '(gpu-platform __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)sh";

}  // namespace

void AddCompletion(CLI::App& app, Cli& cli) {
  CLI::App* completion = app.add_subcommand(
      "completion", "Print shell completion, with the names of jobs, nodes and queues");
  completion->require_subcommand(1);
  completion->group("Help");  // as in main.cc, which cannot name it: it reads the whole tree
  const auto add = [&](const char* shell, const char* script, const char* use) {
    completion->add_subcommand(shell, std::string("For ") + shell + ": " + use)->callback([script] {
      std::fputs(script, stdout);
    });
  };
  add("bash", kBash, "source <(gpu-platform completion bash)");
  add("zsh", kZsh, "source <(gpu-platform completion zsh)");
  add("fish", kFish, "gpu-platform completion fish | source");
  CLI::App* complete = app.add_subcommand("__complete", "What may come next, for shells");
  complete->group("");
  auto words = std::make_shared<std::vector<std::string>>();
  complete->add_option("words", *words, "The words so far; the last one is being written")
      ->expected(-1);
  complete->callback([words, &app, &cli] { Complete(app, *words, cli); });
}

}  // namespace gp
