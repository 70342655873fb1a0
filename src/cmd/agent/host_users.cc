#include "cmd/agent/host_users.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace gp {
namespace {

constexpr uint32_t kNobody = 65'534;

HostUser FromEntry(const passwd& entry) {
  HostUser user{entry.pw_name, entry.pw_uid, entry.pw_gid, {}, entry.pw_dir, entry.pw_shell};
  gid_t groups[256];
  int count = 256;
  if (getgrouplist(entry.pw_name, entry.pw_gid, groups, &count) >= 0)
    user.groups.assign(groups, groups + count);
  return user;
}

HostUser ServiceUser(const std::string& name) {
  char buffer[16'384];
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(name.c_str(), &entry, buffer, sizeof buffer, &found);
  if (found != nullptr) return FromEntry(entry);
  return {"nobody", kNobody, kNobody, {kNobody}, "/", "/bin/sh"};
}

}  // namespace

HostUser ResolveUser(const User& user, const std::string& service_user, bool allow_root) {
  const bool can_switch = geteuid() == 0;
  const uint32_t uid = can_switch ? user.uid : geteuid();
  if (uid == 0 && !allow_root) return ServiceUser(service_user);
  char buffer[16'384];
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(uid, &entry, buffer, sizeof buffer, &found);
  if (found != nullptr) return FromEntry(entry);
  return {"uid-" + std::to_string(uid), uid, can_switch ? user.gid : getegid(), {}, "/", "/bin/sh"};
}

const HostUser& HostUsers::Resolve(const User& user) {
  const int64_t now = clock_.BootNs();
  const auto id = std::pair(user.uid, user.gid);
  if (const auto known = known_.find(id);
      known != known_.end() && now < known->second.until_boot_ns)
    return known->second.user;
  std::erase_if(known_, [&](const auto& one) { return one.second.until_boot_ns <= now; });
  Known& known = known_[id];
  known = {lookup_(user), now + kMemory.ns};
  return known.user;
}

}  // namespace gp
