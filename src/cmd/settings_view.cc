#include "cmd/settings_view.h"

#include "adapters/inbound/policy_file/policy_file.h"
#include "cmd/policy_text.h"
#include "cmd/policy_with.h"

namespace gp {

void FillSettings(const std::string& policy_file, const Policy& policy, const Notifier* notifier, v1::Settings* settings) {
  settings->set_policy_file(policy_file);
  settings->set_policy(PolicyFileText(policy_file, policy));
  const std::vector<PolicyValue> built_in = PolicyNumbers(BuiltInPolicy());
  const std::vector<PolicyValue> values = PolicyNumbers(policy);
  for (size_t i = 0; i < values.size(); ++i) {
    v1::Setting* one = settings->add_numbers();
    one->set_name(values[i].name);
    one->set_value(values[i].value);
    one->set_built_in(built_in[i].value);
    one->set_least(values[i].least);
    one->set_most(values[i].most);
    one->set_meaning(values[i].meaning);
  }
  if (notifier == nullptr) return;
  for (const auto& [told, standing] : notifier->Standings()) {
    v1::Receiver* receiver = settings->add_receivers();
    receiver->set_name(told->name);
    receiver->set_way(Name(told->way));
    receiver->set_to(PlaceOf(*told));
    for (const std::string& event : told->on) receiver->add_on(event);
    receiver->set_waiting(static_cast<int64_t>(standing.waiting));
    receiver->set_problem(standing.problem);
  }
}

}  // namespace gp
