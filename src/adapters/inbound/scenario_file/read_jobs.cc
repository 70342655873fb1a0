#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

using enum FileCode;

constexpr size_t kEntriesMax = 10'000;
constexpr int64_t kLoadPercentMax = 1'000;
constexpr uint32_t kFirstUid = 1'000;

// Reads one entry of `jobs`: jobs of one spec, a trace or a journal.
class JobsReader {
 public:
  JobsReader(const YamlNode& item, ScenarioDraft& draft) : item_(item), draft_(draft) {}

  void Read();

 private:
  struct TraceWords {
    std::string file;
    TraceFormat format = TraceFormat::kPhilly;
    std::optional<int64_t> load_percent;
    std::optional<int64_t> jobs_max;
  };

  void ReadTrace(const YamlNode& value);
  void ReadJournal(const YamlNode& value);
  void ReadFormat(const YamlNode& value);
  void ReadLoad(const YamlNode& value);
  std::shared_ptr<const JobSpec> ReadSpec();
  User FindUser();
  void Add();
  void AddJobs();
  void AddTrace();
  void AddJournal();
  void Refuse(std::string_view key, const std::string& why);

  const YamlNode& item_;
  ScenarioDraft& draft_;
  std::string user_ = "user";
  JobGroup group_;
  bool has_trace_ = false;
  TraceWords trace_;
  bool has_journal_ = false;
  std::string journal_;
  bool with_nodes_ = true;
};

void JobsReader::Refuse(std::string_view key, const std::string& why) {
  const YamlEntry* entry = item_.Find(key);
  draft_.report.Add(entry == nullptr ? item_.place : entry->place, kContradiction,
                    std::string(key) + ": " + why);
}

void JobsReader::ReadLoad(const YamlNode& value) {
  const bool is_percent = value.IsScalar() && value.text.ends_with('%');
  const auto percent = is_percent ? ParseCount(value.text.substr(0, value.text.size() - 1))
                                  : Fail(InvalidArgument(""));
  if (percent && *percent >= 1 && *percent <= kLoadPercentMax) {
    trace_.load_percent = *percent;
  } else {
    draft_.report.Add(value.place, kBadUnit,
                      "load: must be from 1% to " + std::to_string(kLoadPercentMax) +
                          "%, such as 80%, not " + Describe(value));
  }
}

void JobsReader::ReadFormat(const YamlNode& value) {
  static constexpr std::string_view kFormats[] = {"philly",
                                                  "alibaba"};  // in the order of TraceFormat
  const auto format = ReadWord(value, kFormats);
  if (format) {
    trace_.format = static_cast<TraceFormat>(*format);
  } else {
    draft_.report.Add(value.place, format.error().code, "format: " + format.error().message);
  }
}

void JobsReader::ReadTrace(const YamlNode& value) {
  has_trace_ = true;
  KeyTable("a trace", draft_.report)
      .Text("file", trace_.file)
      .Required()
      .Add("format", [this](const YamlNode& word) { ReadFormat(word); })
      .Add("load", [this](const YamlNode& load) { ReadLoad(load); })
      .OptionalCount("jobs", 1, kScenarioJobsMax, trace_.jobs_max)
      .ReadFrom(value);
}

void JobsReader::ReadJournal(const YamlNode& value) {
  has_journal_ = true;
  KeyTable table("a journal", draft_.report);
  table.Text("file", journal_).Required().Truth("nodes", with_nodes_);
  if (value.IsScalar())
    table.ReadValue("file", value);
  else
    table.ReadFrom(value);
}

// The program is not run in a simulation, so `run` may be missing.
std::shared_ptr<const JobSpec> JobsReader::ReadSpec() {
  YamlNode job;
  job.kind = YamlNode::Kind::kMap;
  job.place = item_.place;
  if (const YamlEntry* written = item_.Find("job")) job = written->value;
  if (const YamlEntry* after = job.Find("after"))
    draft_.report.Add(after->place, kNotSupportedYet,
                      "after: jobs of a scenario do not wait for each other");
  if (job.kind == YamlNode::Kind::kMap && job.Find("run") == nullptr) {
    YamlEntry& run = job.entries.emplace_back();
    run.key = "run";
    run.place = run.value.place = job.place;
    run.value.kind = YamlNode::Kind::kQuoted;
    run.value.text = "true";
  }
  const std::string name =
      "jobs-" + std::to_string(draft_.scenario.jobs.size() + draft_.scenario.traces.size() + 1);
  auto spec = draft_.sources.job(job, name, draft_.report);
  return spec ? std::make_shared<const JobSpec>(std::move(*spec)) : nullptr;
}

User JobsReader::FindUser() {
  if (const auto fault = NameFault(user_)) Refuse("user", *fault);
  const uint32_t uid = kFirstUid + static_cast<uint32_t>(draft_.users.size());
  return draft_.users.try_emplace(user_, User{user_, uid, uid}).first->second;
}

void JobsReader::Read() {
  Report& report = draft_.report;
  KeyTable("an entry of jobs", report)
      .Text("user", user_)
      .Span("at", {}, kScenarioSpanMax, group_.at)
      .Add("every", [&](const YamlNode& value) { group_.every = ReadDraw(value, "every", report); })
      .OptionalCount("count", 1, kScenarioJobsMax, group_.count)
      .Add("length",
           [&](const YamlNode& value) { group_.length = ReadDraw(value, "length", report); })
      .Span("checkpoint_every", Duration::Seconds(1), kScenarioSpanMax, group_.checkpoint_every)
      .Add("job", [](const YamlNode&) {})
      .Add("trace", [this](const YamlNode& value) { ReadTrace(value); })
      .Add("journal", [this](const YamlNode& value) { ReadJournal(value); })
      .ReadFrom(item_);
  if (item_.kind == YamlNode::Kind::kMap) Add();
}

void JobsReader::Add() {
  if (has_trace_ && has_journal_)
    return Refuse("trace", "a trace and a journal need an entry each");
  if (has_journal_) return AddJournal();
  group_.user = FindUser();
  group_.spec = ReadSpec();
  if (has_trace_) return AddTrace();
  AddJobs();
}

void JobsReader::AddJobs() {
  if (item_.Find("length") == nullptr)
    draft_.report.Add(
        item_.place, kMissingKey,
        "length is missing: write how long the jobs take, such as 2h or {median: 20m, p90: 6h}");
  if (group_.every && !group_.count && !draft_.scenario.until)
    Refuse("every", "the number of jobs has no limit: add count, or until to the scenario");
  if (group_.count.value_or(1) > 1 && !group_.every) group_.every = Draw{};
  draft_.scenario.jobs.push_back(group_);
  draft_.jobs.push_back(item_.place);
}

void JobsReader::AddTrace() {
  for (const char* key : {"every", "count", "length"}) {
    if (item_.Find(key) != nullptr) Refuse(key, "the trace contains this itself");
  }
  if (draft_.scenario.nodes.empty())
    Refuse("trace", "is played on nodes of the scenario: add nodes");
  auto workload = draft_.sources.trace(trace_.file, trace_.format);
  if (!workload) return Refuse("trace", workload.error().message);
  if (trace_.jobs_max && static_cast<size_t>(*trace_.jobs_max) < workload->jobs.size())
    workload->jobs.resize(static_cast<size_t>(*trace_.jobs_max));
  draft_.scenario.traces.push_back({std::move(*workload), group_.spec, group_.user, group_.at,
                                    trace_.load_percent, group_.checkpoint_every});
  draft_.traces.push_back(item_.place);
}

void JobsReader::AddJournal() {
  if (item_.entries.size() != 1)
    return Refuse("journal", "contains everything about its jobs: no other key is allowed here");
  if (draft_.scenario.journal) return Refuse("journal", "only one is allowed");
  auto run = draft_.sources.journal(journal_);
  if (!run) return Refuse("journal", run.error().message);
  draft_.scenario.journal = JournalGroup{std::move(*run), with_nodes_};
}

}  // namespace

void ReadJobs(const YamlNode& list, ScenarioDraft& draft) {
  ReadItems(list, "jobs", kEntriesMax, draft.report,
            [&](const YamlNode& item) { JobsReader(item, draft).Read(); });
}

}  // namespace gp
