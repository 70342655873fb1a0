#include "adapters/inbound/job_import/slurm/sbatch_options.h"

#include <algorithm>
#include <map>

#include "adapters/inbound/job_import/slurm/slurm_values.h"
#include "base/text.h"
#include "domain/model/jobs/job_name.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

std::string Seconds(int64_t seconds) {
  if (seconds % 3'600 == 0) return std::to_string(seconds / 3'600) + "h";
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + "m" : std::to_string(seconds) + "s";
}

bool IsName(std::string_view text) { return !text.empty() && JobNameFromPath(text) == text; }

// The text split at commas outside quotes; the quotes are removed.
std::vector<std::string> PartsOfExport(std::string_view text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && c == ',') {
      parts.emplace_back();
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The text for use within double quotes of a shell.
std::string Literal(const std::string& text) {
  std::string literal;
  for (const char c : text) {
    if (c == '"' || c == '$' || c == '`' || c == '\\') literal += '\\';
    if (c != '\n') literal += c;
  }
  return literal;
}

// The message shows the first two parts into which the array can be divided.
std::string TooLarge(const SlurmArray& array) {
  const std::string why = "GP1011: an array has at most " + std::to_string(kArrayMax) +
                          " jobs, and this one " + std::to_string(array.Count()) +
                          ": import and submit it in parts";
  if (array.runs.size() != 1) return why;
  const SlurmArray::Run& run = array.runs.front();
  const auto part = [&](int64_t index) {
    const int64_t last = std::min(run.count, index + kArrayMax) - 1;
    const std::string step = run.step == 1 ? "" : ":" + std::to_string(run.step);
    return "--array=" + std::to_string(run.first + index * run.step) + "-" +
           std::to_string(run.first + last * run.step) + step +
           (array.max_parallel > 0 ? "%" + std::to_string(array.max_parallel) : "");
  };
  return why + ", " + part(0) + ", " + part(kArrayMax) +
         (run.count > 2 * kArrayMax ? " and so on" : "");
}

}  // namespace

void SbatchDraft::Note(const Directive& one, std::string_view why) {
  notes.push_back({one.line, Printable(one.written, 100), Printable(why)});
}

Result<bool> SbatchOptions::Take(const Directive& one) {
  using Taker = Result<bool> (SbatchOptions::*)(const Directive&);
  static const std::map<std::string_view, Taker> kTakers{
      {"account", &SbatchOptions::TakeAccount},
      {"array", &SbatchOptions::TakeArray},
      {"chdir", &SbatchOptions::TakeDirectory},
      {"export", &SbatchOptions::TakeExport},
      {"gres-flags", &SbatchOptions::TakeBinding},
      {"job-name", &SbatchOptions::TakeName},
      {"partition", &SbatchOptions::TakePartition},
      {"qos", &SbatchOptions::TakeQos},
      {"reservation", &SbatchOptions::TakeReservation},
      {"signal", &SbatchOptions::TakeSignal},
      {"time", &SbatchOptions::TakeTime},
  };
  const auto taker = kTakers.find(one.name);
  if (!one.is_known || taker == kTakers.end()) return false;
  return (this->*taker->second)(one);
}

bool SbatchOptions::Unreadable(const Directive& one, std::string_view wanted) {
  draft_.Note(one, "cannot be read; expected: " + std::string(wanted));
  return true;  // it has its note
}

Result<bool> SbatchOptions::TakeAccount(const Directive& one) {
  if (!IsName(one.value)) return Unreadable(one, "a project name of letters, digits, _ and -");
  Put(draft_.job_file, {"project"}, Text(one.value));
  return true;
}

Result<bool> SbatchOptions::TakeName(const Directive& one) {
  const std::string name = JobNameFromPath(one.value);
  Put(draft_.job_file, {"name"}, Text(name));
  if (name != one.value) draft_.Note(one, "is called " + name + " here");
  return true;
}

Result<bool> SbatchOptions::TakeReservation(const Directive& one) {
  if (!IsName(one.value)) return Unreadable(one, "a reservation name of letters, digits, _ and -");
  Put(draft_.job_file, {"reservation"}, Text(one.value));
  return true;
}

// Of several partitions Slurm uses the first in which the job can start; a job here has one
// queue.
Result<bool> SbatchOptions::TakePartition(const Directive& one) {
  std::string queue;
  for (const std::string& partition : Split(one.value, ',')) {
    const auto found = import_options_.queues.find(partition);
    if (found == import_options_.queues.end()) continue;
    if (queue.empty()) queue = found->second;
    if (queue != found->second)
      draft_.Note(one, "waits in " + queue + " only: a job has one queue");
  }
  if (queue.empty()) {
    draft_.Note(
        one, "set queue:, or import with --map " + one.value.substr(0, one.value.find(',')) +
                 "=QUEUE; for the kind of node set node_labels: or resources: {gpus: {model: …}}");
  } else {
    Put(draft_.job_file, {"queue"}, Text(queue));
  }
  draft_.facts.stated["SLURM_JOB_PARTITION"] = Literal(one.value);
  return true;
}

Result<bool> SbatchOptions::TakeArray(const Directive& one) {
  const auto refuse = [&](const std::string& why) {
    return Fail(InvalidArgument("line " + std::to_string(one.line) + ": " +
                                Printable(one.written, 100) + ": " + why));
  };
  const auto array = ReadSlurmArray(one.value);
  if (!array)
    return refuse(
        "is not a valid array: numbers and FIRST-LAST, with :STEP, and %PARALLEL at the end");
  if (array->Count() > kArrayMax) return refuse(TooLarge(*array));
  draft_.facts.array = *array;
  Put(draft_.job_file, {"array", "count"}, Plain(std::to_string(array->Count())));
  if (array->max_parallel > 0)
    Put(draft_.job_file, {"array", "max_parallel"},
        Plain(std::to_string(std::min<int64_t>(array->max_parallel, kArrayMax))));
  return true;
}

Result<bool> SbatchOptions::TakeDirectory(const Directive& one) {
  if (!one.value.starts_with('/')) return Unreadable(one, "an absolute path");
  if (one.value.find('%') != std::string::npos)
    return Unreadable(one, "a path without patterns such as %j");
  Put(draft_.job_file, {"workdir"}, Text(one.value));
  return true;
}

Result<bool> SbatchOptions::TakeExport(const Directive& one) {
  if (one.value == "NONE") return true;  // the default here
  for (const std::string& part : PartsOfExport(one.value)) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string name = part.substr(0, equals);
    if (part == "ALL") {
      draft_.Note(
          one,
          "variables of the submitting shell are not passed on: set them under env:, or with "
          "--env");
    } else if (part == "NIL" || part.empty()) {
      continue;
    } else if (const auto refusal = VariableRefusal(name)) {
      draft_.Note(one, Printable(name, 60) + " " + *refusal);
    } else if (equals < part.size()) {
      Put(draft_.job_file, {"env", name}, Text(part.substr(equals + 1)));
    } else {
      Put(draft_.job_file, {"env", name}, YamlNode{});
      draft_.Note(one, name + " must be given at submit: --env " + name + "=\"$" + name + "\"");
    }
  }
  return true;
}

Result<bool> SbatchOptions::TakeBinding(const Directive& one) {
  if (one.value != "enforce-binding") return false;
  Put(draft_.job_file, {"topology", "allow_cross_numa"}, Plain("false"));
  return true;
}

Result<bool> SbatchOptions::TakeQos(const Directive& one) {
  const std::string priority = one.value == "normal" ? "medium" : one.value;
  if (priority != "low" && priority != "medium" && priority != "high")
    return Unreadable(one,
                      "low, normal, medium or high; or set priority: with a number up to 1000");
  Put(draft_.job_file, {"priority"}, Text(priority));
  return true;
}

Result<bool> SbatchOptions::TakeTime(const Directive& one) {
  const auto seconds = SlurmSeconds(one.value);
  if (!seconds) return Unreadable(one, "minutes, H:MM:SS or D-HH:MM:SS");
  time_ = *seconds;
  return true;
}

Result<bool> SbatchOptions::TakeSignal(const Directive& one) {
  const auto signal = ReadSlurmSignal(one.value);
  if (!signal) return Unreadable(one, "USR1, USR2, TERM, INT, HUP or QUIT, and seconds: USR1@120");
  Put(draft_.job_file, {"checkpoint", "signal"}, Text(signal->name));
  Put(draft_.job_file, {"checkpoint", "grace"}, Plain(Seconds(signal->seconds_before)));
  before_ = signal->seconds_before;
  return true;
}

// Slurm sends the signal before the time limit; here the grace period follows the limit.
void SbatchOptions::PutTime() {
  if (time_ > 0)
    Put(draft_.job_file, {"time_limit"}, Plain(Seconds(time_ > before_ ? time_ - before_ : time_)));
}

}  // namespace gp
