#include "cmd/serve/settings_view.h"

#include <algorithm>

#include "base/text.h"
#include "cmd/serve/policy_text.h"

namespace gp {
namespace {

// "https://collector.example.org" of a URL, which may be in quotes: what follows may contain a key.
std::string WithoutPath(const std::string& url) {
  const size_t begin = url.starts_with('"') ? 1 : 0;
  const size_t host = url.find("://");
  if (host == std::string::npos) return "";
  const size_t end = std::min(url.find_first_of("/?#\"", host + 3), url.size());
  const size_t user = url.rfind('@', end);
  const bool has_user = user != std::string::npos && user > host;
  return url.substr(begin, host + 3 - begin) +
         url.substr(has_user ? user + 1 : host + 3, end - (has_user ? user + 1 : host + 3));
}

}  // namespace

void FillSettings(const SettingsInForce::View& in_force, const Policy& policy,
                  const Notifier* notifier, v1::Settings* settings) {
  std::vector<std::string> files = in_force.files;
  if (!in_force.policy_file.empty()) files.push_back(in_force.policy_file);
  settings->set_policy_file(in_force.policy_file);
  settings->set_policy(PolicyFileText(Join(files, ", "), policy));
  for (const std::string& file : in_force.files) settings->add_files(file);
  for (const SettingValue& setting : in_force.values) {
    v1::SettingInForce* one = settings->add_values();
    one->set_key(setting.key);
    one->set_value(setting.is_secret ? WithoutPath(setting.value) : setting.value);
    one->set_origin(setting.origin);
    one->set_built_in(setting.built_in);
  }
  for (const auto& [now, built_in] : NumbersOf(policy)) {
    v1::Setting* one = settings->add_numbers();
    one->set_name(now.name);
    one->set_value(now.value);
    one->set_built_in(built_in);
    one->set_least(now.least);
    one->set_most(now.most);
    one->set_meaning(now.meaning);
  }
  if (notifier == nullptr) return;
  for (const auto& [receiver_config, backlog] : notifier->Backlogs()) {
    v1::Receiver* receiver = settings->add_receivers();
    receiver->set_name(receiver_config.name);
    receiver->set_way(Name(receiver_config.way));
    receiver->set_to(PlaceOf(receiver_config));
    for (const std::string& event : receiver_config.on) receiver->add_on(event);
    receiver->set_jobs_may_name(receiver_config.jobs_may_name);
    receiver->set_waiting(static_cast<int64_t>(backlog.waiting));
    receiver->set_problem(backlog.problem);
  }
}

}  // namespace gp
