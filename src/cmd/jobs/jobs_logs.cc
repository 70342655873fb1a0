// `jobs logs`: the output of a job, of all its ranks, or of the elements of an array.

#include <algorithm>
#include <thread>

#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/job_selection.h"
#include "cmd/jobs/jobs.h"
#include "cmd/text/prefixed_lines.h"

namespace gp {
namespace {

enum class Which { kBoth, kOutput, kErrors };

struct LogFlags {
  LogOptions options;
  Which which = Which::kBoth;
  bool all_ranks = false;
  int64_t tail_bytes = 0;
  int tail_lines = 0;
  std::string since;
};

// One stream of outputs that are shown together.
struct Source {
  std::string job;
  int rank = 0;
  std::string prefix;  // of its lines; empty: it is the only one
  bool is_element = false;
};

// The ranks of the job's attempt that is asked for, or of its last one.
int CountRanks(const v1::Job& job, int attempt) {
  const auto found = std::ranges::find(job.attempts(), attempt, &v1::Attempt::number);
  if (found != job.attempts().end()) return found->ranks_size();
  return job.attempts().empty() ? job.spec().nodes() : job.attempts().rbegin()->ranks_size();
}

Result<std::vector<Source>> SourcesOf(const LogFlags& flags, Cli& cli) {
  const std::vector<std::string> ids = GP_TRY(FindJobs(cli, flags.options.job));
  std::vector<Source> sources;
  if (ids.size() > 1) {
    if (flags.all_ranks)
      return Fail(InvalidArgument("--all-ranks: of one job, not of several elements of an array"));
    for (const std::string& id : ids) sources.push_back({id, flags.options.rank, id + "| ", true});
    return sources;
  }
  const v1::Job job = GP_TRY(FetchJob(cli, ids.front()));
  if (!flags.all_ranks) return std::vector{Source{job.id(), flags.options.rank, ""}};
  for (int rank = 0; rank < CountRanks(job, flags.options.attempt); ++rank)
    sources.push_back({job.id(), rank, std::to_string(rank) + "| "});
  return sources;
}

Status CopyStream(const LogFlags& flags, LogOptions options, bool errors, std::FILE* to, Cli& cli) {
  options.errors = errors;
  options.to = to;
  if (flags.tail_bytes > 0) options.offset = -flags.tail_bytes;
  if (flags.tail_lines > 0) options.offset = GP_TRY(FindTail(cli, options, flags.tail_lines));
  return CopyLog(cli, options);
}

// A source whose lines have a prefix.  Elements that have not started have no output.
Status CopyPrefixed(const LogFlags& flags, const Source& source, LineTurns& turns, Cli& cli) {
  for (const bool errors : {false, true}) {
    if (flags.which == (errors ? Which::kOutput : Which::kErrors)) continue;
    PrefixedLines lines(source.prefix);
    LogOptions options = flags.options;
    options.job = source.job;
    options.rank = source.rank;
    options.turns = &turns;
    options.lines = &lines;
    std::FILE* const to = errors && flags.which == Which::kBoth ? stderr : stdout;
    const Status copied = CopyStream(flags, options, errors, to, cli);
    turns.Write(to, lines.Rest());
    const bool waits = !copied && copied.error().code == ErrorCode::kConflict;
    if (!copied && !(waits && source.is_element)) return copied;
  }
  return Ok();
}

Status CopyFollowed(const LogFlags& flags, const std::vector<Source>& sources, LineTurns& turns,
                    Cli& cli) {
  constexpr size_t kFollowedMax = 64;  // each takes two connections
  if (sources.size() > kFollowedMax)
    return Fail(InvalidArgument("--follow: at most " + std::to_string(kFollowedMax) +
                                " ranks or elements at a time"));
  std::vector<Status> ends(2 * sources.size(), Ok());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sources.size(); ++i) {
    for (const Which which : {Which::kOutput, Which::kErrors}) {
      if (flags.which != Which::kBoth && flags.which != which) continue;
      Status& end = ends[2 * i + (which == Which::kErrors ? 1 : 0)];
      threads.emplace_back([&flags, &source = sources[i], &turns, &cli, &end, which] {
        LogFlags one = flags;
        one.which = which;
        end = CopyPrefixed(one, source, turns, cli);
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  const auto failed = std::ranges::find_if(ends, [](const Status& end) { return !end; });
  return failed == ends.end() ? Ok() : *failed;
}

Status CopyOnlyOne(const LogFlags& flags, const Source& source, Cli& cli) {
  LogOptions options = flags.options;
  options.job = source.job;
  if (flags.which != Which::kBoth)
    return CopyStream(flags, options, flags.which == Which::kErrors, stdout, cli);
  if (flags.tail_lines == 0) {
    if (flags.tail_bytes > 0) options.offset = -flags.tail_bytes;
    return CopyStreams(cli, options);
  }
  GP_CHECK_OK(CopyStream(flags, options, false, stdout, cli));
  return CopyStream(flags, options, true, stderr, cli);
}

Status CopyAll(const LogFlags& flags, Cli& cli) {
  const std::vector<Source> sources = GP_TRY(SourcesOf(flags, cli));
  if (sources.size() == 1 && sources.front().prefix.empty())
    return CopyOnlyOne(flags, sources.front(), cli);
  LineTurns turns;
  if (flags.options.follow) return CopyFollowed(flags, sources, turns, cli);
  Status first = Ok();  // one that is on a lost node leaves the others readable
  for (const Source& source : sources) {
    const Status copied = CopyPrefixed(flags, source, turns, cli);
    if (!copied && first) first = copied;
  }
  return first;
}

void Copy(LogFlags flags, Cli& cli) {
  if (!flags.since.empty()) {
    const auto since = SinceOf(flags.since);
    if (!since) return cli.Complain(since.error());
    flags.options.since_ms = std::max<int64_t>(1, since->ns / 1'000'000);
  }
  if (flags.options.follow && flags.tail_lines > 0 && flags.which == Which::kBoth)
    return cli.Complain(InvalidArgument("--tail with --follow: choose --stdout or --stderr"));
  const Status copied = CopyAll(flags, cli);
  if (copied) return;
  cli.Complain(copied.error());
  if (flags.options.follow && copied.error().code == ErrorCode::kUnavailable)
    cli.exit_code = kExitPlatform;
}

}  // namespace

void AddLogs(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "logs", "Print the output of a job: its stdout to stdout, its stderr to stderr");
  auto flags = std::make_shared<LogFlags>();
  sub->add_option("job", flags->options.job,
                  "Job by id or name; of an array each element, or JOB[3]")
      ->required();
  sub->add_flag("-f,--follow", flags->options.follow, "Follow the output until the job has ended");
  CLI::Option* rank = sub->add_option("--rank", flags->options.rank, "Rank (node) of a gang");
  sub->add_flag("--all-ranks", flags->all_ranks, "All ranks, each line behind its rank")
      ->excludes(rank);
  sub->add_option("--attempt", flags->options.attempt, "Attempt; default: the last");
  CLI::Option* errors = sub->add_flag_function(
      "--stderr", [flags](int64_t) { flags->which = Which::kErrors; },
      "Only its standard error, to standard output");
  sub->add_flag_function(
         "--stdout", [flags](int64_t) { flags->which = Which::kOutput; },
         "Only its standard output")
      ->excludes(errors);
  CLI::Option* lines =
      sub->add_option("--tail,-n", flags->tail_lines, "Only the last N lines of each stream")
          ->type_name("N")
          ->check(CLI::Range(1, 1'000'000));
  CLI::Option* since =
      sub->add_option(
             "--since", flags->since,
             "Only what was written from then on, and shortly before: a time or a duration, as 2h")
          ->excludes(lines);
  sub->add_option("--tail-bytes", flags->tail_bytes, "Only the last N bytes of each stream")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->excludes(lines)
      ->excludes(since);
  sub->callback([flags, &cli] { Copy(*flags, cli); });
}

}  // namespace gp
