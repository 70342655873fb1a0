#include "simulation/world/savings.h"

#include <algorithm>

namespace gp {

void Savings::Expect(bool holds, const std::string& what) {
  if (!holds) findings_.Break(timeline_.now(), what);
}

void Savings::Write(JobId job, const std::string& path, int64_t step, bool is_whole) {
  on_disk_[path] = {job, step, is_whole};
  if (is_whole) written_.insert({job, path, step});
}

void Savings::Begin(JobId job, const std::string& from, int64_t step) {
  const auto placed = step_when_placed_.find(job);
  if (placed == step_when_placed_.end()) return;  // no checkpoint was known
  const auto there = on_disk_.find(from);
  const bool is_good = there != on_disk_.end() && there->second.job == job &&
                       there->second.is_whole && there->second.step == step;
  Expect(is_good, ToText(job) + " is to resume from \"" + from + "\", which is not there");
  Expect(step >= placed->second, ToText(job) + " is to resume from step " + std::to_string(step) +
                                     ", but step " + std::to_string(placed->second) + " was known");
}

void Savings::Remove(const std::string& path) {
  const auto there = on_disk_.find(path);
  if (there == on_disk_.end()) return;
  const auto newest = newest_.find(there->second.job);
  Expect(newest != newest_.end() && newest->second.path != path,
         ToText(there->second.job) + " loses " + path + ", from which it would resume");
  on_disk_.erase(there);
}

bool Savings::Copy(const std::string& path, const std::string& url,
                   const std::vector<std::string>& staying) {
  const auto there = on_disk_.find(path);
  if (there == on_disk_.end()) return false;
  copied_[url] = there->second;
  const size_t above = url.rfind('/') + 1;
  std::erase_if(copied_, [&](const auto& one) {
    return one.first.starts_with(url.substr(0, above)) &&
           IsReplacedCopy(one.first.substr(above), staying);
  });
  return true;
}

void Savings::Restore(const std::string& url, const std::string& path) {
  const auto copy = copied_.find(url);
  Expect(copy != copied_.end(), path + " is to be restored from " + url + ", which is not there");
  const auto there = on_disk_.find(path);
  const bool is_same =
      copy != copied_.end() && there != on_disk_.end() && copy->second.step == there->second.step;
  Expect(is_same || there == on_disk_.end(),
         url + " is the copy of another checkpoint than " + path);
}

void Savings::Record(JobId job, const Checkpoint& checkpoint) {
  if (!checkpoint.is_complete) return;
  Expect(written_.contains({job, checkpoint.path, checkpoint.step}),
         ToText(job) + " is reported to have written " + checkpoint.path);
  newest_[job] = checkpoint;
}

void Savings::Place(JobId job) {
  if (const auto newest = newest_.find(job); newest != newest_.end())
    step_when_placed_[job] = newest->second.step;
}

}  // namespace gp
