#include "domain/explaining/change_search.h"

#include <memory>
#include <utility>

#include "domain/explaining/names.h"

namespace gp {

Job ChangeSearch::With(JobSpec spec) const {
  Job changed = job_;
  changed.spec = std::make_shared<const JobSpec>(std::move(spec));
  return changed;
}

bool ChangeSearch::Starts(const Job& changed) {
  return FindProblems(*changed.spec).empty() && what_if_.Place(changed).has_value();
}

void ChangeSearch::Add(ChangeKind kind, const Job& changed, std::string text) {
  Change change;
  change.kind = kind;
  change.spec = changed.spec;
  change.queue = changed.queue;
  change.text = std::move(text);
  changes_.push_back(std::move(change));
}

bool ChangeSearch::Try(ChangeKind kind, const std::string& text, const Edit& edit) {
  JobSpec edited = spec();
  edit(edited);
  const Job changed = With(std::move(edited));
  if (!Starts(changed)) return false;
  Add(kind, changed, text);
  return true;
}

void ChangeSearch::TryMost(ChangeKind kind, int64_t now, int64_t least, const EditTo& edit,
                           const std::string& name, const std::string& unit) {
  int64_t good = least - 1;
  int64_t bad = now;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    JobSpec edited = spec();
    edit(edited, middle);
    (Starts(With(std::move(edited))) ? good : bad) = middle;
  }
  if (good < least) return;
  JobSpec edited = spec();
  edit(edited, good);
  Add(kind, With(std::move(edited)),
      name + " " + std::to_string(good) + unit + " instead of " + std::to_string(now) + unit);
}

bool ChangeSearch::TryOutranking(ChangeKind kind, JobSpec spec, const std::string& text) {
  const Job changed = With(std::move(spec));
  if (Starts(changed)) {
    Add(kind, changed, text);
    return true;
  }
  const auto victims = what_if_.Interrupt(changed);
  if (!victims) return false;
  Add(kind, changed, text + ": " + Names(*victims) + " would be preempted");
  changes_.back().interrupts = *victims;
  return true;
}

}  // namespace gp
