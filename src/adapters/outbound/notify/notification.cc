#include "adapters/outbound/notify/notification.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

std::string TextOf(const EventLine::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : std::to_string(std::get<int64_t>(value));
}

}  // namespace

const char* Name(NotifyWay way) {
  switch (way) {
    case NotifyWay::kWebhook: return "webhook";
    case NotifyWay::kExec: return "exec";
    case NotifyWay::kMail: return "mail";
  }
  return "?";
}

std::string PlaceOf(const Receiver& receiver) {
  switch (receiver.way) {
    case NotifyWay::kWebhook:
      return receiver.url.substr(0, receiver.url.find_first_of("/?#", receiver.url.find("//") + 2));
    case NotifyWay::kExec: return receiver.command.empty() ? "" : receiver.command[0];
    case NotifyWay::kMail: return Join(receiver.recipients, ", ");
  }
  return "";
}

std::string WishOf(const Receiver& receiver) {
  nlohmann::json wish{{"on", receiver.on}, {"where", receiver.where}};
  if (receiver.jobs_may_name) wish["jobs"] = true;
  return wish.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool IsWanted(const Receiver& receiver, const EventLine& line) {
  if (!receiver.on.contains(line.event)) return false;
  return std::ranges::all_of(receiver.where, [&](const auto& condition) {
    const auto field =
        std::ranges::find(line.fields, condition.first, [](const auto& one) { return one.first; });
    return field != line.fields.end() && condition.second.contains(TextOf(field->second));
  });
}

namespace {

std::string FieldOf(const EventLine& line, std::string_view name) {
  const auto field =
      std::ranges::find(line.fields, name, [](const auto& one) { return one.first; });
  return field == line.fields.end() ? "" : TextOf(field->second);
}

// Whether the line is an event that jobs request by this word.
bool IsOfKind(const std::string& word, const EventLine& line) {
  if (word == "started") return line.event == "job_started";
  if (word == "ended") return line.event == "job_ended";
  if (word == "failed")
    return line.event == "job_ended" &&
           (FieldOf(line, "state") == "FAILED" || FieldOf(line, "state") == "TIMEOUT");
  if (word == "interrupted") return line.event == "job_requeued";
  if (word == "idle") return line.event == "job_idle";
  return word == "time_limit" && line.event == "job_limit_near";
}

}  // namespace

bool IsAskedFor(const State& state, const Receiver& receiver, const EventLine& line) {
  if (!receiver.jobs_may_name || !line.event.starts_with("job_")) return false;
  const auto id = FindJobNamed(state, FieldOf(line, "job"));
  const Job* job = id ? state.FindJob(*id) : nullptr;
  if (job == nullptr) return false;
  const NotifyRequest& request = job->spec->notify;
  if (std::ranges::find(request.to, receiver.name) == request.to.end()) return false;
  if (request.on.empty()) return IsOfKind("ended", line);
  return std::ranges::any_of(request.on,
                             [&](const std::string& word) { return IsOfKind(word, line); });
}

std::string Sentence(const EventLine& line) {
  std::string text = line.event;
  std::ranges::replace(text, '_', ' ');
  text += ":";
  for (const auto& [name, value] : line.fields)
    text += (name == "job" || name == "node" || name == "incident" ? " " : " " + name + "=") +
            TextOf(value);
  return text;
}

namespace {

// JSON has no NaN: such a value is null, and `not_finite` names it.
nlohmann::ordered_json ToDocument(const NewestValue& one) {
  const MetricPoint& point = one.point;
  nlohmann::ordered_json document{{"name", point.name},     {"step", point.step},
                                  {"value", nullptr},       {"at", ToRfc3339(point.at, true)},
                                  {"attempt", one.attempt}, {"rank", one.rank}};
  if (std::isfinite(point.last)) {
    document["value"] = point.last;
  } else {
    document["not_finite"] = std::isnan(point.last) ? "nan" : point.last > 0 ? "inf" : "-inf";
  }
  return document;
}

}  // namespace

std::string ToJson(const Notification& notification) {
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
  for (const auto& [name, value] : notification.line.fields)
    std::visit([&](const auto& one) { data[name] = one; }, value);
  if (notification.metrics) {
    data["last"] = notification.metrics->is_last;
    data["metrics"] = nlohmann::ordered_json::array();
    for (const NewestValue& one : notification.metrics->values)
      data["metrics"].push_back(ToDocument(one));
  }
  const nlohmann::ordered_json document{{"id", notification.id},
                                        {"type", notification.line.event},
                                        {"timestamp", ToRfc3339(notification.at, true)},
                                        {"level", Name(notification.line.level)},
                                        {"text", Sentence(notification.line)},
                                        {"data", data}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gp
