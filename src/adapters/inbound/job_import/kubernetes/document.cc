#include "adapters/inbound/job_import/kubernetes/document.h"

#include <iterator>

#include "base/text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {

void Document::Note(const YamlNode& node, const std::string& what, const std::string& why) {
  notes.push_back({node.place.line, Printable(what, 100), Printable(why)});
}

std::optional<int64_t> Document::NumberAt(const YamlNode& map,
                                          std::initializer_list<std::string_view> path) {
  const YamlNode* node = taken.TakeText(map, path);
  if (node == nullptr) return std::nullopt;
  const auto number = ParseCount(node->text);
  if (!number)
    Note(*node, std::string(*std::prev(path.end())) + ": " + node->text,
         "cannot be read: a number is expected");
  return number ? std::optional(*number) : std::nullopt;
}

void Document::PutQueue(const YamlNode& name) {
  const auto ours = options.queues.find(name.text);
  const std::string& queue = ours == options.queues.end() ? name.text : ours->second;
  if (QueueFault(queue))
    return Note(
        name, "queue " + name.text,
        "is not a valid queue name: import with --map " + Printable(name.text, 40) + "=QUEUE");
  Put(draft, {"queue"}, Text(queue));
}

void Document::PutPriority(const YamlNode& name) {
  for (const std::string level : {"low", "medium", "high"}) {
    if (name.text == level || name.text.starts_with(level + "-") ||
        name.text.ends_with("-" + level))
      return Put(draft, {"priority"}, Text(level));
  }
  Note(name, "priorityClassName: " + name.text, "set priority: low, medium, high or 0 to 1000");
}

Error At(const YamlNode& node, const std::string& what) {
  return InvalidArgument("line " + std::to_string(node.place.line) + ": " + what);
}

}  // namespace gp
