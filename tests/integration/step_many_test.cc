// StepMany through a running server: every board as Step alone answers it, uniform boards as mixed ones, limits, and ends
// before the end.
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "tests/integration/life_request.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

grpc::Status StepMany(InProcessServer& server, const v1::StepManyRequest& request,
                      v1::StepManyResponse& response) {
  grpc::ClientContext context;
  return server.life().StepMany(&context, request, &response);
}

v1::StepManyResponse StepManyWell(InProcessServer& server, const v1::StepManyRequest& request) {
  v1::StepManyResponse response;
  const grpc::Status status = StepMany(server, request, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

std::vector<std::string> StepManyBadly(InProcessServer& server,
                                       const v1::StepManyRequest& request) {
  v1::StepManyResponse response;
  const grpc::Status status = StepMany(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  return ViolationsOf(status);
}

// What the violations of an item's error say, as ViolationsOf those of a call's.
std::vector<std::string> ViolationsOfItem(const google::rpc::Status& error) {
  EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
  return ViolationsOf(
      grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, error.message(), error.SerializeAsString()));
}

void AddWishes(std::mt19937_64& random, v1::StepRequest& request) {
  constexpr v1::OutputFormat kFormats[] = {v1::OUTPUT_FORMAT_UNSPECIFIED, v1::OUTPUT_FORMAT_PACKED,
                                           v1::OUTPUT_FORMAT_RLE, v1::OUTPUT_FORMAT_CELLS,
                                           v1::OUTPUT_FORMAT_LIFE105};
  request.set_output_format(kFormats[random() % 5]);
  request.set_generations(random() % 200);
  if (random() % 3 == 0) request.set_facts_every(1 + random() % 40);
  for (const v1::Fact fact :
       {v1::FACT_CHANGES, v1::FACT_BOX, v1::FACT_DIGEST, v1::FACT_SHAPE_DIGEST, v1::FACT_HASH})
    if (random() % 3 == 0) request.add_facts(fact);
  if (random() % 4 == 0) request.mutable_until()->set_still(true);
  if (random() % 4 == 0) request.mutable_until()->set_period_at_most(40);
  if (random() % 4 == 0) request.mutable_until()->set_population_at_most(20);
}

v1::StepRequest RandomRequest(std::mt19937_64& random) {
  v1::StepRequest request;
  const auto width = static_cast<std::uint32_t>(1 + random() % 150);
  const auto height = static_cast<std::uint32_t>(1 + random() % 40);
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  switch (random() % 3) {
    case 0:
      *request.mutable_packed() = Packed(RandomBoard(width, height, 0.4, random));
      break;
    case 1:
      request.mutable_random()->set_seed(random());
      request.mutable_random()->set_density(0.3);
      request.set_topology("torus:" + size);
      break;
    default:
      request.set_pattern(random() % 2 == 0 ? kGlider : "b2o$2o$bo!");
      break;
  }
  if (random() % 3 == 0 && !request.has_random()) request.set_topology("plane:200x200");
  if (random() % 3 == 0) request.set_rule("B36/S23");
  AddWishes(random, request);
  return request;
}

TEST(StepManyTest, EveryBoardAnswersAsItDoesAlone) {
  InProcessServer server;
  std::mt19937_64 random(21);
  v1::StepManyRequest request;
  for (int i = 0; i < 150; ++i) *request.add_boards() = RandomRequest(random);
  const v1::StepManyResponse response = StepManyWell(server, request);
  EXPECT_EQ(server.Statistics("life").requests(), 1u);
  EXPECT_EQ(response.provenance().backend(), server.info().backend());
  ASSERT_EQ(response.results_size(), request.boards_size());
  for (int i = 0; i < request.boards_size(); ++i) {
    v1::StepResponse alone = StepWell(server, request.boards(i));
    alone.clear_provenance();
    EXPECT_EQ(response.results(i).step().SerializeAsString(), alone.SerializeAsString())
        << request.boards(i).ShortDebugString();
  }
}

TEST(StepManyTest, TheTruths) {
  InProcessServer server;
  v1::StepManyRequest request;
  std::vector<LifeTruth::At> expected;
  for (const LifeTruth& truth : LoadLifeTruths()) {
    for (const LifeTruth::At& at : truth.generations) {
      v1::StepRequest& board = *request.add_boards();
      *board.mutable_packed() = Packed(truth.start);
      board.set_rule(truth.rule);
      board.set_generations(at.generation);
      expected.push_back(at);
    }
  }
  const v1::StepManyResponse response = StepManyWell(server, request);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const v1::StepResponse& step = response.results(static_cast<int>(i)).step();
    EXPECT_EQ(step.population(), expected[i].population);
    EXPECT_EQ(step.hash(), expected[i].hash);
    EXPECT_EQ(step.board_case(), v1::StepResponse::BOARD_NOT_SET);
  }
}

TEST(StepManyTest, ABadBoardFailsAlone) {
  InProcessServer server;
  v1::StepManyRequest request;
  for (int i = 0; i < 5; ++i) *request.add_boards() = PatternRequest(kGlider, "torus:9x9", 36);
  request.mutable_boards(1)->clear_source();
  request.mutable_boards(3)->set_pattern("bo$2x%!");
  request.mutable_boards(3)->set_rule("B9/S");
  const v1::StepManyResponse response = StepManyWell(server, request);
  EXPECT_THAT(ViolationsOfItem(response.results(1).error()),
              ElementsAre(HasSubstr("boards[1].source: ")));
  EXPECT_THAT(ViolationsOfItem(response.results(3).error()),
              ElementsAre(HasSubstr("boards[3].pattern: "), HasSubstr("boards[3].rule: '9'")));
  for (const int good : {0, 2, 4}) EXPECT_EQ(response.results(good).step().population(), 5u);

  // Bad ones alone need no device.
  request.mutable_boards()->DeleteSubrange(2, 3);
  request.mutable_boards()->DeleteSubrange(0, 1);
  EXPECT_TRUE(StepManyWell(server, request).results(0).has_error());
  EXPECT_EQ(server.Statistics("life").requests(), 1u);
}

template <class T>
T Entry(const std::string& column, std::size_t i) {
  T entry{};
  EXPECT_LE((i + 1) * sizeof(T), column.size());
  if ((i + 1) * sizeof(T) <= column.size())
    std::memcpy(&entry, column.data() + i * sizeof(T), sizeof(T));
  return entry;
}

std::string HexText(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

v1::StepManyRequest UniformRequest(std::uint32_t count, const std::string& topology) {
  v1::StepManyRequest request;
  v1::UniformBoards& uniform = *request.mutable_uniform();
  uniform.set_count(count);
  uniform.set_topology(topology);
  uniform.mutable_random()->set_seed(900);
  uniform.mutable_random()->set_density(0.35);
  uniform.set_generations(150);
  return request;
}

void ExpectUniformAsMixed(const v1::UniformResults& uniform, const v1::StepManyResponse& mixed) {
  const auto count = static_cast<std::size_t>(mixed.results_size());
  const std::size_t row_bytes = uniform.rows().size() / count;
  for (std::size_t k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    const v1::StepResponse& step = mixed.results(static_cast<int>(k)).step();
    EXPECT_EQ(Entry<std::uint64_t>(uniform.generation(), k), step.generation());
    EXPECT_EQ(Entry<std::uint64_t>(uniform.population(), k), step.population());
    EXPECT_EQ(Entry<std::uint8_t>(uniform.stop_reason(), k), step.stop_reason());
    EXPECT_EQ(Entry<std::uint32_t>(uniform.period(), k), step.period());
    EXPECT_EQ(Entry<std::uint64_t>(uniform.births(), k), step.facts().births());
    EXPECT_EQ(Entry<std::uint64_t>(uniform.deaths(), k), step.facts().deaths());
    EXPECT_EQ(HexText(Entry<std::uint64_t>(uniform.digest(), k)), step.facts().digest());
    EXPECT_EQ(HexText(Entry<std::uint64_t>(uniform.shape_digest(), k)),
              step.facts().shape_digest());
    EXPECT_EQ(HexText(Entry<std::uint64_t>(uniform.hash(), k)), step.hash());
    const v1::Region& box = step.facts().box();
    const std::uint32_t sides[] = {box.x(), box.y(), box.width(), box.height()};
    for (std::size_t side = 0; side < 4; ++side)
      EXPECT_EQ(Entry<std::uint32_t>(uniform.box(), side * count + k), sides[side]);
    EXPECT_EQ(uniform.rows().substr(k * row_bytes, row_bytes), step.packed().rows());
  }
}

TEST(StepManyTest, UniformBoardsAnswerAsMixedOnes) {
  InProcessServer server;
  constexpr std::uint32_t kCount = 70;
  std::mt19937_64 random(8);
  for (const bool rows : {false, true}) {
    v1::StepManyRequest request = UniformRequest(kCount, "torus:21x17");
    v1::UniformBoards& uniform = *request.mutable_uniform();
    uniform.set_rule("B36/S23");
    uniform.set_return_rows(true);
    uniform.mutable_until()->set_period_at_most(12);
    v1::StepManyRequest mixed;
    std::string all_rows;
    for (std::uint32_t k = 0; k < kCount; ++k) {
      v1::StepRequest& board = *mixed.add_boards();
      if (rows) {
        *board.mutable_packed() = Packed(RandomBoard(21, 17, 0.4, random));
        all_rows += board.packed().rows();
      } else {
        *board.mutable_random() = uniform.random();
        board.mutable_random()->set_seed(900 + k);
      }
      board.set_topology("torus:21x17");
      board.set_rule("B36/S23");
      board.set_generations(150);
      board.mutable_until()->set_period_at_most(12);
      board.set_output_format(v1::OUTPUT_FORMAT_PACKED);
    }
    for (const v1::Fact fact :
         {v1::FACT_CHANGES, v1::FACT_BOX, v1::FACT_DIGEST, v1::FACT_SHAPE_DIGEST, v1::FACT_HASH}) {
      uniform.add_facts(fact);
      for (v1::StepRequest& board : *mixed.mutable_boards()) board.add_facts(fact);
    }
    if (rows) uniform.set_rows(all_rows);
    ExpectUniformAsMixed(StepManyWell(server, request).uniform(), StepManyWell(server, mixed));
  }
}

TEST(StepManyTest, UniformBoardsGiveTheColumnsThatAreAskedFor) {
  InProcessServer server;
  v1::StepManyRequest request = UniformRequest(1000, "plane:8x8");
  *request.add_boards() = PatternRequest(kGlider, "torus:9x9", 4);
  const v1::StepManyResponse response = StepManyWell(server, request);
  EXPECT_EQ(response.results(0).step().population(), 5u);
  EXPECT_EQ(response.uniform().population().size(), 8000u);
  EXPECT_EQ(response.uniform().stop_reason().size(), 1000u);
  for (const std::string* column :
       {&response.uniform().births(), &response.uniform().box(), &response.uniform().digest(),
        &response.uniform().hash(), &response.uniform().rows()})
    EXPECT_THAT(*column, IsEmpty());
}

TEST(StepManyTest, LimitsNameFieldValueAndLimit) {
  server::ServerOptions options = TestOptions();
  options.max_call_cells = 64 * 100;
  InProcessServer server(options);
  v1::StepManyRequest request;
  EXPECT_THAT(StepManyBadly(server, request), ElementsAre(HasSubstr("boards: '0 boards': 1 to")));
  for (int i = 0; i < 65'537; ++i) request.add_boards();
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("boards: '65537 boards': 1 to 65536")));

  request.clear_boards();
  for (int i = 0; i < 11; ++i) *request.add_boards() = PatternRequest(kGlider, "torus:9x10", 1);
  EXPECT_THAT(
      StepManyBadly(server, request),
      ElementsAre(HasSubstr("boards: '11 boards': 7040 cells with rows padded to 64; all "
                            "boards of a call together have at most max-call-cells, 6400")));
  request.mutable_boards()->RemoveLast();
  EXPECT_EQ(StepManyWell(server, request).results_size(), 10);

  request = UniformRequest(11, "torus:9x10");
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("uniform.count: '11': 7040 cells")));
  request = UniformRequest(65'537, "torus:1x1");
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("uniform.count: '65537': 1 to 65536")));
  request = UniformRequest(1, "torus:4294967295x4294967295");
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("uniform.topology: '4294967295x4294967295'")));
}

TEST(StepManyTest, BadUniformBoardsFailTheCall) {
  InProcessServer server;
  v1::StepManyRequest request = UniformRequest(0, "plane:auto");
  request.mutable_uniform()->set_rule("B9/S");
  request.mutable_uniform()->mutable_random()->set_density(2);
  EXPECT_THAT(
      StepManyBadly(server, request),
      ElementsAre(HasSubstr("uniform.count: '0'"), HasSubstr("uniform.topology: "),
                  HasSubstr("uniform.rule: '9'"), HasSubstr("uniform.random.density: '2'")));
  request = UniformRequest(3, "torus:9x2");
  request.mutable_uniform()->set_rows(std::string(11, '\0'));
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("uniform.rows: '11 bytes': 3 boards have 12 bytes")));
  std::string rows(12, '\0');
  rows[7] = 2;
  request.mutable_uniform()->set_rows(rows);
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("uniform.rows: 'row 1 of board 1'")));
  request.mutable_uniform()->clear_source();
  EXPECT_THAT(StepManyBadly(server, request), ElementsAre(HasSubstr("uniform.source: ")));
}

TEST(StepManyTest, RepliesOverTheLimitAreRefusedBeforeTheWork) {
  server::ServerOptions options = TestOptions();
  options.max_reply_bytes = 16'384;
  InProcessServer server(options);
  v1::StepManyRequest request = UniformRequest(1000, "torus:64x64");
  EXPECT_THAT(StepManyBadly(server, request),
              ElementsAre(HasSubstr("max-reply-bytes is 16384; ask for fewer boards or facts")));
  request.Clear();
  for (int i = 0; i < 3000; ++i) request.add_boards();  // bad ones need room for their errors
  EXPECT_THAT(StepManyBadly(server, request), ElementsAre(HasSubstr("ask in several calls")));
  EXPECT_EQ(server.Statistics("life").requests(), 0u);
}

// A file's size is known when it is written: boards that find no room fail alone, and the reply stays within its limit.
TEST(StepManyTest, FilesThatFindNoRoomFailAlone) {
  server::ServerOptions options = TestOptions();
  options.max_reply_bytes = 16'384;
  InProcessServer server(options);
  v1::StepManyRequest request;
  for (int i = 0; i < 6; ++i) {
    v1::StepRequest& board = *request.add_boards();
    board.set_topology("torus:128x64");
    board.mutable_random()->set_density(0.5);
    board.set_output_format(i == 5 ? v1::OUTPUT_FORMAT_PACKED : v1::OUTPUT_FORMAT_RLE);
  }
  const v1::StepManyResponse response = StepManyWell(server, request);
  EXPECT_TRUE(response.results(0).has_step());
  EXPECT_THAT(ViolationsOfItem(response.results(4).error()),
              ElementsAre(HasSubstr("boards[4].output_format: 'OUTPUT_FORMAT_RLE'")));
  EXPECT_EQ(response.results(5).step().packed().rows().size(), 1024u);
  EXPECT_LE(response.ByteSizeLong(), 16'384u);
}

// With the limits as they are when nobody changes them, on both sides.
TEST(StepManyTest, ALargePackedBoardFitsAMessageInAndOut) {
  InProcessServer server;
  const auto stub = v1::LifeService::NewStub(
      grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()));
  v1::StepManyRequest request;
  v1::StepRequest& board = *request.add_boards();
  board.mutable_packed()->set_width(4096);
  board.mutable_packed()->set_height(4096);
  board.mutable_packed()->set_rows(std::string(std::size_t{4096} * 512, '\x15'));
  board.set_output_format(v1::OUTPUT_FORMAT_PACKED);
  grpc::ClientContext context;
  v1::StepManyResponse response;
  const grpc::Status status = stub->StepMany(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.results(0).step().packed().rows(), board.packed().rows());
}

v1::StepManyRequest EndlessRequest() {
  v1::StepManyRequest request;
  for (int i = 0; i < 200; ++i)
    *request.add_boards() = PatternRequest(kGlider, "torus:64x64", ~std::uint64_t{0});
  return request;
}

TEST(StepManyTest, ADeadlineStopsALongCallWithinChunks) {
  InProcessServer server;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + milliseconds(300));
  v1::StepManyResponse response;
  EXPECT_EQ(server.life().StepMany(&context, EndlessRequest(), &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  const auto ended = server.AwaitStatistics(
      "life", [](const v1::KindStatistics& statistics) { return statistics.expired() == 1; });
  EXPECT_GT(ended.batches(), 1u);
  EXPECT_EQ(server.Statistics("life").batches(), ended.batches());
}

TEST(StepManyTest, ACancelStopsALongCallWithinChunks) {
  InProcessServer server;
  PendingCall<v1::StepManyRequest, v1::StepManyResponse> call;
  call.request = EndlessRequest();
  call.Start([&](auto... with) { server.life().async()->StepMany(with...); });
  server.AwaitStatistics("life", [](const v1::KindStatistics& now) { return now.batches() > 3; });
  call.context.TryCancel();
  EXPECT_EQ(call.Await().error_code(), grpc::StatusCode::CANCELLED);
  const auto ended = server.AwaitStatistics(
      "life", [](const v1::KindStatistics& now) { return now.cancelled() == 1; });
  EXPECT_EQ(server.Statistics("life").batches(), ended.batches());
}

}  // namespace
}  // namespace gpusim::testing
