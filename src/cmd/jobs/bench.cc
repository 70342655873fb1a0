// Measures a running controller from the outside, as a user's program would see it.

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/job_spec.h"
#include "base/ignore_result.h"
#include "base/percentile.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/jobs/submit.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

struct BenchFlags {
  int count = 200;
  int gpus = 1;
  std::string rest = "50ms";
};

JobSpec TrueJob(int gpus) {
  JobSpec spec;
  spec.name = "bench";
  spec.resources.gpus.count = gpus;
  spec.program.command = {"/bin/true"};
  spec.program.working_directory = "/";
  return spec;
}

Result<v1::Job> AwaitEnd(ControlClient& client, const std::string& id) {
  grpc::ClientContext context;
  v1::Control::Stub* stub = GP_TRY(client.Streams(context));
  v1::GetJobRequest request;
  request.set_job_id(id);
  const auto reader = stub->WatchJob(&context, request);
  v1::Job job;
  while (reader->Read(&job)) {
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  return job;
}

constexpr Duration kRestMax = Duration::Minutes(1);

// A call that is refused immediately: measures the round trip.
void CallInVain(ControlClient& client) {
  IgnoreResult(client.Call<v1::SubmitJobsReply>("SubmitJobs", v1::SubmitJobsRequest()),
               "it measures the call, not its outcome");
}

Result<int> ParseRestMs(const std::string& text) {
  const Duration rest = GP_TRY(ParseDuration(text));
  if (rest < Duration{} || rest > kRestMax)
    return Fail(InvalidArgument("--rest: must be from 0s to " + ToText(kRestMax) + ", not " +
                                ToText(rest)));
  return static_cast<int>(rest.ToMilliseconds());
}

double NsSince(int64_t begin_ns) { return static_cast<double>(SystemClock().BootNs() - begin_ns); }

// One value for each job.
struct BenchTimes {
  std::vector<double> ack_ms;
  std::vector<double> way_ms;  // the round trip alone
  std::vector<double> start_ms;
};

void MeasureWay(ControlClient& client, BenchTimes& times) {
  const int64_t called_ns = SystemClock().BootNs();
  CallInVain(client);
  times.way_ms.push_back(NsSince(called_ns) / 1e6);
}

Status MeasureJob(ControlClient& client, int gpus, BenchTimes& times) {
  v1::SubmitJobsRequest request;
  ToProto(TrueJob(gpus), request.add_specs());
  request.set_request_id(NewRequestId());
  const int64_t begin_ns = SystemClock().BootNs();
  const auto reply = client.Call<v1::SubmitJobsReply>("SubmitJobs", request);
  if (!reply) return Fail(reply.error());
  times.ack_ms.push_back(NsSince(begin_ns) / 1e6);
  const v1::Job job = GP_TRY(AwaitEnd(client, reply->job_ids(0)));
  times.start_ms.push_back(job.attempts(job.attempts_size() - 1).start_seconds() * 1e3);
  return Ok();
}

Result<BenchTimes> MeasureJobs(ControlClient& client, const BenchFlags& flags, int rest_ms) {
  BenchTimes times;
  for (int i = 0; i < flags.count; ++i) {
    poll(nullptr, 0, rest_ms);
    MeasureWay(client, times);
    poll(nullptr, 0, rest_ms);
    GP_CHECK_OK(MeasureJob(client, flags.gpus, times));
  }
  return times;
}

nlohmann::ordered_json Percentiles(const std::vector<double>& values) {
  return {{"p50", Percentile(values, 50)}, {"p99", Percentile(values, 99)}};
}

void PrintFigures(const nlohmann::ordered_json& figures) {
  std::printf("%s\n", figures.dump(2).c_str());
}

// Runs one job at a time on an otherwise idle system. Measures the time to the durable
// acknowledgement, how much of it is the round trip, and the time from the placement decision to
// the exec of the program. A pause before each call keeps the cleanup of the previous job out of
// the measurement, but a machine that slept wakes with cold caches.
void BenchSubmit(const BenchFlags& flags, Cli& cli) {
  const auto rest_ms = ParseRestMs(flags.rest);
  if (!rest_ms) return cli.Complain(rest_ms.error());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto times = MeasureJobs(**client, flags, *rest_ms);
  if (!times) return cli.Complain(times.error());
  PrintFigures({{"jobs", flags.count},
                {"rest_ms", *rest_ms},
                {"submit_ack_ms", Percentiles(times->ack_ms)},
                {"refused_call_ms", Percentiles(times->way_ms)},
                {"allocation_to_exec_ms", Percentiles(times->start_ms)}});
}

// Asks less often while many jobs are left, so that the answers cost the controller little.
Status AwaitAllEnds(ControlClient& client) {
  constexpr int kAskAgainMsMin = 20;
  constexpr int kAskAgainMsMax = 200;
  v1::ListJobsRequest left;
  left.set_limit(1);
  while (true) {
    const auto reply = GP_TRY(client.Call<v1::ListJobsReply>("ListJobs", left));
    if (reply.total() == 0) return Ok();
    poll(nullptr, 0,
         static_cast<int>(std::clamp<int64_t>(reply.total() / 8, kAskAgainMsMin, kAskAgainMsMax)));
  }
}

int CountFailed(ControlClient& client, const std::vector<std::string>& ids) {
  int failed = 0;
  v1::GetJobRequest get;
  for (const std::string& id : ids) {
    get.set_job_id(id);
    const auto job = client.Call<v1::Job>("GetJob", get);
    failed += job && job->state() == v1::COMPLETED ? 0 : 1;
  }
  return failed;
}

// Many jobs at once, from the first submit to the end of the last.
void BenchJobs(const BenchFlags& flags, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const int64_t begin_ns = SystemClock().BootNs();
  const auto ids = SubmitSpecs(cli, {TrueJob(flags.gpus)}, flags.count, NewRequestId());
  if (!ids) return cli.Complain(ids.error());
  const double submitted_s = NsSince(begin_ns) / 1e9;
  if (const Status ended = AwaitAllEnds(**client); !ended) return cli.Complain(ended.error());
  const double seconds = NsSince(begin_ns) / 1e9;
  const int failed = CountFailed(**client, *ids);
  PrintFigures({{"jobs", flags.count},
                {"failed", failed},
                {"submit_s", submitted_s},
                {"seconds", seconds},
                {"jobs_per_s", flags.count / seconds}});
  if (failed > 0) cli.exit_code = kExitInternal;
}

}  // namespace

void AddBench(CLI::App& app, Cli& cli) {
  CLI::App* bench = app.add_subcommand("bench", "Benchmarks of a running controller");
  bench->require_subcommand(1);
  auto flags = std::make_shared<BenchFlags>();
  const auto add = [&](const char* name, const char* help, auto run) {
    CLI::App* sub = bench->add_subcommand(name, help);
    sub->add_option("--count", flags->count, "Number of jobs")->check(CLI::Range(1, 10'000));
    sub->add_option("--gpus", flags->gpus, "GPUs of each job")->check(CLI::Range(0, 64));
    sub->callback([flags, run, &cli] { run(*flags, cli); });
    return sub;
  };
  add("submit", "Measure acknowledgement and start of one job at a time", BenchSubmit)
      ->add_option("--rest", flags->rest, "Idle time before each call")
      ->type_name("DURATION")
      ->capture_default_str();
  add("jobs", "Measure throughput: many jobs of /bin/true at once", BenchJobs);
}

}  // namespace gp
