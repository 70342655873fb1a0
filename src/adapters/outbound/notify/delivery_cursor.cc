#include "adapters/outbound/notify/delivery_cursor.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/replace_file.h"

namespace gp {

bool DeliveryCursor::Has(const std::string& id) const {
  return std::ranges::find(ids, id, &Id::text) != ids.end();
}

void DeliveryCursor::Add(const std::string& id, Instant at) {
  until = std::max(until, at);
  ids.push_back({at, id});
  while (ids.size() > 1 && (ids.size() > kIdsMax || ids.front().at + kIdsFor < until))
    ids.pop_front();
}

Result<DeliveryCursor> ReadDeliveryCursor(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(NotFound(path));
  const auto document = nlohmann::json::parse(file, nullptr, false);
  const auto is = [&](const char* name, nlohmann::json::value_t type) {
    return document.contains(name) && document[name].type() == type;
  };
  const bool is_whole = document.is_object() && is("wish", nlohmann::json::value_t::string) &&
                        document.contains("until") && document["until"].is_number_integer() &&
                        is("ids", nlohmann::json::value_t::array);
  if (!is_whole) return Fail(Internal(path + ": is damaged"));
  DeliveryCursor cursor{
      document["wish"].get<std::string>(), Instant{document["until"].get<int64_t>()}, {}};
  for (const auto& id : document["ids"]) {
    if (id.is_array() && id.size() == 2 && id[0].is_number_integer() && id[1].is_string())
      cursor.ids.push_back({Instant{id[0].get<int64_t>()}, id[1].get<std::string>()});
  }
  return cursor;
}

Status SaveDeliveryCursor(const std::string& path, const DeliveryCursor& cursor) {
  nlohmann::json ids = nlohmann::json::array();
  for (const DeliveryCursor::Id& id : cursor.ids)
    ids.push_back(nlohmann::json::array({id.at.ns, id.text}));
  const nlohmann::json document{{"wish", cursor.wish}, {"until", cursor.until.ns}, {"ids", ids}};
  return ReplaceFile(path, document.dump(), 0600, Survives::kPowerCut);
}

std::vector<Happened> HappenedSince(const State& state, Instant since) {
  std::vector<Happened> happened;
  for (auto at = state.jobs.finished.lower_bound({since, JobId{}}); at != state.jobs.finished.end();
       ++at) {
    const Job& job = state.jobs.all.at(at->second);
    // A job that ended while it waited ended no attempt: its last attempt was over before.
    const bool has_ended_attempt =
        !job.attempts.empty() && job.attempts.back().ended_at == job.ended_at;
    happened.push_back(
        {at->first, JobEnded{job.id, job.state, job.exit_code, job.reason,
                             has_ended_attempt ? job.attempts.back().end : EndClass::kNone}});
  }
  for (const auto& [id, incident] : state.faults.incidents) {
    if (incident.opened_at >= since)
      happened.push_back({incident.opened_at, IncidentOpened{incident}});
  }
  std::ranges::stable_sort(happened, {}, &Happened::at);
  return happened;
}

std::optional<Instant> WhenHappened(const State& state, const Event& event) {
  if (const auto* opened = std::get_if<IncidentOpened>(&event)) return opened->incident.opened_at;
  const auto* ended = std::get_if<JobEnded>(&event);
  const Job* job = ended == nullptr ? nullptr : state.FindJob(ended->job);
  return job == nullptr ? std::nullopt : std::optional(job->ended_at);
}

}  // namespace gp
