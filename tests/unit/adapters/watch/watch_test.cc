#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/watch/gpu_watchers.h"
#include "adapters/outbound/watch/process_gpu_care.h"
#include "adapters/outbound/watch/watch_frame.h"
#include "base/rng.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

GpuHealth Health(const std::string& uuid = "GPU-3") {
  GpuHealth health;
  health.uuid = uuid;
  health.temperature_c = 41;
  health.ecc = EccCounts{1, 2, 3, 4};
  health.row_remap = RowRemap{1, 0, true, false};
  health.recovery_action = RecoveryAction::kGpuReset;
  health.throttle_reasons = {"sw-power-cap"};
  health.nvlinks_active = 18;
  health.processes = {{4711, 2'000}, {4712, std::nullopt}};
  return health;
}

TEST(WatchFrame, IsReadAsItWasWritten) {
  std::string bytes =
      EncodeFrame(Health()) +
      EncodeFrame(XidSighting{0, 79, 1, std::nullopt, RecoveryAction::kNodeReboot, "GPU-3"}) +
      EncodeFrame(GpuHealth{});
  const auto first = TakeFrame(bytes);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ(UuidOf(**first), "GPU-3");
  const auto& health = std::get<GpuHealth>(**first);
  EXPECT_EQ(health.temperature_c, 41);
  EXPECT_EQ(health.power_watts, std::nullopt);
  EXPECT_EQ(health.ecc->uncorrected_aggregate, 4);
  EXPECT_TRUE(health.row_remap->pending);
  EXPECT_EQ(health.recovery_action, RecoveryAction::kGpuReset);
  EXPECT_EQ(health.throttle_reasons, std::vector<std::string>{"sw-power-cap"});
  ASSERT_EQ(health.processes.size(), 2U);
  EXPECT_EQ(health.processes[1].memory_mib, std::nullopt);
  const auto second = TakeFrame(bytes);
  EXPECT_EQ(UuidOf(**second), "GPU-3");
  const auto& xid = std::get<XidSighting>(**second);
  EXPECT_EQ(xid.xid, 79);
  EXPECT_EQ(xid.gpu_instance, 1);
  EXPECT_EQ(xid.advice, RecoveryAction::kNodeReboot);
  EXPECT_FALSE(std::get<GpuHealth>(**TakeFrame(bytes)).ecc);
  EXPECT_TRUE(bytes.empty());
}

TEST(WatchFrame, APartIsNoFrameYet) {
  const std::string whole = EncodeFrame(Health());
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string part = whole.substr(0, size);
    const auto frame = TakeFrame(part);
    ASSERT_TRUE(frame);
    EXPECT_FALSE(*frame) << size;
    EXPECT_EQ(part.size(), size);
  }
}

TEST(WatchFrame, OddBytesAreRefusedAndNothingBreaks) {
  const std::string whole = EncodeFrame(Health());
  Rng rng(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int changes = rng.Between(1, 4); changes > 0; --changes)
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng.Below(256));
    (void)TakeFrame(bytes);
  }
  std::string huge = "\xff\xff\xff\x7f";
  EXPECT_FALSE(TakeFrame(huge));
}

class Scripts : public testing::Test {
 protected:
  Scripts() {
    char name[] = "/tmp/watch-test-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~Scripts() override { std::filesystem::remove_all(directory_); }
  std::string Script(const std::string& text) {
    const std::string path = directory_ + "/script" + std::to_string(++scripts_);
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  // Until it is so, or for ten seconds.
  template <typename F>
  static bool Await(F is_so) {
    for (int tries = 0; tries < 1'000; ++tries) {
      if (is_so()) return true;
      poll(nullptr, 0, 10);
    }
    return false;
  }
  // Of one GPU, GPU-3, by this script.
  GpuWatchers::Options Watch(const std::string& script,
                             Duration silence_max = Duration::Seconds(5)) {
    return {{Script(script)}, {"GPU-3"}, silence_max, Duration::Seconds(1)};
  }
  std::string directory_;
  int scripts_ = 0;
};

TEST_F(Scripts, ACommandsEndAndWordsAreTold) {
  CommandEnd end = RunCommand({Script("echo sound; echo really >&2"), "3"},
                              {.time_limit = Duration::Seconds(10)});
  EXPECT_TRUE(end.ok);
  EXPECT_EQ(end.output, "sound\nreally");
  end = RunCommand({Script("echo no such bus; exit 3")}, {.time_limit = Duration::Seconds(10)});
  EXPECT_FALSE(end.ok);
  EXPECT_EQ(end.output, "no such bus");
  EXPECT_FALSE(RunCommand({"/nonexistent/tool"}, {.time_limit = Duration::Seconds(10)}).ok);
  EXPECT_FALSE(RunCommand({}, {.time_limit = Duration::Seconds(10)}).ok);
  end = RunCommand({Script("head -c 100000 /dev/zero | tr '\\0' x")},
                   {.time_limit = Duration::Seconds(10)});
  EXPECT_EQ(end.output.size(), 4'096U);
}

TEST_F(Scripts, ACommandsErrorsAndEnvironmentCanBeItsOwn) {
  const CommandEnd end = RunCommand({Script("echo data; echo why >&2; echo $A$HOME")},
                                    {.time_limit = Duration::Seconds(10),
                                     .has_environment = false,
                                     .environment = {"A=of-caller"},
                                     .separate_errors = true});
  EXPECT_TRUE(end.ok);
  EXPECT_EQ(end.output, "data\nof-caller\n");
  EXPECT_EQ(end.errors, "why\n");
}

TEST_F(Scripts, ACommandReadsWhatItIsGiven) {
  EXPECT_EQ(RunCommand({Script("wc -c")}, {.time_limit = Duration::Seconds(10)}).output, "0");
  EXPECT_EQ(RunCommand({Script("wc -c")},
                       {.time_limit = Duration::Seconds(10), .input = std::string(300'000, 'x')})
                .output,
            "300000");
  EXPECT_TRUE(RunCommand({Script("exit 0")},
                         {.time_limit = Duration::Seconds(10), .input = std::string(300'000, 'x')})
                  .ok)
      << "whoever does not read it harms nobody";
}

// What it left behind is its own affair; it has ended, and well.
TEST_F(Scripts, ACommandIsOverWhenItHasEnded) {
  const CommandEnd end =
      RunCommand({Script("echo done; sleep 1000 & exit 0")}, {.time_limit = Duration::Seconds(30)});
  EXPECT_TRUE(end.ok);
  EXPECT_EQ(end.output, "done");
}

TEST_F(Scripts, ACommandIsEndedWithAllThatItStarted) {
  const std::string child = directory_ + "/child";
  EXPECT_FALSE(RunCommand({Script("sleep 1000 & echo $! > " + child + "; wait")},
                          {.time_limit = Duration::Milliseconds(500)})
                   .ok);
  pid_t pid = 0;
  std::ifstream(child) >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_TRUE(Await([&] {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::getline(stat, state, ')');
    return !(stat >> state) || state == "Z";
  }));
}

// Signals and descriptors of ours are none of its business: `timeout` would wait for ever.
TEST_F(Scripts, ACommandBeginsAfresh) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  // Not one that a shell uses for its script.
  const int null = open("/dev/null", O_RDONLY);
  const int left_open = fcntl(null, F_DUPFD, 200);
  const CommandEnd end = RunCommand(
      {Script("grep SigBlk /proc/self/status | tr -d '\\t'; ls /proc/$$/fd | tr '\\n' ' '")},
      {.time_limit = Duration::Seconds(30)});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(left_open);
  close(null);
  EXPECT_TRUE(end.output.starts_with("SigBlk:0000000000000000\n0 1 ")) << end.output;
  EXPECT_EQ(end.output.find(" " + std::to_string(left_open) + " "), std::string::npos)
      << end.output;
}

TEST_F(Scripts, ACommandThatHangsIsEnded) {
  const CommandEnd end =
      RunCommand({Script("exec sleep 1000")}, {.time_limit = Duration::Milliseconds(50)});
  EXPECT_FALSE(end.ok);
  EXPECT_NE(end.output.find("did not end within"), std::string::npos);
}

TEST_F(Scripts, ACommandOfAKilledCallerKeepsTheNextOneWaiting) {
  const std::string lock = directory_ + "/lock";
  const std::string marks = directory_ + "/marks";
  const std::string go = directory_ + "/go";
  ASSERT_EQ(mkfifo(go.c_str(), 0600), 0);
  const std::string first =
      Script("echo first >> " + marks + "; read x < " + go + "; echo ended >> " + marks);
  const std::string second = Script("echo second >> " + marks);
  const pid_t caller = fork();
  if (caller == 0) {
    RunCommand({first}, {.time_limit = Duration::Seconds(60), .lock_file = lock});
    _exit(0);
  }
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(marks); }));
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  const CommandEnd early = RunCommand({second}, {.time_limit = Duration::Seconds(30),
                                                 .lock_file = lock,
                                                 .lock_wait = Duration::Milliseconds(100)});
  EXPECT_FALSE(early.ok);
  EXPECT_NE(early.output.find("an earlier command (process "), std::string::npos) << early.output;
  std::ofstream(go) << "now\n";
  EXPECT_TRUE(RunCommand({second}, {.time_limit = Duration::Seconds(30), .lock_file = lock}).ok);
  std::ifstream file(marks);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(all, "first\nended\nsecond\n");
}

TEST_F(Scripts, AnOverdueCommandOfAKilledCallerIsEndedByTheNextOne) {
  const std::string lock = directory_ + "/lock";
  const std::string marks = directory_ + "/marks";
  const std::string go = directory_ + "/go";
  ASSERT_EQ(mkfifo(go.c_str(), 0600), 0);
  // It ends before its time, and leaves a child that holds the lock.
  const std::string first = Script("sleep 1000 & echo first >> " + marks + "; read x < " + go);
  const pid_t caller = fork();
  if (caller == 0) {
    RunCommand({first}, {.time_limit = Duration::Seconds(2), .lock_file = lock});
    _exit(0);
  }
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(marks); }));
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  std::ofstream(go) << "now\n";
  EXPECT_TRUE(
      RunCommand({Script("exit 0")}, {.time_limit = Duration::Seconds(30), .lock_file = lock}).ok);
}

TEST_F(Scripts, TheTimeLimitBeginsWhenTheLockIsHeld) {
  const std::string lock = directory_ + "/lock";
  std::thread first([&] {
    RunCommand({Script("touch " + directory_ + "/runs; sleep 4")},
               {.time_limit = Duration::Seconds(30), .lock_file = lock});
  });
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(directory_ + "/runs"); }));
  bool has_begun = false;
  const CommandEnd end =
      RunCommand({Script("exit 0")}, {.time_limit = Duration::Seconds(3),
                                      .lock_file = lock,
                                      .before_start = [&] { has_begun = true; }});
  EXPECT_TRUE(end.ok) << end.output;
  EXPECT_TRUE(has_begun);
  first.join();
}

TEST_F(Scripts, WhatACommandLeftBehindHoldsNoLock) {
  const CommandOptions options{.time_limit = Duration::Seconds(30),
                               .lock_file = directory_ + "/lock"};
  ASSERT_TRUE(RunCommand({Script("sleep 1000 & exit 0")}, options).ok);
  EXPECT_TRUE(RunCommand({Script("exit 0")}, options).ok);
  EXPECT_FALSE(RunCommand({Script("exit 0")}, {.time_limit = Duration::Seconds(30),
                                               .lock_file = directory_ + "/none/lock"})
                   .ok);
}

TEST_F(Scripts, TasksRunOnceAndAreForgottenWhenNobodyAsks) {
  const std::string marks = directory_ + "/marks";
  int let_go = 0;
  ProcessGpuCare::Options options;
  options.reset = [&](int gpu) {
    return std::vector<std::string>{Script("echo reset $1 >> " + marks), std::to_string(gpu)};
  };
  options.test = [&](int) { return std::vector<std::string>{Script("echo cold; exit 1")}; };
  options.before_reset = [&](int) { ++let_go; };
  options.after_reset = [&](int gpu) { return ++let_go > 0 && gpu == 2; };
  ProcessGpuCare care(options);
  care.Begin(7, 2, GpuCareKind::kReset);
  care.Begin(7, 2, GpuCareKind::kReset);
  ASSERT_TRUE(Await([&] { return care.Results().size() == 1; }));
  EXPECT_TRUE(care.Results()[0].ok);
  EXPECT_EQ(let_go, 2);
  care.Begin(8, 2, GpuCareKind::kTest);
  ASSERT_TRUE(Await([&] { return care.Results().size() == 2; }));
  EXPECT_FALSE(care.Results()[1].ok);
  EXPECT_EQ(care.Results()[1].detail, "cold");
  care.KeepOnly({8});
  EXPECT_EQ(care.Results().size(), 1U);
  std::string line;
  std::ifstream file(marks);
  std::getline(file, line);
  EXPECT_EQ(line, "reset 2");
  EXPECT_FALSE(std::getline(file, line));
  // A GPU that nobody watches after its reset takes no work.
  care.Begin(9, 3, GpuCareKind::kReset);
  ASSERT_TRUE(Await([&] { return care.Results().size() == 2; }));
  EXPECT_FALSE(care.Results()[1].ok);
  EXPECT_NE(care.Results()[1].detail.find("cannot be watched"), std::string::npos);
}

// A watcher in a script: tells one frame from a file, then says nothing more.
TEST_F(Scripts, AWatcherThatIsSilentIsEndedAndBegunAgain) {
  const std::string frame = directory_ + "/frame";
  std::ofstream(frame) << EncodeFrame(Health());
  ManualClock clock;
  GpuWatchers::Options options;
  options.command = {
      Script("echo >> " + directory_ + "/begun; cat " + frame + "; exec sleep 1000")};
  options.uuids = {"GPU-3"};
  options.silence_max = Duration::Seconds(5);
  GpuWatchers watchers(options, clock);
  const auto begun = [&] {
    return std::filesystem::exists(directory_ + "/begun")
               ? std::filesystem::file_size(directory_ + "/begun")
               : 0;
  };
  ASSERT_TRUE(Await([&] { return watchers.Latest()[0].health.has_value(); }));
  EXPECT_EQ(watchers.Latest()[0].health->temperature_c, 41);
  EXPECT_EQ(begun(), 1U);
  clock.Advance(Duration::Seconds(6));
  ASSERT_TRUE(Await([&] { return watchers.Latest()[0].error == "a driver call did not return"; }));
  EXPECT_GE(watchers.Latest()[0].age_ns, Duration::Seconds(6).ns);
  clock.Advance(Duration::Seconds(2));
  ASSERT_TRUE(Await([&] { return begun() == 2 && watchers.Latest()[0].error.empty(); }));
  watchers.Pause(0);
  clock.Advance(Duration::Seconds(10));
  poll(nullptr, 0, 300);
  EXPECT_EQ(begun(), 2U);
  // A fault that comes after it is reported: the GPU is watched by then.
  EXPECT_TRUE(watchers.Resume(0));
  EXPECT_EQ(begun(), 3U);
  EXPECT_LT(watchers.Latest()[0].age_ns, Duration::Seconds(1).ns);
}

// The second is slower than the first; a third says nothing, and is not waited for without end.
TEST_F(Scripts, AllGpusAreReadBeforeANodeIsShown) {
  for (const char* uuid : {"GPU-0", "GPU-3"}) {
    std::ofstream(directory_ + "/frame-of-" + uuid) << EncodeFrame(Health(uuid));
  }
  const std::string script =
      Script("sleep 0.${1#GPU-}; cat " + directory_ + "/frame-of-$1 2>/dev/null; exec sleep 1000");
  ManualClock clock;
  const auto read = [](const GpuReading& reading) { return reading.health.has_value(); };
  GpuWatchers both({{script}, {"GPU-0", "GPU-3"}, Duration::Seconds(5), Duration::Seconds(1)},
                   clock);
  both.AwaitFirst(Duration::Seconds(30));
  EXPECT_EQ(std::ranges::count_if(both.Latest(), read), 2);
  GpuWatchers one_silent({{script}, {"GPU-0", "GPU-9"}, Duration::Seconds(5), Duration::Seconds(1)},
                         clock);
  one_silent.AwaitFirst(Duration::Seconds(3));
  EXPECT_TRUE(read(one_silent.Latest()[0]));
  EXPECT_FALSE(read(one_silent.Latest()[1]));
}

TEST_F(Scripts, AWatcherThatDoesNotComeBackIsSaidSo) {
  ManualClock clock;
  GpuWatchers watchers(
      {{Script("exec sleep 1000")}, {"GPU-0"}, Duration::Milliseconds(100), Duration::Seconds(1)},
      clock);
  watchers.Pause(0);
  EXPECT_FALSE(watchers.Resume(0));
}

TEST_F(Scripts, XidsAreThoseOfThePosition) {
  const std::string frame = directory_ + "/frame";
  std::ofstream(frame) << EncodeFrame(
      XidSighting{9, 79, std::nullopt, std::nullopt, std::nullopt, "GPU-9"});
  ManualClock clock;
  GpuWatchers watchers({{Script("cat " + frame + "; exec sleep 1000")},
                        {"GPU-9"},
                        Duration::Seconds(5),
                        Duration::Seconds(1)},
                       clock);
  std::vector<XidSighting> seen;
  ASSERT_TRUE(Await([&] {
    for (const XidSighting& one : watchers.TakeXids()) seen.push_back(one);
    return !seen.empty();
  }));
  EXPECT_EQ(seen[0].gpu, 0);
  EXPECT_EQ(seen[0].xid, 79);
}

// It opened whatever has the number now that its GPU had before.
TEST_F(Scripts, WhatIsToldOfAnotherGpuIsDropped) {
  const std::string right = directory_ + "/right";
  const std::string wrong = directory_ + "/wrong";
  std::ofstream(right) << EncodeFrame(Health("GPU-3"));
  std::ofstream(wrong) << EncodeFrame(Health("GPU-4"))
                       << EncodeFrame(XidSighting{0, 79, {}, {}, {}, "GPU-4"});
  // The first one is right, the second wrong, the third right again.
  const std::string begun = directory_ + "/begun";
  const std::string script = "echo >> " + begun + "; n=$(wc -l < " + begun + "); frame=" + right +
                             "; [ $n != 2 ] || frame=" + wrong +
                             "; cat $frame; [ $n != 1 ] || exit 0; exec sleep 1000";
  ManualClock clock;
  GpuWatchers watchers(Watch(script), clock);
  const auto now = [&] { return watchers.Latest()[0]; };
  ASSERT_TRUE(Await([&] { return now().error == "its watcher ended"; }));
  ASSERT_TRUE(now().health);
  clock.Advance(Duration::Seconds(2));
  ASSERT_TRUE(Await([&] { return now().error == "its watcher reads another GPU: GPU-4"; }));
  EXPECT_EQ(now().health->uuid, "GPU-3");
  EXPECT_EQ(now().age_ns, Duration::Seconds(2).ns);  // the last that was read of it grows old
  EXPECT_TRUE(watchers.TakeXids().empty());
  clock.Advance(Duration::Seconds(2));
  ASSERT_TRUE(Await([&] { return now().error.empty(); }));
  EXPECT_EQ(now().age_ns, 0);
}

// Whoever has reset the GPU is not told that it is watched.
TEST_F(Scripts, AWatcherOfAnotherGpuIsNone) {
  for (const char* uuid : {"GPU-4", ""}) {
    const std::string frame = directory_ + "/frame";
    std::ofstream(frame) << EncodeFrame(Health(uuid));
    ManualClock clock;
    const std::string script = "cat " + frame + "; exec sleep 1000";
    GpuWatchers watchers(Watch(script, Duration::Milliseconds(300)), clock);
    const std::string why = std::string("its watcher reads another GPU: ") + uuid;
    ASSERT_TRUE(Await([&] { return watchers.Latest()[0].error == why; }));
    EXPECT_FALSE(watchers.Latest()[0].health);
    watchers.Pause(0);
    EXPECT_FALSE(watchers.Resume(0));
  }
}

// Another one's error is not this one's, and comes from its own watcher.
TEST_F(Scripts, AnXidOfAnotherGpuIsDropped) {
  const std::string frame = directory_ + "/frame";
  std::ofstream(frame) << EncodeFrame(Health("GPU-3"))
                       << EncodeFrame(XidSighting{0, 79, {}, {}, {}, "GPU-4"});
  ManualClock clock;
  GpuWatchers watchers(Watch("cat " + frame + "; exec sleep 1000"), clock);
  const std::string why = "its watcher reads another GPU: GPU-4";
  ASSERT_TRUE(Await([&] { return watchers.Latest()[0].error == why; }));
  EXPECT_TRUE(watchers.TakeXids().empty());
}

TEST_F(Scripts, AWatcherThatTellsNonsenseOrEndsIsSaidSo) {
  ManualClock clock;
  GpuWatchers watchers({{Script("printf '\\377\\377\\377\\377'; exec sleep 1000")},
                        {"GPU-0"},
                        Duration::Seconds(5),
                        Duration::Seconds(1)},
                       clock);
  EXPECT_TRUE(Await([&] { return watchers.Latest()[0].error.find("bytes") != std::string::npos; }));
  GpuWatchers ends({{Script("exit 0")}, {"GPU-0"}, Duration::Seconds(5), Duration::Seconds(1)},
                   clock);
  EXPECT_TRUE(Await([&] { return ends.Latest()[0].error == "its watcher ended"; }));
}

}  // namespace
}  // namespace gp
