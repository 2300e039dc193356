// Requests of LifeService, and how they end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/reference/life_reference.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/life_cases.h"

namespace gpusim::testing {

inline constexpr char kGlider[] = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";

inline grpc::Status Step(InProcessServer& server, const v1::StepRequest& request,
                         v1::StepResponse& response) {
  grpc::ClientContext context;
  return server.life().Step(&context, request, &response);
}

inline v1::StepResponse StepWell(InProcessServer& server, const v1::StepRequest& request) {
  v1::StepResponse response;
  const grpc::Status status = Step(server, request, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

inline std::vector<std::string> StepBadly(InProcessServer& server, const v1::StepRequest& request) {
  v1::StepResponse response;
  const grpc::Status status = Step(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  return ViolationsOf(status);
}

inline v1::StepRequest PatternRequest(const std::string& pattern, const std::string& topology,
                                      std::uint64_t generations) {
  v1::StepRequest request;
  request.set_pattern(pattern);
  request.set_topology(topology);
  request.set_generations(generations);
  return request;
}

inline std::string PackedCells(const life::Board& board) {
  const std::uint32_t row_bytes = (board.width + 7) / 8;
  std::string rows(std::size_t{row_bytes} * board.height, '\0');
  for (std::uint32_t y = 0; y < board.height; ++y) {
    for (std::uint32_t x = 0; x < board.width; ++x) {
      if (board.Alive(x, y)) rows[y * row_bytes + x / 8] |= static_cast<char>(1 << (x % 8));
    }
  }
  return rows;
}

inline v1::PackedBoard Packed(const life::Board& board) {
  v1::PackedBoard packed;
  packed.set_width(board.width);
  packed.set_height(board.height);
  packed.set_rows(PackedCells(board));
  return packed;
}

// Conway's rule on a torus.
inline reference::LifeBoard SlowTorus(const life::Board& board) {
  reference::LifeBoard slow(static_cast<int>(board.width), static_cast<int>(board.height), true);
  for (std::uint32_t y = 0; y < board.height; ++y)
    for (std::uint32_t x = 0; x < board.width; ++x)
      slow.At(static_cast<int>(x), static_cast<int>(y)) = board.Alive(x, y);
  return slow;
}

}  // namespace gpusim::testing
