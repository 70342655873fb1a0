#include "supervisor/process/fork_server.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "supervisor/process/process_title.h"
#include "supervisor/records/packet.h"

namespace gp {
namespace {

enum Slot : size_t { kAgent, kDirectory, kLock, kSlots, kSecrets = kSlots, kSlotsMax };

void Detach() {
  setsid();
  signal(SIGCHLD, SIG_DFL);
}

}  // namespace

std::optional<Spawned> RunForkServer(Descriptor agent) {
  signal(SIGCHLD, SIG_IGN);  // supervisors are not waited for: the kernel reaps them
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
      Spawned spawned{.request = DecodeSpawnRequest(packet.bytes),
                      .agent = std::move(packet.descriptors[kAgent]),
                      .directory = std::move(packet.descriptors[kDirectory]),
                      .lock = std::move(packet.descriptors[kLock]),
                      .secrets = {}};
      if (packet.descriptors.size() > kSecrets)
        spawned.secrets = std::move(packet.descriptors[kSecrets]);
      SetTitle({"gpu-platform-supervisor", spawned.request.key});  // as if started by this name
      return spawned;
    }
    const std::string answer = std::to_string(pid < 0 ? -errno : pid);
    packet.descriptors.clear();  // before the answer, else the lock outlives its supervisor
    SendPacket(agent.get(), answer);
  }
  return std::nullopt;
}

}  // namespace gp
