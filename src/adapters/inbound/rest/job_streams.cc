#include "adapters/inbound/rest/job_streams.h"

#include "adapters/inbound/rest/event_stream.h"
#include "adapters/wire/documents/document.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr const char* kEvents = "text/event-stream";
constexpr const char* kText = "text/plain; charset=utf-8";
// A browser closes the stream on this event and does not reconnect.
constexpr const char* kEnd = "event: end\ndata: {}\n\n";
constexpr const char* kNothing = ":\n\n";

// Writes messages into a pump in the form that `write` gives them.
template <typename Message>
class PumpSink : public Sink<Message> {
 public:
  PumpSink(Pump& pump, std::string (*write)(const Message&)) : pump_(pump), write_(write) {}
  void Begin() override { pump_.Begin(); }
  bool Write(const Message& message) override { return pump_.Write(write_(message)); }
  bool IsGone() const override { return pump_.IsGone(); }

 private:
  Pump& pump_;
  std::string (*const write_)(const Message&);
};

std::string BytesOf(const v1::LogChunk& chunk) { return chunk.data(); }

std::string LogEvent(const v1::LogChunk& chunk) {
  const int64_t end = chunk.offset() + static_cast<int64_t>(chunk.data().size());
  return ToEvent(std::to_string(chunk.attempt()) + "-" + std::to_string(end), "log",
                 ToDocument(chunk));
}

std::string JobEvent(const v1::Job& job) { return ToEvent("", "job", ToDocument(job)); }

std::string VerificationEvent(const v1::VerifyImagesReply& reply) {
  return ToEvent("", "layers", ToDocument(reply));
}

// Readers send the id back in a header, which has a limit.  An empty id makes them forget the one
// before, from which they would resume and get points again that they have.
constexpr size_t kPositionMax = 4096;

std::string PointsEvent(const v1::NewMetricPoints& points) {
  if (points.series().empty()) return kNothing;
  const nlohmann::ordered_json data = ToDocument(points);
  if (points.position().size() > kPositionMax) return "id:\n" + ToEvent("", "points", data);
  return ToEvent(points.position(), "points", data);
}

Status WithEnd(Pump& pump, const Status& made) {
  if (made) IgnoreResult(pump.Write(kEnd), "a peer that has gone ends the connection");
  return made;
}

}  // namespace

Result<OpenedStream> StreamJob(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::GetJobRequest& request,
                               std::function<Status()> may_go_on) {
  auto pump = GP_TRY(pumps.Start(caller.user.name, [&api, caller, request](Pump& to) {
    PumpSink<v1::Job> sink(to, JobEvent);
    return WithEnd(to, api.WatchJob(caller, request, sink));
  }));
  return OpenedStream{
      kEvents, std::make_shared<PumpedStream>(std::move(pump), kNothing, std::move(may_go_on))};
}

Result<OpenedStream> StreamLog(Pumps& pumps, ControlApi& api, const Caller& caller,
                               const v1::ReadLogRequest& request, bool as_events,
                               std::function<Status()> may_go_on) {
  auto pump = GP_TRY(pumps.Start(caller.user.name, [&api, caller, request, as_events](Pump& to) {
    PumpSink<v1::LogChunk> sink(to, as_events ? LogEvent : BytesOf);
    const Status read = api.ReadLog(caller, request, sink);
    return as_events ? WithEnd(to, read) : read;
  }));
  return OpenedStream{as_events ? kEvents : kText,
                      std::make_shared<PumpedStream>(std::move(pump), as_events ? kNothing : "",
                                                     std::move(may_go_on))};
}

Result<OpenedStream> StreamMetrics(Pumps& pumps, ControlApi& api, const Caller& caller,
                                   const v1::WatchJobMetricsRequest& request,
                                   std::function<Status()> may_go_on) {
  auto pump = GP_TRY(pumps.Start(caller.user.name, [&api, caller, request](Pump& to) {
    PumpSink<v1::NewMetricPoints> sink(to, PointsEvent);
    return WithEnd(to, api.WatchJobMetrics(caller, request, sink));
  }));
  return OpenedStream{
      kEvents, std::make_shared<PumpedStream>(std::move(pump), kNothing, std::move(may_go_on))};
}

Result<OpenedStream> StreamVerification(Pumps& pumps, ControlApi& api, const Caller& caller,
                                        const v1::VerifyImagesRequest& request,
                                        std::function<Status()> may_go_on) {
  auto pump = GP_TRY(pumps.Start(caller.user.name, [&api, caller, request](Pump& to) {
    PumpSink<v1::VerifyImagesReply> sink(to, VerificationEvent);
    return WithEnd(to, api.VerifyImages(caller, request, sink));
  }));
  return OpenedStream{
      kEvents, std::make_shared<PumpedStream>(std::move(pump), kNothing, std::move(may_go_on))};
}

Status GoOnBehind(const std::string& id, v1::ReadLogRequest& request) {
  const size_t dash = id.find('-');
  const auto attempt = ParseCount(std::string_view(id).substr(0, dash));
  const auto offset =
      dash == std::string::npos ? attempt : ParseCount(std::string_view(id).substr(dash + 1));
  const bool is_id =
      dash != std::string::npos && attempt && offset && *attempt > 0 && *attempt <= 1'000'000;
  if (!is_id)
    return Fail(InvalidArgument("Last-Event-ID: \"" + Printable(id, 60) +
                                "\" is not the id of a part of a log, such as 1-1024"));
  request.set_attempt(static_cast<int32_t>(*attempt));
  request.set_offset(*offset);
  request.clear_since_ms();
  return Ok();
}

}  // namespace gp
