#include "adapters/outbound/notify/told.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/replace_file.h"

namespace gp {

bool Told::Has(const std::string& id) const { return std::ranges::find(ids, id) != ids.end(); }

void Told::Add(const std::string& id) {
  ids.push_back(id);
  if (ids.size() > kIdsMax) ids.pop_front();
}

Result<Told> ReadTold(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(NotFound(path));
  const auto document = nlohmann::json::parse(file, nullptr, false);
  if (!document.is_object() || !document.contains("until") || !document["until"].is_number_integer() || !document.contains("ids") || !document["ids"].is_array()) {
    return Fail(NotFound(path + ": is none"));
  }
  Told told{Instant{document["until"].get<int64_t>()}, {}};
  for (const auto& id : document["ids"]) {
    if (id.is_string()) told.Add(id.get<std::string>());
  }
  return told;
}

Status KeepTold(const std::string& path, const Told& told) {
  const nlohmann::json document{{"until", told.until.ns}, {"ids", told.ids}};
  return ReplaceFile(path, document.dump(), 0600, Survives::kCrash);
}

std::vector<std::pair<Instant, Event>> HappenedSince(const State& state, Instant since) {
  std::vector<std::pair<Instant, Event>> happened;
  for (auto at = state.finished.lower_bound({since, JobId{}}); at != state.finished.end(); ++at) {
    const Job& job = state.jobs.at(at->second);
    happened.emplace_back(at->first, JobEnded{job.id, job.state, job.exit_code, job.reason, job.attempts.empty() ? EndClass::kNone : job.attempts.back().end});
  }
  for (const auto& [id, incident] : state.incidents) {
    if (incident.opened_at >= since) happened.emplace_back(incident.opened_at, IncidentOpened{incident});
  }
  std::ranges::stable_sort(happened, {}, [](const auto& one) { return one.first; });
  return happened;
}

}  // namespace gp
