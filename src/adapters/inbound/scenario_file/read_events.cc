#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"
#include "base/text.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

constexpr size_t kEventsMax = 10'000;

// Reads one entry of `events`.
class EventReader {
 public:
  EventReader(const YamlNode& item, Report& report) : item_(item), report_(report) {}

  ScenarioEvent Read();

 private:
  KeyTable::Take Node(NodeDeed deed);
  KeyTable::Take Job(JobDeed deed);
  KeyTable::Take Pool();
  KeyTable::Take Priority();
  KeyTable::Take Queue();
  void Note(decltype(ScenarioEvent::what) what);
  void CheckOne() const;

  const YamlNode& item_;
  Report& report_;
  ScenarioEvent event_;
  int deeds_ = 0;
};

void EventReader::Note(decltype(ScenarioEvent::what) what) {
  event_.what = std::move(what);
  ++deeds_;
}

KeyTable::Take EventReader::Node(NodeDeed deed) {
  return [this, deed](const YamlNode& value) {
    const auto name = ReadText(value);
    if (!name) report_.Add(value.place, name.error().code, name.error().message);
    Note(NodeEvent{deed, name.value_or(""), false});
  };
}

KeyTable::Take EventReader::Job(JobDeed deed) {
  return [this, deed](const YamlNode& value) {
    const auto name = ReadText(value);
    if (!name) report_.Add(value.place, name.error().code, name.error().message);
    Note(JobEvent{deed, name.value_or(""), 0});
  };
}

KeyTable::Take EventReader::Pool() {
  return [this](const YamlNode& value) {
    PoolEvent event;
    KeyTable("move", report_)
        .Text("node", event.node)
        .Required()
        .Text("pool", event.pool)
        .Required()
        .ReadFrom(value);
    Note(event);
  };
}

KeyTable::Take EventReader::Priority() {
  return [this](const YamlNode& value) {
    JobEvent event{JobDeed::kSetPriority, "", 0};
    KeyTable("set_priority", report_)
        .Text("job", event.job)
        .Required()
        .Add("priority",
             [&](const YamlNode& number) {
               const auto priority = ReadCountOrWord(
                   number, 0, kPriorityMax, "low, medium, high or a number", PriorityFromText);
               if (priority)
                 event.priority = static_cast<int>(*priority);
               else
                 report_.Add(number.place, priority.error().code,
                             "priority: " + priority.error().message);
             })
        .Required()
        .ReadFrom(value);
    Note(event);
  };
}

KeyTable::Take EventReader::Queue() {
  return [this](const YamlNode& value) { Note(ReadQueue(value, report_)); };
}

ScenarioEvent EventReader::Read() {
  bool force = false;
  KeyTable("an event", report_)
      .Span("at", {}, kScenarioSpanMax, event_.at)
      .Required()
      .Add("drain", Node(NodeDeed::kDrain))
      .Add("offline", Node(NodeDeed::kOffline))
      .Truth("force", force)
      .Add("online", Node(NodeDeed::kOnline))
      .Add("lose", Node(NodeDeed::kLose))
      .Add("return", Node(NodeDeed::kReturn))
      .Add("declare_lost", Node(NodeDeed::kDeclareLost))
      .Add("move", Pool())
      .Add("cancel", Job(JobDeed::kCancel))
      .Add("hold", Job(JobDeed::kHold))
      .Add("release", Job(JobDeed::kRelease))
      .Add("set_priority", Priority())
      .Add("set_queue", Queue())
      .ReadFrom(item_);
  CheckOne();
  if (auto* node = std::get_if<NodeEvent>(&event_.what)) node->force = force;
  return event_;
}

void EventReader::CheckOne() const {
  if (item_.kind != YamlNode::Kind::kMap || deeds_ == 1) return;
  report_.Add(item_.place, FileCode::kContradiction,
              deeds_ == 0 ? "an event needs a time and an action: {at: 2h, drain: node-1}"
                          : "an event has one action: write two entries with the same time");
}

}  // namespace

void ReadEvents(const YamlNode& list, ScenarioDraft& draft) {
  ReadItems(list, "events", kEventsMax, draft.report, [&](const YamlNode& item) {
    draft.scenario.events.push_back(EventReader(item, draft.report).Read());
    draft.events.push_back(item.place);
  });
}

}  // namespace gp
