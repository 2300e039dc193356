// The client library against a server in this process.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gpusim/client_proto.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeHandlers;
using testing::FakeServer;
using ::testing::SizeIs;

constexpr auto kPatience = std::chrono::seconds(60);

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

TEST(ClientLibrary, SendsAPositionAndReadsTheOdds) {
  v1::GetOddsRequest seen;
  FakeServer server({.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest& request,
                                     v1::GetOddsResponse& response) {
    seen = request;
    response.set_total_weight(29160);
    v1::CamelOdds& camel = *response.add_camels();
    camel.set_camel(v1::CAMEL_WHITE);
    for (const std::uint32_t weight : {5u, 4u, 3u, 2u, 1u}) camel.add_rank_weight(weight);
    v1::TileLandings& landings = *response.add_landings();
    landings.set_space(6);
    landings.set_effect(v1::TILE_EFFECT_MIRAGE);
    landings.set_landing_weight(7);
    v1::PairOdds& pair = *response.add_pairs();
    pair.set_first(v1::CAMEL_BLUE);
    pair.set_second(v1::CAMEL_GREEN);
    pair.set_weight(8);
    response.set_race_ends_weight(9);
    response.mutable_provenance()->set_backend(v1::BACKEND_CUDA);
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto odds = client.GetOdds(
      {.position = Position{.edition = Edition::kSecond,
                            .stacks = {{.space = 3, .camels = {Camel::kRed, Camel::kCrazyBlack}}},
                            .tiles = {{.space = 6, .effect = TileEffect::kMirage}},
                            .dice = {Die::kGrey}},
       .outputs = {OddsOutput::kLegPairs}});
  ASSERT_TRUE(odds) << odds.error().message;
  EXPECT_EQ(odds->total_weight, 29160u);
  ASSERT_THAT(odds->camels, SizeIs(1));
  EXPECT_EQ(odds->camels[0].camel, Camel::kWhite);
  EXPECT_THAT(odds->camels[0].rank_weight, ElementsAre(5, 4, 3, 2, 1));
  ASSERT_THAT(odds->landings, SizeIs(1));
  EXPECT_EQ(odds->landings[0].effect, TileEffect::kMirage);
  ASSERT_THAT(odds->pairs, SizeIs(1));
  EXPECT_EQ(odds->pairs[0].second, Camel::kGreen);
  EXPECT_EQ(odds->race_ends_weight, 9u);
  EXPECT_EQ(odds->provenance.backend, AnsweredBy::kCuda);
  EXPECT_EQ(seen.ShortDebugString(),
            "position { edition: EDITION_SECOND stacks { space: 3 camels: CAMEL_RED camels: "
            "CAMEL_CRAZY_BLACK } tiles { space: 6 effect: TILE_EFFECT_MIRAGE } dice: DIE_GREY } "
            "outputs: OUTPUT_LEG_PAIRS");
}

// Such a request was sent, and came back as UNIMPLEMENTED without a word.
// In all four forms of a call: blocking, with a callback, with running answers, and as an item of a stream.
TEST(ClientLibrary, ThePriorityOfTheOptionsIsSent) {
  std::vector<v1::Priority> seen;
  const auto see = [&](const auto& request) { seen.push_back(request.priority()); };
  FakeServer server(
      {.get_odds =
           [&](grpc::ServerContext&, const v1::GetOddsRequest& request, v1::GetOddsResponse&) {
             see(request);
             return grpc::Status::OK;
           },
       .stream_odds =
           [&](grpc::ServerContext&, auto& stream) {
             v1::StreamOddsResponse response;
             response.mutable_opened()->set_max_in_flight(1);
             stream.Write(response);
             v1::StreamOddsRequest request;
             while (stream.Read(&request)) see(request.odds());
             return grpc::Status::OK;
           },
       .simulate =
           [&](grpc::ServerContext&, const v1::SimulateRequest& request, auto& writer) {
             see(request);
             writer.Write({});
             return grpc::Status::OK;
           },
       .step_board =
           [&](grpc::ServerContext&, const v1::StepBoardRequest& request, auto& writer) {
             see(request);
             writer.Write({});
             return grpc::Status::OK;
           }});
  Client client = Connect(server);
  const CallOptions bulk{.priority = Priority::kBulk};
  const CallOptions interactive{.priority = Priority::kInteractive};
  ASSERT_TRUE(client.GetOdds({}));
  ASSERT_TRUE(client.GetOdds({}, bulk));
  ASSERT_TRUE(client.GetOddsFuture({}, bulk).get());
  (void)client.Simulate(
      {}, [](const SimulateUpdate&) { return true; }, interactive);
  (void)client.boards().Step({.name = "b"}, nullptr, interactive);
  OddsStream stream = client.StreamOdds(bulk);
  ASSERT_TRUE(stream.Send(1, OddsRequest{}));
  (void)stream.Finish();
  EXPECT_THAT(seen,
              ElementsAre(v1::PRIORITY_UNSPECIFIED, v1::PRIORITY_BULK, v1::PRIORITY_BULK,
                          v1::PRIORITY_INTERACTIVE, v1::PRIORITY_INTERACTIVE, v1::PRIORITY_BULK));
}

TEST(ClientLibrary, TextThatIsNotUtf8IsNamedAndNotSent) {
  bool asked = false;
  FakeServer server({.step = [&](grpc::ServerContext&, const v1::StepRequest&, v1::StepResponse&) {
    asked = true;
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  for (const std::string bad :
       {"\xff", "B3/S\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    const auto step = client.Step(
        {.source = PatternFile{"\xff is fine in a file"}, .rule = bad, .generations = 1});
    ASSERT_FALSE(step) << bad;
    EXPECT_EQ(step.error().code, StatusCode::kInvalidArgument);
    ASSERT_THAT(step.error().violations, SizeIs(1));
    EXPECT_EQ(step.error().violations[0].field, "rule");
  }
  EXPECT_FALSE(asked);
  for (const std::string good : {"", "B3/S23", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\xaa"})
    EXPECT_TRUE(client.Step({.source = PatternFile{"o!"}, .rule = good, .generations = 1})) << good;
}

TEST(ClientLibrary, SendsAPatternAndReadsTheBoard) {
  v1::StepRequest seen;
  FakeServer server({.step = [&](grpc::ServerContext&, const v1::StepRequest& request,
                                 v1::StepResponse& response) {
    seen = request;
    response.set_generation(7);
    response.set_population(18446744073709551615u);
    response.set_hash("51d0362745189885");
    response.mutable_origin()->set_x(-5);
    response.set_file("bo!");
    response.add_notes("a note");
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto step = client.Step({.source = PatternFile{"o!"},
                                 .rule = "B3/S23",
                                 .topology = "torus:8x8",
                                 .at = CellOffset{-1, 2},
                                 .generations = 7,
                                 .output_format = BoardFormat::kRle});
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(step->population, 18446744073709551615u);
  EXPECT_EQ(step->origin.x, -5);
  EXPECT_EQ(std::get<PatternFile>(step->board).bytes, "bo!");
  EXPECT_THAT(step->notes, ElementsAre("a note"));
  EXPECT_EQ(seen.ShortDebugString(),
            "pattern: \"o!\" rule: \"B3/S23\" topology: \"torus:8x8\" at { x: -1 y: 2 } "
            "generations: 7 output_format: OUTPUT_FORMAT_RLE");
}

TEST(ClientLibrary, AsksTheServerAboutItself) {
  FakeServer server(
      {.get_info =
           [](grpc::ServerContext&, const v1::GetInfoRequest&, v1::GetInfoResponse& response) {
             response.set_version("1.2.3");
             response.set_uptime_ms(1500);
             response.add_limits()->set_flag("max-queued-calls");
             response.add_devices()->set_threads(16);
             return grpc::Status::OK;
           },
       .get_statistics =
           [](grpc::ServerContext&, const v1::GetStatisticsRequest&,
              v1::GetStatisticsResponse& response) {
             response.add_kinds()->set_queue_ns(42);
             return grpc::Status::OK;
           }});
  Client client = Connect(server);
  const auto info = client.GetInfo();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->version, "1.2.3");
  EXPECT_EQ(info->uptime, milliseconds(1500));
  EXPECT_EQ(info->limits.at(0).flag, "max-queued-calls");
  EXPECT_EQ(info->devices.at(0).threads, 16u);
  EXPECT_EQ(client.GetStatistics()->kinds.at(0).queue, std::chrono::nanoseconds(42));
  EXPECT_TRUE(client.Ping());
}

TEST(ClientLibrary, BadFieldsComeBackAsViolations) {
  FakeServer server(
      {.get_odds = [](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse&) {
        return testing::BadFields("bad", {{"position.stacks", "'': no camel stands"}});
      }});
  Client client = Connect(server);
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(odds.error().violations,
              ElementsAre(FieldViolation{"position.stacks", "'': no camel stands"}));
}

// A server that fails `failures` times before it answers.
struct Flaky {
  explicit Flaky(int failures, const grpc::Status& status)
      : server(
            {.get_odds = [this, failures, status](grpc::ServerContext&, const v1::GetOddsRequest&,
                                                  v1::GetOddsResponse& response) {
              response.set_total_weight(1);
              return calls++ < failures ? status : grpc::Status::OK;
            }}) {}
  std::atomic<int> calls{0};
  FakeServer server;
};

const grpc::Status kUnavailable(grpc::StatusCode::UNAVAILABLE, "draining");

TEST(ClientLibrary, RepeatsUnavailable) {
  Flaky flaky(2, kUnavailable);
  Client client = Connect(flaky.server);
  EXPECT_TRUE(client.GetOdds({}));
  EXPECT_EQ(flaky.calls, 3);
}

TEST(ClientLibrary, GivesUpOnUnavailableAfterTheAttemptsAllowed) {
  Flaky flaky(100, kUnavailable);
  Client client = Connect(flaky.server, {.max_attempts = 2});
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kUnavailable);
  EXPECT_EQ(odds.error().message, "draining");
  EXPECT_TRUE(odds.error().connected);
  EXPECT_EQ(flaky.calls, 2);
}

TEST(ClientLibrary, OneAttemptIsOneAttempt) {
  Flaky flaky(100, kUnavailable);
  Client client = Connect(flaky.server, {.max_attempts = 1});
  EXPECT_FALSE(client.GetOdds({}));
  EXPECT_EQ(flaky.calls, 1);
}

TEST(ClientLibrary, RepeatsNothingElse) {
  Flaky flaky(100, {grpc::StatusCode::INTERNAL, "oh"});
  Client client = Connect(flaky.server);
  EXPECT_FALSE(client.GetOdds({}));
  EXPECT_EQ(flaky.calls, 1);
}

TEST(ClientLibrary, WaitsOutAFullQueue) {
  Flaky flaky(3, testing::QueueFull(milliseconds(5)));
  Client client = Connect(flaky.server);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(client.GetOdds({}));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(15));
  EXPECT_EQ(flaky.calls, 4);
}

TEST(ClientLibrary, WaitsOutAFullQueueAsynchronously) {
  Flaky flaky(3, testing::QueueFull(milliseconds(5)));
  Client client = Connect(flaky.server);
  auto odds = client.GetOddsFuture({});
  ASSERT_EQ(odds.wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(odds.get());
  EXPECT_EQ(flaky.calls, 4);
}

TEST(ClientLibrary, AFullQueueIsToldAtOnceWhenTheCallerWantsThat) {
  Flaky flaky(100, testing::QueueFull(milliseconds(5)));
  Client client = Connect(flaky.server, {.wait_as_told = false});
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().retry_after, milliseconds(5));
  EXPECT_EQ(flaky.calls, 1);
}

TEST(ClientLibrary, AFullQueueIsToldAtOnceWhenTheWaitPassesTheDeadline) {
  Flaky flaky(100, testing::QueueFull(seconds(40)));
  Client client = Connect(flaky.server);
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kResourceExhausted);
  EXPECT_EQ(flaky.calls, 1);
}

// Holds every call until its caller goes, and counts.
struct Holding {
  std::atomic<int> arrived{0};
  std::atomic<int> cancelled{0};
  FakeServer server{{.get_odds = [this](grpc::ServerContext& context, const v1::GetOddsRequest&,
                                        v1::GetOddsResponse&) {
    ++arrived;
    testing::AwaitCancel(context);
    ++cancelled;
    return grpc::Status::CANCELLED;
  }}};

  void AwaitArrived(int count) const {
    while (arrived < count) std::this_thread::yield();
  }
};

TEST(ClientLibrary, TheDeadlineEndsACall) {
  Holding holding;
  Client client = Connect(holding.server, {.timeout = milliseconds(50)});
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(odds.error().message, "no answer from " + holding.server.address() + " within 50ms");
}

TEST(ClientLibrary, ACallMayHaveItsOwnDeadline) {
  Holding holding;
  Client client = Connect(holding.server);
  const auto odds = client.GetOdds({}, {.timeout = milliseconds(50)});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kDeadlineExceeded);
}

TEST(ClientLibrary, CancellationEndsABlockingCallOnTheServerToo) {
  Holding holding;
  Client client = Connect(holding.server);
  Cancellation cancellation;
  std::thread canceller([&] {
    holding.AwaitArrived(1);
    cancellation.Cancel();
  });
  const auto odds = client.GetOdds({}, {.cancellation = cancellation});
  canceller.join();
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kCancelled);
  while (holding.cancelled < 1) std::this_thread::yield();
}

TEST(ClientLibrary, CancellationEndsTheWaitForAFullQueue) {
  Flaky flaky(100, testing::QueueFull(seconds(20)));
  Client client = Connect(flaky.server);
  for (const bool async : {false, true}) {
    flaky.calls = 0;
    Cancellation cancellation;
    std::thread canceller([&] {
      while (flaky.calls < 1) std::this_thread::yield();
      cancellation.Cancel();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto odds = async ? client.GetOddsFuture({}, {.cancellation = cancellation}).get()
                            : client.GetOdds({}, {.cancellation = cancellation});
    canceller.join();
    ASSERT_FALSE(odds);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(15));
  }
}

TEST(ClientLibrary, ACancelledCancellationEndsCallsAtOnce) {
  Holding holding;
  Client client = Connect(holding.server);
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(client.GetOdds({}, {.cancellation = cancellation}).error().code,
            StatusCode::kCancelled);
  EXPECT_EQ(client.GetOddsFuture({}, {.cancellation = cancellation}).get().error().code,
            StatusCode::kCancelled);
}

TEST(ClientLibrary, ManyCallsAreUnderWayAtOnce) {
  FakeServer server({.get_odds = [](grpc::ServerContext&, const v1::GetOddsRequest& request,
                                    v1::GetOddsResponse& response) {
    response.set_total_weight(
        static_cast<std::uint32_t>(std::stoul(request.position().text().stacks())));
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  constexpr std::uint32_t kCalls = 500;
  std::vector<std::future<Result<Odds>>> answers;
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    answers.push_back(
        client.GetOddsFuture({.position = PositionText{.stacks = std::to_string(i)}}));
  }
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    ASSERT_EQ(answers[i].wait_for(kPatience), std::future_status::ready);
    const auto odds = answers[i].get();
    ASSERT_TRUE(odds) << odds.error().message;
    EXPECT_EQ(odds->total_weight, i);
  }
}

TEST(ClientLibrary, ThreadsShareAClient) {
  FakeServer server(FakeHandlers{});
  Client client = Connect(server);
  std::atomic<int> answered{0};
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 50; ++call) answered += client.Ping() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 400);
}

TEST(ClientLibrary, DestroyingAClientCancelsAndAwaitsItsCalls) {
  Holding holding;
  std::atomic<int> ended{0};
  {
    Client client = Connect(holding.server);
    for (int i = 0; i < 4; ++i) {
      client.GetOddsAsync({}, [&](Result<Odds> odds) {
        EXPECT_EQ(odds.error().code, StatusCode::kCancelled);
        ++ended;
      });
    }
    holding.AwaitArrived(1);
  }
  EXPECT_EQ(ended, 4);
}

TEST(ClientLibrary, NobodyThere) {
  std::string address;
  {
    FakeServer gone(FakeHandlers{});
    address = gone.address();
  }
  Client client = std::move(Client::Create({.server = address}).value());
  for (const bool async : {false, true}) {
    const auto odds = async ? client.GetOddsFuture({}).get() : client.GetOdds({});
    ASSERT_FALSE(odds);
    EXPECT_EQ(odds.error().code, StatusCode::kUnavailable);
    EXPECT_FALSE(odds.error().connected);
    EXPECT_EQ(odds.error().message, "no server answers at " + address + ": connection refused");
  }
}

TEST(ClientLibrary, UnixSockets) {
  const std::string path =
      ::testing::TempDir() + "gpusim_client_" + std::to_string(getpid()) + ".sock";
  {
    FakeServer server(FakeHandlers{}, "unix:" + path);
    Client client = Connect(server);
    EXPECT_TRUE(client.Ping());
  }
  unlink(path.c_str());
  Client client = std::move(Client::Create({.server = "unix:" + path}).value());
  EXPECT_EQ(client.Ping().error().message,
            "no server answers at unix:" + path + ": no such file or directory");
}

TEST(ClientLibrary, BadOptionsAreNamed) {
  const auto client =
      Client::Create({.server = "nowhere", .timeout = seconds(0), .max_attempts = 9});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(
      client.error().violations,
      ElementsAre(FieldViolation{"server", "'nowhere': it has to be HOST:PORT or unix:PATH"},
                  FieldViolation{"timeout", "0s: it has to be positive"},
                  FieldViolation{"max_attempts", "9: 1 to 5"}));
}

TEST(ClientLibrary, TheEnvironmentNamesTheServer) {
  FakeServer server(FakeHandlers{});
  setenv("GPUSIM_SERVER", server.address().c_str(), 1);
  Client client = std::move(Client::Create().value());
  unsetenv("GPUSIM_SERVER");
  EXPECT_EQ(client.proto().server(), server.address());
  EXPECT_TRUE(client.Ping());
}

// gRPC's own default would refuse more than 4 MiB.
TEST(ClientLibrary, TakesLargeReplies) {
  FakeServer server(
      {.step = [](grpc::ServerContext&, const v1::StepRequest&, v1::StepResponse& response) {
        response.set_file(std::string(8 << 20, 'x'));
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  const auto step = client.Step({});
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(std::get<PatternFile>(step->board).bytes.size(), std::size_t{8} << 20);
  Client small = Connect(server, {.max_reply_bytes = 1 << 20});
  EXPECT_EQ(small.Step({}).error().code, StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace gpusim
