#include "adapters/inbound/job_import/kubernetes/pod_variables.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// Marks around the name of a variable that is only known when the job runs.
constexpr char kBegin = '\1', kEnd = '\2';

// The counterpart of a variable that the cluster fills in; empty: there is none.
std::string FieldText(std::string_view path, const std::string& index) {
  if (path.find("job-completion-index") != std::string_view::npos) return "$" + index;
  if (path == "metadata.name") return "$GP_JOB_ID";
  if (path == "spec.nodeName")
    return "$(echo \"$GP_NODE_LIST\" | cut -d , -f $((GP_NODE_RANK + 1)))";
  return "";
}

bool HasVariables(const std::string& expanded) {
  return expanded.find(kBegin) != std::string::npos;
}

// The text for use within double quotes of a shell.
std::string ShellText(const std::string& expanded) {
  std::string text;
  for (const char c : expanded) {
    if (c == kBegin) {
      text += "${";
    } else if (c == kEnd) {
      text += '}';
    } else {
      if (std::string_view("\\\"$`").contains(c)) text += '\\';
      text += c;
    }
  }
  return text;
}

}  // namespace

void PodVariables::Take(const YamlNode& container) {
  const YamlNode* variables = Find(container, {"env"});
  if (variables == nullptr) return;
  for (const YamlNode& variable : variables->items) {
    if (const YamlNode* name = document_.taken.TakeText(variable, {"name"}))
      TakeOne(variable, name->text);
  }
}

void PodVariables::TakeOne(const YamlNode& variable, const std::string& name) {
  const YamlNode* value = document_.taken.TakeText(variable, {"value"});
  const YamlNode* source = Find(variable, {"valueFrom"});
  if (source != nullptr) document_.taken.Use(*source);
  if (const auto refusal = VariableRefusal(name)) {
    unknown_.insert(name);
    document_.Note(variable, "env " + name, *refusal);
    return;
  }
  const YamlNode* field = source == nullptr ? nullptr : Find(*source, {"fieldRef", "fieldPath"});
  const std::string text = field == nullptr ? "" : FieldText(field->text, workload_.index);
  if (!text.empty()) {
    variables_.emplace_back(name, text);
  } else if (value != nullptr || source == nullptr) {
    const std::string expanded = value == nullptr ? "" : Expanded(*value);
    if (HasVariables(expanded)) {
      variables_.emplace_back(name, ShellText(expanded));
      return;
    }
    literals_[name] = expanded;
    Put(document_.draft, {"env", name}, Text(expanded));
  } else {
    unknown_.insert(name);
    Put(document_.draft, {"env", name}, YamlNode{});
    document_.Note(variable, "env " + name,
                   "must be given at submit: --env " + Printable(name, 60) + "=…");
  }
}

std::vector<std::string> PodVariables::WithVariables(std::vector<std::string> words) const {
  std::vector<std::pair<std::string, std::string>> variables = workload_.variables;
  variables.insert(variables.end(), variables_.begin(), variables_.end());
  for (const auto& named : workload_.named_variables) {
    if (std::ranges::any_of(words, [&](const std::string& word) {
          return word.find(named.first) != std::string::npos;
        }))
      variables.push_back(named);
  }
  const bool has_variables = std::ranges::any_of(words, HasVariables);
  if (variables.empty() && !has_variables) return words;
  std::string script = variables.empty() ? "" : "export";
  for (const auto& [name, value] : variables) script += " " + name + "=\"" + value + "\"";
  if (!variables.empty()) script += "; ";
  if (has_variables) script += "set --";
  for (size_t i = 0; has_variables && i < words.size(); ++i) {
    const std::string text =
        HasVariables(words[i]) ? ShellText(words[i]) : "${" + std::to_string(i + 1) + "}";
    script += " \"" + text + "\"";
    if (HasVariables(words[i])) words[i] = "-";  // placeholder
  }
  if (has_variables) script += "; ";
  std::vector<std::string> all = {"/bin/sh", "-c", script + "exec \"$@\"", "sh"};
  std::ranges::move(words, std::back_inserter(all));
  return all;
}

std::string PodVariables::Expanded(const YamlNode& word) const {
  const std::string& text = word.text;
  if (text.find(kBegin) != std::string::npos || text.find(kEnd) != std::string::npos) return text;
  std::string expanded;
  for (size_t at = 0; at < text.size();) {
    const bool is_escaped = text.compare(at, 2, "$$") == 0;
    const size_t end = text.compare(at, 2, "$(") == 0 ? text.find(')', at) : std::string::npos;
    const std::string name = end == std::string::npos ? "" : text.substr(at + 2, end - at - 2);
    if (const auto literal = literals_.find(name); literal != literals_.end()) {
      expanded += literal->second;
      at = end + 1;
    } else if (IsKnownLater(name)) {
      expanded += kBegin + name + kEnd;
      at = end + 1;
    } else {
      expanded += text[at];
      at += is_escaped ? 2 : 1;
    }
    if (expanded.size() > kArgumentBytesMax) return text;
  }
  return expanded;
}

// False for a name that a shell could not read: its variable has a note.
bool PodVariables::IsKnownLater(const std::string& name) const {
  if (VariableNameFault(name)) return false;
  const auto has = [&](const auto& variables) {
    return std::ranges::any_of(variables,
                               [&](const auto& variable) { return variable.first == name; });
  };
  return unknown_.contains(name) || has(variables_) || has(workload_.variables) ||
         has(workload_.named_variables);
}

}  // namespace gp
