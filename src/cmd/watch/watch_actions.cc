#include "cmd/watch/watch_actions.h"

#include <utility>

#include "base/text.h"

namespace gp {
namespace {

constexpr int kEscapeKey = 27;
constexpr size_t kNoteMax = 500;  // bytes of an outcome

// "cancel job-12 (train) of ana" of the question.
std::string WithoutConsequence(const std::string& question) {
  return question.substr(0, question.rfind(": "));
}

}  // namespace

bool WatchActions::OnKey(int key, const WatchRow* row, const WatchData* data) {
  if (question_) {
    OnAnswerKey(key);
    return true;
  }
  note_ = {};
  if (pane_) return OnPaneKey(key);
  if (row == nullptr || data == nullptr) return false;
  const std::optional<WatchIntent> intent = IntentOf(key, *row, *data);
  if (intent) Begin(*intent);
  return intent.has_value();
}

void WatchActions::OnAnswerKey(int key) {
  const WatchIntent asked = *std::move(question_);
  question_.reset();
  if (key != 'y' && key != 'Y') {
    note_ = {"nothing was changed", WatchLevel::kDim};
    return;
  }
  under_way_ = WithoutConsequence(asked.text);
  caller_.Ask(*asked.request);
}

bool WatchActions::OnPaneKey(int key) {
  if (key == kEscapeKey || key == 'q' || key == '\n') {
    pane_.reset();
  } else if (key == '\t' && pane_->IsLog()) {
    pane_->TurnStream();
    read_at_ns_ = 0;
    is_reading_ = false;
  } else {
    pane_->OnKey(key);
  }
  return true;
}

void WatchActions::Begin(const WatchIntent& intent) {
  if (!intent.request) {
    note_ = {intent.text, WatchLevel::kWarn};
  } else if (!IsChange(*intent.request)) {
    OpenPane(intent);
  } else if (!under_way_.empty()) {
    note_ = {"wait: the controller has not answered yet: " + under_way_, WatchLevel::kWarn};
  } else {
    question_ = intent;
  }
}

void WatchActions::OpenPane(const WatchIntent& intent) {
  WatchRequest request = *intent.request;
  request.width = width_;
  caller_.Ask(request);
  pane_.emplace(intent.text, std::move(request));
  is_reading_ = true;
}

bool WatchActions::Update(int64_t now_ns) {
  bool is_new = false;
  for (auto answer = caller_.Take(); answer; answer = caller_.Take()) {
    OnAnswer(*answer, now_ns);
    is_new = true;
  }
  if (pane_ && pane_->Follows() && !is_reading_ && now_ns >= read_at_ns_) {
    is_reading_ = true;
    caller_.Ask(pane_->request());
  }
  return is_new;
}

void WatchActions::OnAnswer(const WatchAnswer& answer, int64_t now_ns) {
  if (!IsChange(answer.request)) return OnPage(answer, now_ns);
  under_way_.clear();
  has_changed_ = true;  // a failed change too: the data that it was chosen by may be old
  note_ = answer.text
              ? Note{Printable(*answer.text, kNoteMax), WatchLevel::kGood}
              : Note{"! " + Printable(answer.text.error().message, kNoteMax), WatchLevel::kBad};
}

void WatchActions::OnPage(const WatchAnswer& answer, int64_t now_ns) {
  if (!pane_ || !(pane_->request() == answer.request)) return;  // it was closed meanwhile
  is_reading_ = false;
  read_at_ns_ = now_ns + interval_.ns;
  if (answer.text) {
    if (note_.is_of_page) note_ = {};
    return pane_->Fill(*answer.text);
  }
  note_ = {"! " + Printable(answer.text.error().message, kNoteMax), WatchLevel::kBad, true};
  if (!pane_->IsFilled()) pane_.reset();
}

bool WatchActions::TakeChange() { return std::exchange(has_changed_, false); }

std::string WatchActions::Foot() const {
  if (question_) return question_->text + "? y/n";
  if (!note_.text.empty()) return note_.text;
  return under_way_.empty() ? "" : under_way_ + " …";
}

WatchLevel WatchActions::FootLevel() const {
  return question_ ? WatchLevel::kWarn : note_.text.empty() ? WatchLevel::kPlain : note_.level;
}

}  // namespace gp
