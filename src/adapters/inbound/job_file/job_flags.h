#pragma once

// A job from flags alone: gpu-platform run --gpus 2 -- python train.py.  Every flag sets a
// field of the job file and is read by the same rules.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

// A flag that sets one field.
struct JobFlag {
  enum class Kind {
    kText,    // one value, as in the job file
    kSwitch,  // without a value: true, or false with its other name
    kNames,   // may be given often; the values are joined by commas
  };

  std::string_view name;       // "--gpus"
  std::string_view path;       // of the field: "resources.gpus"
  std::string_view help;       // for the help
  std::string_view type = {};  // of the value, for the help; empty: a text
  std::string_view other_name = {};
  Kind kind = Kind::kText;
};

// In the order of the help.
std::span<const JobFlag> AllJobFlags();
// The type of the value, for the help; "{mps,mig}" where the field takes one of these words.
// Empty: a text, or none.
std::string ValueTypeOf(const JobFlag& flag);

// The values of the flags, as typed.
struct JobFlags {
  std::map<std::string, std::string, std::less<>> texts = {};         // by name of the flag
  std::vector<std::pair<std::string, std::string>> environment = {};  // --env NAME=value
  std::vector<std::pair<std::string, std::string>> labels = {};       // --label NAME=value
  std::vector<std::pair<std::string, std::string>> node_labels = {};  // --node-label NAME=value
  bool interactive = false;
  std::vector<std::string> command = {};  // what follows --
};

// A text as YAML that stays a text, whatever it looks like.
std::string QuotedYaml(std::string text);

// The flags as overrides of a job file: paths of its fields, and values in YAML; without the pairs.
std::vector<std::pair<std::string, std::string>> OverridesOf(const JobFlags& flags);

// kInvalidArgument names the flag: "--gpus: must be a whole number, …".
Result<JobSpec> JobFromFlags(const JobFlags& flags);

}  // namespace gp
