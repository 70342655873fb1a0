#include "adapters/inbound/job_import/slurm/srun_options.h"

#include <algorithm>
#include <iterator>

namespace gp {
namespace {

constexpr SrunOption kSrunOptions[] = {
    {"ntasks", 'n', '=', SrunOptionUse::kCounts},
    {"nodes", 'N', '=', SrunOptionUse::kCounts},
    {"ntasks-per-node", 0, '=', SrunOptionUse::kCounts},
    {"tasks-per-node", 0, '=', SrunOptionUse::kCounts},
    {"account", 'A', '=', SrunOptionUse::kNothing},
    {"bcast", 0, '?', SrunOptionUse::kNoted},
    {"chdir", 'D', '=', SrunOptionUse::kNoted},
    {"cluster-constraint", 0, '=', SrunOptionUse::kNothing},
    {"constraint", 'C', '=', SrunOptionUse::kNoted},
    {"container", 0, '=', SrunOptionUse::kNoted},
    {"container-env", 0, '=', SrunOptionUse::kNoted},
    {"container-image", 0, '=', SrunOptionUse::kNoted},
    {"container-mounts", 0, '=', SrunOptionUse::kNoted},
    {"container-name", 0, '=', SrunOptionUse::kNoted},
    {"container-workdir", 0, '=', SrunOptionUse::kNoted},
    {"container-writable", 0, 0, SrunOptionUse::kNoted},
    {"container-mount-home", 0, 0, SrunOptionUse::kNoted},
    {"no-container-mount-home", 0, 0, SrunOptionUse::kNoted},
    {"no-container-entrypoint", 0, 0, SrunOptionUse::kNoted},
    {"no-container-remap-root", 0, 0, SrunOptionUse::kNoted},
    {"container-remap-root", 0, 0, SrunOptionUse::kNoted},
    {"cores-per-socket", 0, '=', SrunOptionUse::kNothing},
    {"cpu-bind", 0, '=', SrunOptionUse::kNothing},
    {"cpu_bind", 0, '=', SrunOptionUse::kNothing},
    {"cpu-freq", 0, '=', SrunOptionUse::kNoted},
    {"cpus-per-gpu", 0, '=', SrunOptionUse::kNothing},
    {"cpus-per-task", 'c', '=', SrunOptionUse::kNothing},
    {"disable-status", 'X', 0, SrunOptionUse::kNothing},
    {"distribution", 'm', '=', SrunOptionUse::kNothing},
    {"error", 'e', '=', SrunOptionUse::kNoted},
    {"exact", 0, 0, SrunOptionUse::kNothing},
    {"exclude", 'x', '=', SrunOptionUse::kNoted},
    {"exclusive", 0, '?', SrunOptionUse::kGpus},
    {"export", 0, '=', SrunOptionUse::kNoted},
    {"gpu-bind", 0, '=', SrunOptionUse::kNoted},
    {"gpus", 'G', '=', SrunOptionUse::kGpus},
    {"gpus-per-node", 0, '=', SrunOptionUse::kGpus},
    {"gpus-per-task", 0, '=', SrunOptionUse::kCounts},
    {"gres", 0, '=', SrunOptionUse::kGpus},
    {"gres-flags", 0, '=', SrunOptionUse::kNothing},
    {"het-group", 0, '=', SrunOptionUse::kNoted},
    {"hint", 0, '=', SrunOptionUse::kNothing},
    {"immediate", 'I', '?', SrunOptionUse::kNothing},
    {"input", 'i', '=', SrunOptionUse::kNoted},
    {"interactive", 0, 0, SrunOptionUse::kNothing},
    {"job-name", 'J', '=', SrunOptionUse::kNothing},
    {"jobid", 0, '=', SrunOptionUse::kNothing},
    {"kill-on-bad-exit", 'K', '?', SrunOptionUse::kNothing},
    {"label", 'l', 0, SrunOptionUse::kNothing},
    {"mem", 0, '=', SrunOptionUse::kNothing},
    {"mem-bind", 0, '=', SrunOptionUse::kNothing},
    {"mem-per-cpu", 0, '=', SrunOptionUse::kNothing},
    {"mem-per-gpu", 0, '=', SrunOptionUse::kNothing},
    {"mpi", 0, '=', SrunOptionUse::kNoted},
    {"network", 0, '=', SrunOptionUse::kNothing},
    {"nodelist", 'w', '=', SrunOptionUse::kNoted},
    {"ntasks-per-gpu", 0, '=', SrunOptionUse::kNoted},
    {"ntasks-per-socket", 0, '=', SrunOptionUse::kNothing},
    {"open-mode", 0, '=', SrunOptionUse::kNothing},
    {"output", 'o', '=', SrunOptionUse::kNoted},
    {"overcommit", 'O', 0, SrunOptionUse::kNothing},
    {"overlap", 0, 0, SrunOptionUse::kNothing},
    {"oversubscribe", 's', 0, SrunOptionUse::kNothing},
    {"partition", 'p', '=', SrunOptionUse::kNothing},
    {"preserve-env", 'E', 0, SrunOptionUse::kNothing},
    {"propagate", 0, '?', SrunOptionUse::kNothing},
    {"pty", 0, '?', SrunOptionUse::kNoted},
    {"qos", 'q', '=', SrunOptionUse::kNothing},
    {"quiet", 'Q', 0, SrunOptionUse::kNothing},
    {"quit-on-interrupt", 0, 0, SrunOptionUse::kNothing},
    {"relative", 'r', '=', SrunOptionUse::kNoted},
    {"reservation", 0, '=', SrunOptionUse::kNothing},
    {"resv-ports", 0, '?', SrunOptionUse::kNothing},
    {"signal", 0, '=', SrunOptionUse::kNoted},
    {"slurmd-debug", 0, '=', SrunOptionUse::kNothing},
    {"sockets-per-node", 0, '=', SrunOptionUse::kNothing},
    {"task-epilog", 0, '=', SrunOptionUse::kNoted},
    {"task-prolog", 0, '=', SrunOptionUse::kNoted},
    {"threads", 'T', '=', SrunOptionUse::kNothing},
    {"threads-per-core", 0, '=', SrunOptionUse::kNothing},
    {"time", 't', '=', SrunOptionUse::kNoted},
    {"unbuffered", 'u', 0, SrunOptionUse::kNothing},
    {"verbose", 'v', 0, SrunOptionUse::kNothing},
    {"wait", 'W', '=', SrunOptionUse::kNothing},
};

}  // namespace

const SrunOption* SrunOptionByName(std::string_view name) {
  const auto exact = std::ranges::find(kSrunOptions, name, &SrunOption::name);
  return exact == std::end(kSrunOptions) ? nullptr : &*exact;
}

const SrunOption* SrunOptionByLetter(char letter) {
  const auto found = std::ranges::find(kSrunOptions, letter, &SrunOption::letter);
  return letter == 0 || found == std::end(kSrunOptions) ? nullptr : &*found;
}

}  // namespace gp
