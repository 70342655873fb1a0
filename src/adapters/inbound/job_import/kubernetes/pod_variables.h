#pragma once

// The variables of a container: given in the document, set by the controller of its workload, or
// only known when the job runs.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/job_import/kubernetes/workload.h"

namespace gp {

// Takes the environment of one container, and expands the variables in its command.  `workload` and
// `document` must outlive it.
class PodVariables {
 public:
  PodVariables(const Workload& workload, Document& document)
      : workload_(workload), document_(document) {}

  // Writes env: of the job file; a variable without a known value has a note.
  void Take(const YamlNode& container);

  // Expands as Kubernetes does: "$(NAME)" is the value of a variable of the container that is
  // defined before, "$$" is "$", and any other "$(" stays.  The name of a variable that is only
  // known when the job runs stays in marks, which WithVariables replaces.
  std::string Expanded(const YamlNode& word) const;

  // Adds a shell that sets the variables whose values are only known when the job runs, and then
  // executes the program.  `words`: its expanded command.
  std::vector<std::string> WithVariables(std::vector<std::string> words) const;

 private:
  void TakeOne(const YamlNode& variable, const std::string& name);
  bool IsKnownLater(const std::string& name) const;

  const Workload& workload_;
  Document& document_;
  // Variables whose values are known when the job runs.
  std::vector<std::pair<std::string, std::string>> variables_;
  std::map<std::string, std::string> literals_;  // variables with given values
  std::set<std::string> unknown_;                // variables without a known value
};

}  // namespace gp
