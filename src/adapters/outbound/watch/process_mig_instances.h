#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/time.h"
#include "lib/spawn/run_command.h"
#include "ports/outbound/mig_instances.h"

namespace gp {

// MigInstances by commands: each driver call runs in its own process, which is killed when it takes
// too long.  Each GPU has a thread that runs one command at a time.  The agent's thread makes all
// calls.
class ProcessMigInstances : public MigInstances {
 public:
  struct Options {
    // The commands with their arguments.  `make` prints "UUID GPU-INSTANCE COMPUTE-INSTANCE".
    std::function<std::vector<std::string>(const MigPart&)> make;
    std::function<std::vector<std::string>(const MigPart&)> remove;
    std::function<std::vector<std::string>(int gpu, const std::vector<MigPart>&)> keep_only;
    // The device nodes that programs open to use an instance.
    std::function<Result<std::vector<DeviceNumber>>(int gpu, int gpu_instance,
                                                    int compute_instance)>
        devices;
    // As ProcessGpuCare::Options::lock_file.
    std::function<std::string(int gpu)> lock_file;
    Duration time_limit = Duration::Seconds(30);  // of one command
  };

  explicit ProcessMigInstances(Options options);
  ~ProcessMigInstances() override;

  std::optional<Result<MigDevice>> Make(const std::string& key, const MigPart& part) override;
  void Remove(const std::string& key, const MigPart& part) override;
  void KeepOnly(int gpu, const std::vector<MigPart>& parts) override;
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override;

 private:
  struct Worker {
    std::deque<std::function<void()>> tasks;
    std::thread thread;
  };

  void Enqueue(int gpu, std::function<void()> task);
  void Work(Worker& worker);
  CommandEnd Run(std::vector<std::string> words, int gpu) const;
  Result<MigDevice> MakeNow(const MigPart& part);

  const Options options_;
  int event_fd_;
  int stop_fd_;  // readable: stop what runs
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::map<int, Worker> workers_;  // by GPU
  // By key; nullopt: not yet known
  std::map<std::string, std::optional<Result<MigDevice>>> made_;
};

}  // namespace gp
