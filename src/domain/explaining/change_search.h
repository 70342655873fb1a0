#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "domain/explaining/explain.h"
#include "domain/explaining/what_if.h"

namespace gp {

// Tries changes of one job, and collects those with which it would start now.  `what_if` and `job`
// must outlive it.
class ChangeSearch {
 public:
  using Edit = std::function<void(JobSpec& spec)>;
  using EditTo = std::function<void(JobSpec& spec, int64_t value)>;

  ChangeSearch(WhatIf& what_if, const Job& job) : what_if_(what_if), job_(job) {}

  WhatIf& what_if() { return what_if_; }
  const Job& job() const { return job_; }
  const JobSpec& spec() const { return *job_.spec; }

  // The job with another spec.
  Job With(JobSpec spec) const;
  bool Starts(const Job& changed);

  void Add(Change change) { changes_.push_back(std::move(change)); }
  // Adds what is changed in the job itself.
  void Add(ChangeKind kind, const Job& changed, std::string text);

  // The spec with one field changed; added if it starts.
  bool Try(ChangeKind kind, const std::string& text, const Edit& edit);
  // The largest value from `least` to below `now` with which it starts; added if there is one.  A
  // smaller request always fits where a larger one does.
  void TryMost(ChangeKind kind, int64_t now, int64_t least, const EditTo& edit,
               const std::string& name, const std::string& unit = "");
  // The job is placed, or it is placed after victims have left; added in both cases.
  bool TryOutranking(ChangeKind kind, JobSpec spec, const std::string& text);

  std::vector<Change> Take() { return std::move(changes_); }

 private:
  WhatIf& what_if_;
  const Job& job_;
  std::vector<Change> changes_;
};

}  // namespace gp
