// What load is made of: calls that do nothing, and odds of another position every time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/call_loop.h"

namespace gpusim::testing {

using PingQuestion = Question<v1::ServerService::Stub, v1::PingRequest, v1::PingResponse>;
using OddsQuestion = Question<v1::CamelUpService::Stub, v1::GetOddsRequest, v1::GetOddsResponse>;

inline PingQuestion EmptyPings() {
  return {.prepare = &v1::ServerService::Stub::PrepareAsyncPing, .fill = [](auto&, auto&) {}};
}

// Racing camels anywhere on the first twelve spaces, all dice to roll.
inline void FillOdds(v1::Edition edition, std::mt19937& random, v1::GetOddsRequest& request) {
  const bool first = edition == v1::EDITION_FIRST;
  std::string camels = first ? "BGOYW" : "rgbyp";
  std::shuffle(camels.begin(), camels.end(), random);
  std::map<unsigned, std::string> stacks;
  for (const char camel : camels) stacks[1 + random() % 12] += camel;
  std::string text = first ? "" : "15:w 16:k";
  for (const auto& [space, stack] : stacks)
    text += (text.empty() ? "" : " ") + std::to_string(space) + ":" + stack;
  request.mutable_position()->set_edition(edition);
  request.mutable_position()->mutable_text()->set_stacks(text);
}

inline OddsQuestion RandomOdds(v1::Edition edition) {
  return {.prepare = &v1::CamelUpService::Stub::PrepareAsyncGetOdds,
          .fill = [edition](std::mt19937& random, v1::GetOddsRequest& request) {
            FillOdds(edition, random, request);
          }};
}

// Of values in ascending order; 0 if there are none.
inline double Quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const auto place = static_cast<std::size_t>(q * static_cast<double>(sorted.size()));
  return sorted[std::min(sorted.size() - 1, place)];
}

}  // namespace gpusim::testing
