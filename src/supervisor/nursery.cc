#include "supervisor/nursery.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "supervisor/packet.h"

namespace gp {
namespace {

enum Slot : size_t { kAgent, kDirectory, kLock, kSlots, kSecrets = kSlots, kSlotsMax };

// "gpu-platform-supervisor KEY", as if it had been started so.
void TakeTitle(const BirthRequest& request, char* title, size_t title_size) {
  std::string text = "gpu-platform-supervisor";
  text += '\0' + request.key + '\0';
  const size_t size = std::min(text.size(), title_size);
  std::memset(title, 0, title_size);
  std::memcpy(title, text.data(), size);
  const auto end = reinterpret_cast<unsigned long>(title + size);
  prctl(PR_SET_MM, PR_SET_MM_ARG_END, end, 0, 0);  // root only; else zeros follow the name
}

void Detach() {
  setsid();
  signal(SIGCHLD, SIG_DFL);
}

}  // namespace

std::optional<Birth> ServeNursery(Descriptor agent, char* title, size_t title_size) {
  signal(SIGCHLD, SIG_IGN);  // nobody waits for supervisors: the kernel takes them away
  Packet packet;
  while (ReceivePacket(agent.get(), Patience::kUntilOneComes, packet) == ReceiveOutcome::kMessage) {
    if (packet.descriptors.size() < kSlots || packet.descriptors.size() > kSlotsMax) {
      SendPacket(agent.get(), std::to_string(-EMFILE));
      continue;
    }
    const pid_t pid = fork();
    if (pid == 0) {
      agent.Reset();
      Detach();
      Birth birth{.request = DecodeBirth(packet.bytes),
                  .agent = std::move(packet.descriptors[kAgent]),
                  .directory = std::move(packet.descriptors[kDirectory]),
                  .lock = std::move(packet.descriptors[kLock]),
                  .secrets = {}};
      if (packet.descriptors.size() > kSecrets) birth.secrets = std::move(packet.descriptors[kSecrets]);
      TakeTitle(birth.request, title, title_size);
      return birth;
    }
    const std::string answer = std::to_string(pid < 0 ? -errno : pid);
    packet.descriptors.clear();  // before anybody is told: else the lock outlives its supervisor
    SendPacket(agent.get(), answer);
  }
  return std::nullopt;
}

}  // namespace gp
