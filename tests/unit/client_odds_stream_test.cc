// Streams of questions against a server in this process.
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gtest/gtest.h>

#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::FakeServer;

using Stream = grpc::ServerReaderWriterInterface<v1::StreamOddsResponse, v1::StreamOddsRequest>;

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

void Announce(Stream& stream, std::uint32_t max_in_flight) {
  v1::StreamOddsResponse opened;
  opened.mutable_opened()->set_max_in_flight(max_in_flight);
  stream.Write(opened);
}

void AnswerOdds(Stream& stream, std::uint64_t id) {
  v1::StreamOddsResponse response;
  response.mutable_item()->set_id(id);
  response.mutable_item()->mutable_odds()->set_total_weight(static_cast<std::uint32_t>(id) * 10);
  stream.Write(response);
}

// Holds back its answers until `kCap` questions are there or the client has closed, and then
// answers the last one first: the most disorder there can be.
constexpr std::uint32_t kCap = 4;
grpc::Status AnswerBackwards(grpc::ServerContext&, Stream& stream) {
  Announce(stream, kCap);
  std::vector<std::uint64_t> held;
  v1::StreamOddsRequest request;
  bool more = true;
  while (more) {
    more = stream.Read(&request);
    if (more) held.push_back(request.id());
    EXPECT_LE(held.size(), kCap);
    if (more && held.size() < kCap) continue;
    for (; !held.empty(); held.pop_back()) AnswerOdds(stream, held.back());
  }
  return grpc::Status::OK;
}

TEST(OddsStream, OneThreadSendsAndAnotherTakes) {
  FakeServer server({.stream_odds = AnswerBackwards});
  Client client = Connect(server);
  OddsStream stream = client.StreamOdds();
  EXPECT_EQ(stream.max_in_flight(), kCap);
  constexpr std::uint64_t kQuestions = 400;
  std::thread sender([&] {
    for (std::uint64_t id = 0; id < kQuestions; ++id) EXPECT_TRUE(stream.Send(id, OddsRequest{}));
    stream.Close();
  });
  std::set<std::uint64_t> seen;
  while (const auto answer = stream.Next()) {
    ASSERT_TRUE(answer->answer);
    EXPECT_EQ(std::get<Odds>(*answer->answer).total_weight, answer->id * 10);
    seen.insert(answer->id);
  }
  sender.join();
  EXPECT_EQ(seen.size(), kQuestions);
  EXPECT_TRUE(stream.Finish());
}

TEST(OddsStream, ManyThreadsSend) {
  FakeServer server({.stream_odds = AnswerBackwards});
  Client client = Connect(server);
  std::mutex mutex;
  std::set<std::uint64_t> seen;
  OddsStream stream = client.StreamOddsAsync([&](const StreamAnswer& answer) {
    const std::lock_guard lock(mutex);
    seen.insert(answer.id);
  });
  std::vector<std::thread> senders;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    senders.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 100; ++i)
        EXPECT_TRUE(stream.Send(thread * 100 + i, OddsRequest{}));
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(stream.Finish());
  EXPECT_EQ(seen.size(), 400u);
}

TEST(OddsStream, OneThreadSendsAndTakesInTurn) {
  FakeServer server({.stream_odds = [](grpc::ServerContext&, Stream& stream) {
    Announce(stream, 2);
    v1::StreamOddsRequest request;
    while (stream.Read(&request)) AnswerOdds(stream, request.id());
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  OddsStream stream = client.StreamOdds();
  EXPECT_TRUE(*stream.TrySend(1, OddsRequest{}));
  EXPECT_TRUE(*stream.TrySend(2, OddsRequest{}));
  EXPECT_FALSE(*stream.TrySend(3, OddsRequest{}));
  EXPECT_EQ(stream.Next()->id, 1u);
  EXPECT_TRUE(*stream.TrySend(3, OddsRequest{}));
  stream.Close();
  EXPECT_EQ(stream.Next()->id, 2u);
  EXPECT_EQ(stream.Next()->id, 3u);
  EXPECT_FALSE(stream.Next());
}

TEST(OddsStream, CarriesMovesAndTimeoutsAndErrorsOfItems) {
  std::vector<std::string> seen;
  FakeServer server({.stream_odds = [&](grpc::ServerContext&, Stream& stream) {
    Announce(stream, 8);
    v1::StreamOddsRequest request;
    while (stream.Read(&request)) {
      seen.push_back(request.ShortDebugString());
      v1::StreamOddsResponse response;
      response.mutable_item()->set_id(request.id());
      if (request.has_moves()) {
        response.mutable_item()->mutable_moves()->set_baseline(1.5);
      } else if (request.id() == 2) {
        response.mutable_item()->mutable_error()->ParseFromString(
            testing::BadFields("bad", {{"position", "missing"}}).error_details());
      }
      stream.Write(response);
    }
    return grpc::Status::OK;
  }});
  Client client = Connect(server, {.timeout = milliseconds(1500)});
  OddsStream stream = client.StreamOdds();
  ASSERT_TRUE(stream.Send(1, MovesRequest{.me = "a"}));
  ASSERT_TRUE(stream.Send(2, OddsRequest{}, milliseconds(250)));
  ASSERT_TRUE(stream.Send(3, OddsRequest{}));
  const auto moves = stream.Next();
  EXPECT_EQ(std::get<Moves>(*moves->answer).baseline, 1.5);
  const auto error = stream.Next();
  EXPECT_EQ(error->id, 2u);
  EXPECT_EQ(error->answer.error().code, StatusCode::kInvalidArgument);
  EXPECT_EQ(error->answer.error().violations.at(0).field, "position");
  EXPECT_EQ(stream.Next()->answer.error().code, StatusCode::kInternal);
  EXPECT_TRUE(stream.Finish());
  EXPECT_THAT(
      seen,
      ElementsAre("id: 1 moves { position { edition: EDITION_FIRST } me: \"a\" } timeout_ms: 1500",
                  "id: 2 odds { position { edition: EDITION_FIRST } } timeout_ms: 250",
                  "id: 3 odds { position { edition: EDITION_FIRST } } timeout_ms: 1500"));
}

TEST(OddsStream, AQuestionThatCannotBeSentFailsAlone) {
  FakeServer server({.stream_odds = AnswerBackwards});
  Client client = Connect(server);
  OddsStream stream = client.StreamOdds();
  const auto bad = stream.Send(1, MovesRequest{.me = "\xff"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, StatusCode::kInvalidArgument);
  EXPECT_TRUE(stream.Send(2, OddsRequest{}));
  stream.Close();
  EXPECT_EQ(stream.Next()->id, 2u);
  EXPECT_EQ(stream.Send(3, OddsRequest{}).error().code, StatusCode::kFailedPrecondition);
  EXPECT_EQ(stream.TrySend(3, OddsRequest{}).error().code, StatusCode::kFailedPrecondition);
}

TEST(OddsStream, TheStreamsOwnErrorIsToldToEverybody) {
  FakeServer server({.stream_odds = [](grpc::ServerContext&, Stream& stream) {
    Announce(stream, 1);
    v1::StreamOddsRequest request;
    stream.Read(&request);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
  }});
  Client client = Connect(server, {.max_attempts = 1});
  OddsStream stream = client.StreamOdds();
  ASSERT_TRUE(stream.Send(1, OddsRequest{}));
  // Waits for room, which never comes.
  EXPECT_EQ(stream.Send(2, OddsRequest{}).error().message, "draining");
  EXPECT_FALSE(stream.Next());
  EXPECT_EQ(stream.Finish().error().message, "draining");
}

TEST(OddsStream, NobodyThere) {
  std::string address;
  {
    FakeServer gone(testing::FakeHandlers{});
    address = gone.address();
  }
  Client client = std::move(Client::Create({.server = address}).value());
  OddsStream stream = client.StreamOdds();
  EXPECT_EQ(stream.max_in_flight(), 0u);
  EXPECT_FALSE(stream.Send(1, OddsRequest{}));
  EXPECT_FALSE(stream.Finish().error().connected);
}

// Announces, and then waits for its caller to go.
struct Holding {
  std::atomic<bool> cancelled{false};
  FakeServer server{{.stream_odds = [this](grpc::ServerContext& context, Stream& stream) {
    Announce(stream, 2);
    testing::AwaitCancel(context);
    cancelled = true;
    return grpc::Status::CANCELLED;
  }}};
};

TEST(OddsStream, DestroyingItCancelsWhatIsUnderWay) {
  Holding holding;
  Client client = Connect(holding.server);
  {
    OddsStream stream = client.StreamOdds();
    ASSERT_TRUE(stream.Send(1, OddsRequest{}));
  }
  while (!holding.cancelled) std::this_thread::yield();
}

TEST(OddsStream, MayOutliveItsClientWhoseEndCancelsIt) {
  Holding holding;
  std::optional<OddsStream> stream;
  {
    Client client = Connect(holding.server);
    stream.emplace(client.StreamOdds());
    ASSERT_TRUE(stream->Send(1, OddsRequest{}));
  }
  EXPECT_FALSE(stream->Next());
  EXPECT_EQ(stream->Finish().error().code, StatusCode::kCancelled);
}

TEST(OddsStream, ACancellationEndsIt) {
  Holding holding;
  Client client = Connect(holding.server);
  Cancellation cancellation;
  OddsStream stream = client.StreamOdds({.cancellation = cancellation});
  ASSERT_TRUE(stream.Send(1, OddsRequest{}));
  cancellation.Cancel();
  EXPECT_FALSE(stream.Next());
  EXPECT_EQ(stream.Finish().error().code, StatusCode::kCancelled);
}

}  // namespace
}  // namespace gpusim
