#include "domain/model/jobs/dependency.h"

#include "base/text.h"
#include "domain/model/jobs/array.h"

namespace gp {

const char* Name(AfterKind kind) {
  switch (kind) {
    case AfterKind::kOk: return "ok";
    case AfterKind::kEnded: return "ended";
    case AfterKind::kStarted: return "started";
    case AfterKind::kFailed: return "failed";
  }
  return "?";
}

std::string ToText(const Dependency& dependency) {
  return ToText(dependency.job) + ":" + Name(dependency.kind);
}

Result<AfterKind> ParseAfterKind(std::string_view text) {
  if (text.empty()) return AfterKind::kOk;
  for (const AfterKind kind :
       {AfterKind::kOk, AfterKind::kEnded, AfterKind::kStarted, AfterKind::kFailed}) {
    if (text == Name(kind)) return kind;
  }
  return Fail(
      InvalidArgument("\"" + Printable(text, 40) + "\" is none of ok, ended, started and failed"));
}

Result<Dependency> ParseDependency(std::string_view text) {
  const size_t colon = text.find(':');
  const JobId job = GP_TRY(ParseOneJob(text.substr(0, colon)));
  if (colon == std::string_view::npos) return Dependency{job, AfterKind::kOk};
  const std::string_view kind = text.substr(colon + 1);
  if (kind.empty())
    return Fail(InvalidArgument("\"" + Printable(text, 60) +
                                "\" has nothing behind its colon: ok, ended, started or failed"));
  return Dependency{job, GP_TRY(ParseAfterKind(kind))};
}

}  // namespace gp
