// The process that watches one GPU for its agent (adapters/outbound/watch).  Hidden: people use
// `watch` and `health`.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

#include "adapters/outbound/nvml/nvml_driver.h"
#include "adapters/outbound/nvml/xid_events.h"
#include "adapters/outbound/watch/watch_frame.h"
#include "cmd/cli.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

bool Tell(const WatchFrame& frame) {
  const std::string bytes = EncodeFrame(frame);
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) return false;  // the reader is gone
    done += static_cast<size_t>(wrote);
  }
  return true;
}

GpuHealth HealthOf(NvmlDriver& driver, const std::string& uuid) {
  auto health = driver.HealthOf(uuid);
  if (health) return *std::move(health);
  GpuHealth lost;  // the driver is there, and this GPU is not
  lost.uuid = uuid;
  lost.lost = true;
  return lost;
}

// Until the next reading is due, XIDs as they come.  False: the reader is gone.
bool TellXids(NvmlDriver& driver, XidEvents* events, const std::string& uuid, Clock& clock) {
  const int64_t until_ns = clock.BootNs() + kReadInterval.ns;
  while (clock.BootNs() < until_ns) {
    const Duration left{until_ns - clock.BootNs()};
    auto event = events == nullptr ? Result<std::optional<XidEvent>>(Fail(Unavailable("")))
                                   : events->Wait(left);
    if (!event) {
      usleep(static_cast<useconds_t>(std::min<int64_t>(left.ns / 1'000, 200'000)));
      continue;
    }
    if (!*event) continue;
    const GpuHealth health = HealthOf(driver, uuid);
    const XidEvent& xid = **event;
    const XidSighting seen{
        0, xid.xid, xid.gpu_instance, xid.compute_instance, health.recovery_action, xid.gpu_uuid};
    if (!Tell(seen)) return false;
    if (!Tell(health)) return false;
  }
  return true;
}

void WatchGpu(const std::string& library, const std::string& uuid, Cli& cli) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  auto driver = NvmlDriver::Open(library.empty() ? kNvmlLibraryName : library);
  if (!driver) return cli.Complain(driver.error());
  auto events = XidEvents::OpenOne((*driver)->library(), uuid);
  SystemClock clock;
  XidEvents* const xids = events ? events->get() : nullptr;
  while (Tell(HealthOf(**driver, uuid)) && TellXids(**driver, xids, uuid, clock)) {
  }
}

}  // namespace

void AddWatchGpu(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("__watch-gpu", "")->group("");
  auto library = std::make_shared<std::string>();
  auto uuid = std::make_shared<std::string>();
  sub->add_option("--nvml", *library, "NVML library to load");
  sub->add_option("uuid", *uuid, "UUID of the GPU")->required();
  sub->callback([library, uuid, &cli] { WatchGpu(*library, *uuid, cli); });
}

}  // namespace gp
