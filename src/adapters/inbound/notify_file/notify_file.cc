#include "adapters/inbound/notify_file/notify_file.h"

#include <algorithm>
#include <optional>

#include "adapters/wire/event_line.h"
#include "base/text.h"
#include "domain/model/jobs/text_rules.h"
#include "lib/http/web_post.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/map_reader.h"

namespace gp {
namespace {

constexpr size_t kTextsMax = 100;
constexpr Duration kMetricsEveryMin = Duration::Seconds(1);
constexpr Duration kMetricsEveryMax = Duration::Minutes(24 * 60);
const std::vector<std::string> kNames = {"mail_from", "receivers", "sendmail"};
const std::vector<std::string> kReceiverNames = {"name",        "on",           "where", "webhook",
                                                 "secret_file", "authorities",  "exec",  "mail",
                                                 "jobs",        "metrics_every"};

std::vector<std::string> Names(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

// What is wrong with an address for a mail header; nullopt: nothing.
std::optional<std::string> MailboxFault(const std::string& written) {
  std::string text = written;
  if (const size_t mark = text.find(kUserMark); mark != std::string::npos)
    text.replace(mark, kUserMark.size(), "user");
  const size_t at = text.find('@');
  const bool are_plain = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("@.+-_").contains(c);
  });
  const bool is_local = at == std::string::npos && !text.empty();
  const bool is_whole = at != std::string::npos && at > 0 && IsHostName(text.substr(at + 1));
  if (are_plain && (is_local || is_whole) && text.size() <= 254 && !text.starts_with('-'))
    return std::nullopt;
  return "\"" + Printable(text, 60) + "\" is not an address such as ops@example.org";
}

// Reads one entry of `receivers`.
class ReceiverReader {
 public:
  ReceiverReader(const std::string& path, Report& report)
      : map_(path, report), where_(path + ".where", report) {}

  Receiver Read(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kMap) {
      map_.Refuse(node.place, FileCode::kWrongType, "",
                  "a map such as {name: pager, on: incident_opened, webhook: "
                  "\"https://hooks.example.org/gpu\"}");
      return {};
    }
    for (const YamlEntry& entry : node.entries) ReadEntry(entry);
    CheckWhole(node);
    return std::move(receiver_);
  }

 private:
  void ReadEntry(const YamlEntry& entry) {
    if (entry.key == "name") return ReadName(entry);
    if (entry.key == "on") return ReadEvents(entry);
    if (entry.key == "where") return ReadWhere(entry);
    if (entry.key == "webhook") return ReadWebhook(entry);
    if (entry.key == "exec") return ReadProgram(entry);
    if (entry.key == "mail") return ReadRecipients(entry);
    if (entry.key == "secret_file") {
      receiver_.secret_file = map_.TakeText(entry, gp::PathFault);
    } else if (entry.key == "authorities") {
      receiver_.authorities = map_.TakeText(entry, gp::PathFault);
    } else if (entry.key == "metrics_every") {
      receiver_.metrics_every.ns =
          map_.Take(entry, ReadDuration(entry.value, kMetricsEveryMin.ns, kMetricsEveryMax.ns));
    } else if (entry.key == "jobs") {
      receiver_.jobs_may_name = map_.Take(entry, ReadBool(entry.value)) != 0;
    } else {
      map_.RefuseKey(entry, kReceiverNames);
    }
  }

  void ReadName(const YamlEntry& entry) {
    receiver_.name = map_.TakeText(entry, [](const std::string& text) { return NameFault(text); });
  }

  void ReadWebhook(const YamlEntry& entry) {
    BeginWay(entry, NotifyWay::kWebhook);
    receiver_.url = map_.TakeText(entry, [](const std::string& text) {
      const auto address = ParseWebAddress(text);
      return address ? std::nullopt : std::optional(address.error().message);
    });
  }

  void ReadProgram(const YamlEntry& entry) {
    BeginWay(entry, NotifyWay::kExec);
    receiver_.command = map_.TakeTexts(entry, kTextsMax,
                                       [](const std::string& text) { return ArgumentFault(text); });
    if (!receiver_.command.empty() && gp::PathFault(receiver_.command[0]))
      map_.Refuse(entry.value.place, FileCode::kBadWord, "exec",
                  "begins with a program's absolute path; its arguments follow, each an element "
                  "of the list");
  }

  void ReadRecipients(const YamlEntry& entry) {
    BeginWay(entry, NotifyWay::kMail);
    receiver_.recipients = map_.TakeTexts(entry, kTextsMax, MailboxFault);
  }

  void BeginWay(const YamlEntry& entry, NotifyWay way) {
    if (++ways_ > 1)
      map_.Refuse(entry.place, FileCode::kContradiction, entry.key,
                  "a receiver has one of webhook, exec and mail; write two receivers");
    receiver_.way = way;
  }

  // "job_*" matches every event that begins with "job_".
  void ReadEvents(const YamlEntry& entry) {
    std::vector<std::string> names = Names(EventNames());
    names.emplace_back(kJobMetrics);
    const auto matches = [](const std::string& pattern, const std::string& name) {
      if (name == kJobMetrics) return pattern == name;
      return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                    : name == pattern;
    };
    const auto fault_of = [&](const std::string& text) -> std::optional<std::string> {
      if (std::ranges::any_of(names, [&](const std::string& name) { return matches(text, name); }))
        return std::nullopt;
      return "there is no event \"" + Printable(text, 60) + "\"" + DidYouMean(text, names);
    };
    for (const std::string& text : map_.TakeTexts(entry, kTextsMax, fault_of)) {
      std::ranges::copy_if(names, std::inserter(receiver_.on, receiver_.on.end()),
                           [&](const std::string& name) { return matches(text, name); });
    }
  }

  void ReadWhere(const YamlEntry& entry) {
    if (entry.value.kind != YamlNode::Kind::kMap)
      return map_.Refuse(entry.value.place, FileCode::kWrongType, "where",
                         "a map such as {state: [FAILED, TIMEOUT], queue: research}");
    const std::vector<std::string> names = Names(EventFields());
    for (const YamlEntry& field : entry.value.entries) {
      if (std::ranges::find(names, field.key) == names.end()) {
        where_.Refuse(
            field.place, FileCode::kUnknownKey, "",
            "no event has a \"" + Printable(field.key, 60) + "\"" + DidYouMean(field.key, names));
        continue;
      }
      const std::vector<std::string> words = EventValues(field.key);
      const auto fault_of = [&](const std::string& text) -> std::optional<std::string> {
        if (words.empty()) return ArgumentFault(text);
        if (std::ranges::find(words, text) != words.end()) return std::nullopt;
        return "there is no " + field.key + " \"" + Printable(text, 60) + "\"" +
               DidYouMean(text, words);
      };
      for (const std::string& value : where_.TakeTexts(field, kTextsMax, fault_of))
        receiver_.where[field.key].insert(value);
    }
  }

  void CheckWhole(const YamlNode& node) {
    if (receiver_.name.empty())
      map_.Refuse(node.place, FileCode::kMissingKey, "name", "every receiver needs a name");
    if (!HasKey(node, "on") && !receiver_.jobs_may_name)
      map_.Refuse(node.place, FileCode::kMissingKey, "on",
                  "which events it receives, such as [incident_opened, node_lost]");
    if (ways_ == 0)
      map_.Refuse(node.place, FileCode::kMissingKey, "webhook",
                  "one of webhook, exec and mail is required");
    const bool is_marked = std::ranges::any_of(
        receiver_.recipients, [](const std::string& one) { return one.contains(kUserMark); });
    const bool hears_others = std::ranges::any_of(
        receiver_.on, [](const std::string& event) { return !event.starts_with("job_"); });
    if (is_marked && hears_others)
      map_.Refuse(node.place, FileCode::kContradiction, "mail",
                  "{user} is the user of a job, and `on` names events that have no job");
    CheckMetrics(node);
    const bool is_webhook = receiver_.way == NotifyWay::kWebhook;
    if (!is_webhook && !(receiver_.secret_file.empty() && receiver_.authorities.empty()))
      map_.Refuse(node.place, FileCode::kContradiction, "",
                  "secret_file and authorities are for webhooks");
  }
  void CheckMetrics(const YamlNode& node) {
    const bool hears_metrics = receiver_.on.contains(std::string(kJobMetrics));
    if (hears_metrics && receiver_.way == NotifyWay::kMail)
      map_.Refuse(node.place, FileCode::kContradiction, "on",
                  "job_metrics is for programs: it needs webhook or exec");
    if (!hears_metrics && HasKey(node, "metrics_every"))
      map_.Refuse(node.place, FileCode::kContradiction, "metrics_every",
                  "it is for a receiver with job_metrics in `on`");
  }
  static bool HasKey(const YamlNode& node, std::string_view key) {
    return node.Find(key) != nullptr;
  }

  MapReader map_;
  MapReader where_;
  Receiver receiver_;
  int ways_ = 0;
};

void ReadReceivers(const YamlEntry& entry, MapReader& map, Report& report, NotifyConfig& config) {
  if (entry.value.kind != YamlNode::Kind::kList || entry.value.items.empty() ||
      entry.value.items.size() > kReceiversMax) {
    return map.Refuse(entry.value.place, FileCode::kWrongType, "receivers",
                      "a list of 1 to " + std::to_string(kReceiversMax) +
                          " maps such as {name: pager, on: incident_opened, webhook: "
                          "\"https://hooks.example.org/gpu\"}");
  }
  for (const YamlNode& item : entry.value.items) {
    Receiver receiver =
        ReceiverReader("receivers[" + std::to_string(config.receivers.size()) + "]", report)
            .Read(item);
    const bool is_known = std::ranges::any_of(config.receivers, [&](const Receiver& other) {
      return !receiver.name.empty() && other.name == receiver.name;
    });
    if (is_known)
      map.Refuse(item.place, FileCode::kContradiction, "receivers",
                 "there are two named \"" + Printable(receiver.name, 60) + "\"");
    config.receivers.push_back(std::move(receiver));
  }
}

}  // namespace

std::vector<std::string> NotifyNames() { return kNames; }

NotifyConfig ReadNotify(const YamlNode& node, Report& report) {
  MapReader map("", report);
  NotifyConfig config;
  if (node.kind != YamlNode::Kind::kMap || node.Find("receivers") == nullptr) {
    map.Refuse(node.place, FileCode::kMissingKey, "receivers", "a list of receivers");
  }
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "receivers") {
      ReadReceivers(entry, map, report, config);
    } else if (entry.key == "sendmail") {
      config.sendmail = map.TakeText(entry, gp::PathFault);
    } else if (entry.key == "mail_from") {
      config.mail_from = map.TakeText(entry, MailboxFault);
    } else {
      map.RefuseKey(entry, kNames);
    }
  }
  return config;
}

Result<NotifyConfig> DecodeNotify(std::string_view file_name, std::string_view text) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  NotifyConfig config;
  if (CheckText(source, report)) {
    const std::vector<YamlNode> documents = ReadYaml(source, source.text, report);
    if (documents.size() == 1) config = ReadNotify(documents[0], report);
    if (documents.size() != 1 && report.empty())
      report.Add({&source}, FileCode::kWrongType,
                 "the file must be one map with \"receivers\", not " +
                     std::to_string(documents.size()) + " documents");
  }
  if (report.empty()) return config;
  return Fail(InvalidArgument(AsLines(report.Take())));
}

Result<NotifyConfig> ReadNotifyFile(const std::string& path) {
  return DecodeNotify(path, GP_TRY(ReadSource(path)));
}

}  // namespace gp
