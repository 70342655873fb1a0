#include "cmd/serve/settings_view.h"

#include "cmd/serve/policy_text.h"

namespace gp {

void FillSettings(const ControllerConfig& config, const Policy& policy, const Notifier* notifier,
                  v1::Settings* settings) {
  settings->set_policy_file(config.policy_file);
  settings->set_policy(PolicyFileText(config.policy_file, policy));
  for (const std::string& file : config.files) settings->add_files(file);
  for (const SettingValue& setting : config.values) {
    v1::SettingInForce* one = settings->add_values();
    one->set_key(setting.key);
    one->set_value(setting.value);
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
