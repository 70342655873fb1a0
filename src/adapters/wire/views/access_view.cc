#include "adapters/wire/views/access_view.h"

#include "base/text.h"

namespace gp {

void GrantView(const RoleKey& key, Role role, v1::Grant* message) {
  message->set_subject(key.subject);
  message->set_queue(key.queue);
  message->set_role(Name(role));
}

void TokenView(const AccessToken& token, v1::Token* message) {
  message->set_id(ToText(token.id));
  message->set_label(token.label);
  message->set_user(token.user.name);
  message->set_role(Name(token.most));
  message->set_queue(token.queue);
  message->set_issued_at(ToRfc3339(token.issued_at));
  message->set_expires_at(ToRfc3339(token.expires_at));
  message->set_issued_by(token.issued_by);
}

void AuditView(const WrittenAuditEntry& written, v1::AuditEntry* message) {
  const AuditEntry& entry = written.entry;
  message->set_number(static_cast<int64_t>(entry.number));
  message->set_at(entry.at);
  message->set_user(entry.user);
  message->set_from(entry.from);
  message->set_operation(entry.operation);
  message->set_object(entry.object);
  message->set_details(entry.details);
  message->set_refused(entry.refused);
  message->set_why(entry.why);
  message->set_times(entry.times);
  message->set_hash(written.hash);
}

Result<Role> RoleNamed(const std::string& name) {
  if (const auto role = ParseRole(name)) return *role;
  return Fail(InvalidArgument("role: \"" + Printable(name, 40) +
                              "\" is none: none, viewer, user, operator or admin"));
}

}  // namespace gp
