// The Life calls of the client library, against servers in this process.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gtest/gtest.h>

#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

template <class T>
std::string Column(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(ClientLife, SendsARandomBoardAndReadsFactsAndSeries) {
  std::string seen;
  FakeServer server({.step = [&](grpc::ServerContext&, const v1::StepRequest& request,
                                 v1::StepResponse& response) {
    seen = request.ShortDebugString();
    response.mutable_facts()->set_births(3);
    response.mutable_facts()->mutable_box()->set_width(4);
    response.mutable_facts()->set_shape_digest("00000000000000ff");
    response.add_series()->set_generation(10);
    response.set_stop_reason(v1::STOP_REASON_CONDITION);
    response.set_period(2);
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto step = client.Step({.source = RandomCells{0.25, 9},
                                 .topology = "torus:8x8",
                                 .generations = 7,
                                 .until = {Until::Condition::kPeriodAtMost, 4},
                                 .facts = {LifeFact::kBox, LifeFact::kShapeDigest},
                                 .facts_every = 5});
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(seen,
            "topology: \"torus:8x8\" generations: 7 random { density: 0.25 seed: 9 } until { "
            "period_at_most: 4 } facts: FACT_BOX facts: FACT_SHAPE_DIGEST facts_every: 5");
  EXPECT_EQ(step->facts.births, 3u);
  EXPECT_EQ(step->facts.box->width, 4u);
  EXPECT_EQ(step->facts.shape_digest, "00000000000000ff");
  ASSERT_THAT(step->series, SizeIs(1));
  EXPECT_EQ(step->series[0].generation, 10u);
  EXPECT_FALSE(step->series[0].box);
  EXPECT_EQ(step->stop_reason, StopReason::kCondition);
  EXPECT_EQ(step->period, 2u);
}

TEST(ClientLife, StepManyMixesBoardsAndColumns) {
  std::string seen;
  FakeServer server({.step_many = [&](grpc::ServerContext&, const v1::StepManyRequest& request,
                                      v1::StepManyResponse& response) {
    seen = request.ShortDebugString();
    response.add_results()->mutable_step()->set_population(5);
    response.add_results()->mutable_error()->set_code(3);
    v1::UniformResults& uniform = *response.mutable_uniform();
    uniform.set_generation(Column<std::uint64_t>({7, 8}));
    uniform.set_population(Column<std::uint64_t>({1, std::uint64_t{1} << 40}));
    uniform.set_stop_reason(std::string("\x01\x02", 2));
    uniform.set_period(Column<std::uint32_t>({0, 3}));
    uniform.set_box(Column<std::uint32_t>({1, 2, 3, 4, 5, 6, 7, 8}));
    uniform.set_digest(Column<std::uint64_t>({0xff, 0}));
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto many = client.StepMany(
      {.boards = {{.source = PatternFile{"o!"}}, {.source = PackedBoard{1, 1, "x"}}},
       .uniform = UniformBoards{.topology = "plane:8x8",
                                .count = 2,
                                .source = RandomCells{0.5, 1},
                                .rule = "B36/S23",
                                .generations = 8,
                                .until = {Until::Condition::kExtinct, 0},
                                .facts = {LifeFact::kBox},
                                .return_rows = true}});
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_THAT(seen, HasSubstr("boards { packed { width: 1 height: 1 rows: \"x\" } } uniform { "
                              "topology: \"plane:8x8\" count: 2 random { density: 0.5 seed: 1 } "
                              "rule: \"B36/S23\" generations: 8 until { extinct: true } facts: "
                              "FACT_BOX return_rows: true }"));
  ASSERT_THAT(many->boards, SizeIs(2));
  EXPECT_EQ(many->boards[0]->population, 5u);
  EXPECT_EQ(many->boards[1].error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(many->uniform.generation, ElementsAre(7, 8));
  EXPECT_THAT(many->uniform.population, ElementsAre(1, std::uint64_t{1} << 40));
  EXPECT_THAT(many->uniform.stop_reason, ElementsAre(StopReason::kTarget, StopReason::kCondition));
  EXPECT_THAT(many->uniform.period, ElementsAre(0, 3));
  EXPECT_THAT(many->uniform.box, ElementsAre(CellRegion{1, 3, 5, 7}, CellRegion{2, 4, 6, 8}));
  EXPECT_THAT(many->uniform.digest, ElementsAre(0xff, 0));
  EXPECT_THAT(many->uniform.births, IsEmpty());
}

TEST(ClientLife, AColumnOfAnotherLengthIsAnError) {
  FakeServer server({.step_many = [](grpc::ServerContext&, const v1::StepManyRequest&,
                                     v1::StepManyResponse& response) {
    response.mutable_uniform()->set_population(std::string(16, '\0'));
    response.mutable_uniform()->set_period(std::string(4, '\0'));
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto many = client.StepMany({});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "the reply's column period has 4 bytes, not 8");
}

}  // namespace
}  // namespace gpusim
