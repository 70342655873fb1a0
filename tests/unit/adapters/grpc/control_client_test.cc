// Which failure of a call moves a client on to the next controller, and which is its answer.

#include "adapters/outbound/grpc/control_client.h"

#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <mutex>

#include "adapters/inbound/grpc/status.h"
#include "files/descriptor.h"
#include "lib/tls/authority.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using WhenKilled = ControlClient::WhenKilled;

// How a call ends; empty: well.
using End = std::function<grpc::Status(grpc::ServerContext&)>;

// A controller that answers by its script: one end after the other and then well.
class ScriptedController : public v1::Control::Service {
 public:
  explicit ScriptedController(std::vector<End> ends = {}) : ends_(std::move(ends)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedController() override { server_->Shutdown(); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // The ids of the calls so far; "" for one without.
  std::vector<std::string> ids() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }

  bool answers_too_much = false;  // set before the first call

  grpc::Status ListQueues(grpc::ServerContext* context, const v1::ListQueuesRequest*,
                          v1::ListQueuesReply* reply) override {
    if (answers_too_much) reply->add_queues()->set_name(std::string(size_t{65} << 20, 'q'));
    return Take(*context);
  }
  grpc::Status SetQueue(grpc::ServerContext* context, const v1::SetQueueRequest*,
                        v1::Queue*) override {
    return Take(*context);
  }
  grpc::Status SubmitJobs(grpc::ServerContext* context, const v1::SubmitJobsRequest* request,
                          v1::SubmitJobsReply*) override {
    return Take(*context, request->request_id());
  }
  grpc::Status WatchJob(grpc::ServerContext* context, const v1::GetJobRequest*,
                        grpc::ServerWriter<v1::Job>* writer) override {
    writer->Write(v1::Job());
    return Take(*context);
  }

 private:
  grpc::Status Take(grpc::ServerContext& context, const std::string& inside = "") {
    const auto& metadata = context.client_metadata();
    const auto id = metadata.find("idempotency-key");
    const std::lock_guard lock(mutex_);
    ids_.push_back(id == metadata.end() ? inside
                                        : std::string(id->second.data(), id->second.size()));
    return ids_.size() <= ends_.size() ? ends_[ids_.size() - 1](context) : grpc::Status::OK;
  }

  const std::vector<End> ends_;
  mutable std::mutex mutex_;
  std::vector<std::string> ids_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// It took the call, and the caller learns nothing of it: the connection ends.
grpc::Status Vanish(grpc::ServerContext& context) {
  context.TryCancel();
  return grpc::Status::CANCELLED;
}

End Answer(ErrorCode code) {
  return [code](grpc::ServerContext&) { return ToGrpc(Error{code, "so it is"}); };
}

// A port where connections are accepted by the kernel alone, or refused.
class DeadPort {
 public:
  enum class How { kRefuses, kIsSilent };
  explicit DeadPort(How how) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
    if (how == How::kIsSilent) {
      EXPECT_EQ(listen(socket_.get(), 8), 0);
    }
    EXPECT_EQ(getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
    port_ = ntohs(place.sin_port);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const Descriptor socket_;  // nobody else gets the port
  int port_ = 0;
};

std::unique_ptr<ControlClient> ClientOf(std::vector<std::string> addresses,
                                        WhenKilled when_killed = WhenKilled::kWait) {
  return ControlClient::OpenRemote(std::make_shared<ControllerAddresses>(std::move(addresses)),
                                   "gpp_secret", "", when_killed);
}

Result<v1::ListQueuesReply> Read(ControlClient& client) {
  return client.Call<v1::ListQueuesReply>("ListQueues", v1::ListQueuesRequest());
}

Result<v1::Queue> Change(ControlClient& client) {
  return client.Call<v1::Queue>("SetQueue", v1::SetQueueRequest());
}

TEST(ControlClient, GoesOnWhereNobodyListensOrSpeaks) {
  const DeadPort refuses(DeadPort::How::kRefuses);
  const DeadPort is_silent(DeadPort::How::kIsSilent);
  const ScriptedController controller;
  const auto client = ClientOf({refuses.address(), is_silent.address(), controller.address()});
  EXPECT_TRUE(Read(*client).has_value());
  EXPECT_TRUE(Change(*client).has_value());
  EXPECT_THAT(controller.ids(), SizeIs(2));
}

TEST(ControlClient, AReadThatWasLostIsAskedOfTheNext) {
  const ScriptedController first({Vanish});
  const ScriptedController second;
  const auto client = ClientOf({first.address(), second.address()});
  EXPECT_TRUE(Read(*client).has_value());
  EXPECT_TRUE(Read(*client).has_value());
  EXPECT_THAT(first.ids(), ElementsAre("")) << "a read needs no id";
  EXPECT_THAT(second.ids(), ElementsAre("", "")) << "and stays where somebody answered";
}

TEST(ControlClient, AChangeKeepsItsIdAtTheNext) {
  const ScriptedController first({Vanish, Vanish});
  const ScriptedController second({Vanish});
  const auto client = ClientOf({first.address(), second.address()});
  EXPECT_TRUE(Change(*client).has_value());
  ASSERT_THAT(first.ids(), SizeIs(2));
  ASSERT_THAT(second.ids(), SizeIs(2));
  EXPECT_FALSE(first.ids().front().empty());
  for (const auto& ids : {first.ids(), second.ids()})
    EXPECT_THAT(ids, ::testing::Each(first.ids().front()));
  EXPECT_TRUE(Change(*client).has_value());
  EXPECT_NE(second.ids().back(), first.ids().front()) << "the next change has its own";
}

TEST(ControlClient, TheIdOfTheUserIsKept) {
  const ScriptedController first({Vanish});
  const ScriptedController second;
  const auto client = ClientOf({first.address(), second.address()});
  v1::SubmitJobsRequest request;
  request.set_request_id("night-17");
  EXPECT_TRUE(client->Call<v1::SubmitJobsReply>("SubmitJobs", request).has_value());
  EXPECT_THAT(first.ids(), ElementsAre("night-17"));
  EXPECT_THAT(second.ids(), ElementsAre("night-17"));
}

TEST(ControlClient, AnAnswerIsNotAskedForAgain) {
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kNotFound, ErrorCode::kPermissionDenied,
        ErrorCode::kUnauthenticated, ErrorCode::kConflict, ErrorCode::kResourceExhausted,
        ErrorCode::kUnsupported, ErrorCode::kInternal, ErrorCode::kDeadlineExceeded}) {
    const ScriptedController first({Answer(code)});
    const ScriptedController second;
    const auto client = ClientOf({first.address(), second.address()});
    const auto answered = Change(*client);
    ASSERT_FALSE(answered.has_value());
    EXPECT_EQ(answered.error(), (Error{code, "so it is"}));
    EXPECT_THAT(first.ids(), SizeIs(1));
    EXPECT_THAT(second.ids(), IsEmpty());
  }
}

TEST(ControlClient, AControllerThatStopsOrIsBusyIsLeft) {
  const ScriptedController first({Answer(ErrorCode::kUnavailable)});
  const ScriptedController second;
  const auto client = ClientOf({first.address(), second.address()});
  EXPECT_TRUE(Change(*client).has_value());
  EXPECT_EQ(first.ids(), second.ids());
}

TEST(ControlClient, SaysWhereNobodyAnswered) {
  const DeadPort one(DeadPort::How::kRefuses);
  const DeadPort other(DeadPort::How::kRefuses);
  const auto client = ClientOf({one.address(), other.address()}, WhenKilled::kFail);
  const auto answered = Read(*client);
  ASSERT_FALSE(answered.has_value());
  EXPECT_EQ(answered.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answered.error().message, HasSubstr("no controller answers at any of " +
                                                  one.address() + ", " + other.address()));
}

// A controller with encryption, whose authority is its own.
class SealedController {
 public:
  SealedController() {
    const Instant now{
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()};
    const Authority authority = Authority::From(Authority::Make(now).value()).value();
    certificate_ = authority.certificate();
    fingerprint_ = authority.fingerprint();
    const Identity own = authority.ForController({"127.0.0.1"}, now).value();
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({own.key, own.certificate});
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~SealedController() { server_->Shutdown(); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  const std::string& certificate() const { return certificate_; }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  v1::Control::Service service_;
  std::string certificate_;
  std::string fingerprint_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(ControlClient, SaysWhereAnotherAuthorityVouches) {
  const SealedController ours;
  const SealedController theirs;
  const DeadPort refuses(DeadPort::How::kRefuses);
  const auto fault_at = [&](const std::vector<std::string>& addresses, WhenKilled when_killed) {
    const auto client = ControlClient::OpenRemote(std::make_shared<ControllerAddresses>(addresses),
                                                  "gpp_secret", ours.certificate(), when_killed);
    return Read(*client).error();
  };
  for (const auto& addresses :
       {std::vector{theirs.address()}, std::vector{theirs.address(), theirs.address()}}) {
    const Error all = fault_at(addresses, WhenKilled::kWait);
    EXPECT_EQ(all.code, ErrorCode::kPermissionDenied) << "nobody waits for that";
    EXPECT_THAT(all.message, HasSubstr(theirs.address() +
                                       ": another authority vouches for it than "
                                       "sha256:" +
                                       ours.fingerprint()));
  }
  const Error some = fault_at({refuses.address(), theirs.address()}, WhenKilled::kFail);
  EXPECT_EQ(some.code, ErrorCode::kUnavailable) << "the other one may take over";
  EXPECT_THAT(some.message, HasSubstr(refuses.address() + ": no TLS"));
  EXPECT_THAT(some.message, HasSubstr(theirs.address() + ": another authority"));
}

// As long as one is reached, the others need no words.
TEST(ControlClient, AnotherAuthorityIsLeftForTheRightOne) {
  const SealedController ours;
  const SealedController theirs;
  const auto client =
      ControlClient::OpenRemote(std::make_shared<ControllerAddresses>(
                                    std::vector<std::string>{theirs.address(), ours.address()}),
                                "gpp_secret", ours.certificate());
  grpc::ClientContext context;
  EXPECT_TRUE(client->Streams(context).has_value());
}

TEST(ControlClient, AnAnswerThatIsTooLargeNamesTheWayOut) {
  ScriptedController controller;
  controller.answers_too_much = true;
  const auto client = ClientOf({controller.address()});
  const auto answered = Read(*client);
  ASSERT_FALSE(answered.has_value());
  EXPECT_EQ(answered.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(answered.error().message, HasSubstr("smaller --limit"));
  EXPECT_THAT(controller.ids(), SizeIs(1)) << "a repeat is as large";
}

TEST(ControlClient, OneThatWasNeverThereIsNotWaitedFor) {
  const DeadPort port(DeadPort::How::kRefuses);
  const auto client = ClientOf({port.address()});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(Read(*client).error().code, ErrorCode::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4)) << "the patience";
}

TEST(ControlClient, OneIsAskedAgainOverAnotherConnection) {
  const ScriptedController only({Vanish, Answer(ErrorCode::kUnavailable)});
  const auto client = ClientOf({only.address()});
  EXPECT_TRUE(Change(*client).has_value());
  ASSERT_THAT(only.ids(), SizeIs(3));
  EXPECT_THAT(only.ids(), ::testing::Each(only.ids().front()));
}

TEST(ControlClient, AStreamBeginsWhereSomebodyAnswers) {
  const DeadPort refuses(DeadPort::How::kRefuses);
  const ScriptedController controller({Vanish, Answer(ErrorCode::kConflict)});
  const auto client = ClientOf({refuses.address(), controller.address()});
  for (const bool is_lost : {true, false}) {
    grpc::ClientContext context;
    const auto stub = client->Streams(context);
    ASSERT_TRUE(stub.has_value());
    const auto reader = (*stub)->WatchJob(&context, v1::GetJobRequest());
    v1::Job job;
    while (reader->Read(&job)) {
    }
    const grpc::Status end = reader->Finish();
    EXPECT_EQ(client->MayGoOn(end), is_lost) << end.error_message();
    EXPECT_EQ(ControlClient::ErrorOf(end).code,
              is_lost ? ErrorCode::kUnavailable : ErrorCode::kConflict);
  }
}

// One that is not connected has not carried anything out.
TEST(ControlClient, AStreamOfOneThatIsNotThereFailsBeforeItBegins) {
  const DeadPort one(DeadPort::How::kRefuses);
  const auto client = ClientOf({one.address()});
  grpc::ClientContext context;
  const auto stub = client->Streams(context);
  ASSERT_FALSE(stub.has_value());
  EXPECT_THAT(stub.error().message, HasSubstr("no controller answers at " + one.address()));
}

TEST(ControlClient, AStreamOfNobodyFails) {
  const DeadPort one(DeadPort::How::kRefuses);
  const DeadPort other(DeadPort::How::kRefuses);
  const auto client = ClientOf({one.address(), other.address()}, WhenKilled::kFail);
  grpc::ClientContext context;
  EXPECT_THAT(client->Streams(context).error().message, HasSubstr("no controller answers"));
}

}  // namespace
}  // namespace gp
