// The calls about boards, as a test writes them: what goes well returns the answer, what is to fail its status.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include "gpusim/v1/life.grpc.pb.h"
#include "kernels/life.h"
#include "tests/integration/pending_call.h"

namespace gpusim::testing {

inline constexpr std::size_t kBand = 1u << 20;
inline constexpr std::uint64_t kEndlessRun = 1'000'000'000'000;
inline constexpr char kGliderRle[] = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";

inline std::string RowsOf(const life::Board& board) {
  const std::size_t row_bytes = (board.width + 7) / 8;
  std::string rows(row_bytes * board.height, '\0');
  for (std::uint32_t y = 0; y < board.height; ++y) {
    for (std::uint32_t x = 0; x < board.width; ++x) {
      if (board.Alive(x, y)) rows[y * row_bytes + x / 8] |= static_cast<char>(1 << (x % 8));
    }
  }
  return rows;
}

inline v1::PackedBoard PackedOf(const life::Board& board) {
  v1::PackedBoard packed;
  packed.set_width(board.width);
  packed.set_height(board.height);
  packed.set_rows(RowsOf(board));
  return packed;
}

inline v1::CreateBoardHeader Header(const std::string& name, const std::string& topology) {
  v1::CreateBoardHeader header;
  header.set_name(name);
  header.set_topology(topology);
  return header;
}

inline v1::CreateBoardHeader RandomHeader(const std::string& name, const std::string& topology,
                                          std::uint64_t seed) {
  v1::CreateBoardHeader header = Header(name, topology);
  header.mutable_random()->set_density(0.375);
  header.mutable_random()->set_seed(seed);
  return header;
}

inline v1::StepBoardRequest StepRequestOf(const std::string& name, std::uint64_t generations) {
  v1::StepBoardRequest request;
  request.set_name(name);
  request.set_generations(generations);
  return request;
}

// A run from its caller's side.
class BoardRun {
 public:
  BoardRun(v1::LifeService::Stub& stub, const v1::StepBoardRequest& request)
      : reader_(stub.StepBoard(&context, request)) {}
  bool Read(v1::StepBoardResponse& response) { return reader_->Read(&response); }
  std::vector<v1::StepBoardResponse> ReadAll() {
    std::vector<v1::StepBoardResponse> all;
    for (v1::StepBoardResponse response; Read(response);) all.push_back(response);
    return all;
  }
  grpc::Status Finish() { return reader_->Finish(); }

  grpc::ClientContext context;

 private:
  std::unique_ptr<grpc::ClientReader<v1::StepBoardResponse>> reader_;
};

struct ReadCells {
  v1::ReadRegionHeader header;
  std::string data;
  std::size_t largest = 0;  // message
};

class BoardClient {
 public:
  explicit BoardClient(v1::LifeService::Stub& stub) : stub_(stub) {}
  v1::LifeService::Stub& stub() { return stub_; }

  // Sends header and messages of rows.
  grpc::Status TryCreate(const v1::CreateBoardHeader& header,
                         const std::vector<std::string>& bands = {},
                         v1::CreateBoardResponse* response = nullptr) {
    v1::CreateBoardResponse own;
    grpc::ClientContext context;
    const auto writer = stub_.CreateBoard(&context, response != nullptr ? response : &own);
    Send<v1::CreateBoardRequest>(*writer, header, bands);
    return writer->Finish();
  }
  v1::Board Create(const v1::CreateBoardHeader& header,
                   const std::vector<std::string>& bands = {}) {
    v1::CreateBoardResponse response;
    ExpectOk(TryCreate(header, bands, &response));
    return response.board();
  }
  grpc::Status TryWrite(const v1::WriteRegionHeader& header,
                        const std::vector<std::string>& bands = {},
                        v1::WriteRegionResponse* response = nullptr) {
    v1::WriteRegionResponse own;
    grpc::ClientContext context;
    const auto writer = stub_.WriteRegion(&context, response != nullptr ? response : &own);
    Send<v1::WriteRegionRequest>(*writer, header, bands);
    return writer->Finish();
  }
  v1::WriteRegionResponse Write(const v1::WriteRegionHeader& header,
                                const std::vector<std::string>& bands = {}) {
    v1::WriteRegionResponse response;
    ExpectOk(TryWrite(header, bands, &response));
    return response;
  }

  // A unary call by its method, such as &v1::LifeService::Stub::GetBoard.
  template <class Request, class Response>
  grpc::Status Try(grpc::Status (v1::LifeService::Stub::*method)(grpc::ClientContext*,
                                                                 const Request&, Response*),
                   const Request& request, Response* response) {
    grpc::ClientContext context;
    return (stub_.*method)(&context, request, response);
  }
  template <class Request, class Response>
  Response Call(grpc::Status (v1::LifeService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                              Response*),
                const Request& request) {
    Response response;
    ExpectOk(Try(method, request, &response));
    return response;
  }

  v1::GetBoardResponse Get(const std::string& name, const std::vector<v1::Fact>& facts = {}) {
    v1::GetBoardRequest request;
    request.set_name(name);
    for (const v1::Fact fact : facts) request.add_facts(fact);
    return Call(&v1::LifeService::Stub::GetBoard, request);
  }
  grpc::Status TryGet(const std::string& name) {
    v1::GetBoardRequest request;
    request.set_name(name);
    v1::GetBoardResponse response;
    return Try(&v1::LifeService::Stub::GetBoard, request, &response);
  }
  std::string Hash(const std::string& name) { return Get(name, {v1::FACT_HASH}).facts().hash(); }
  void Delete(const std::string& name) {
    v1::DeleteBoardRequest request;
    request.set_name(name);
    Call(&v1::LifeService::Stub::DeleteBoard, request);
  }
  v1::Board Stop(const std::string& name) {
    v1::StopBoardRequest request;
    request.set_name(name);
    return Call(&v1::LifeService::Stub::StopBoard, request).board();
  }

  // The last message of a run that ends with OK.
  v1::StepBoardResponse Step(const v1::StepBoardRequest& request) {
    BoardRun run(stub_, request);
    const auto all = run.ReadAll();
    ExpectOk(run.Finish());
    return all.empty() ? v1::StepBoardResponse() : all.back();
  }
  grpc::Status TryStep(const v1::StepBoardRequest& request) {
    BoardRun run(stub_, request);
    run.ReadAll();
    return run.Finish();
  }
  // Starts a run without end that nobody listens to.
  void RunDetached(const std::string& name) {
    v1::StepBoardRequest request = StepRequestOf(name, kEndlessRun);
    request.set_detached(true);
    EXPECT_EQ(Step(request).stop_reason(), v1::STOP_REASON_UNSPECIFIED);
  }
  // Asks until it holds.
  v1::GetBoardResponse Await(const std::string& name,
                             const std::function<bool(const v1::Board&)>& wanted) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
      v1::GetBoardResponse response = Get(name);
      if (wanted(response.board()) || ::testing::Test::HasFailure()) return response;
      if (std::chrono::steady_clock::now() > give_up) {
        ADD_FAILURE() << "waited in vain: " << response.ShortDebugString();
        return response;
      }
    }
  }

  grpc::Status TryRead(const v1::ReadRegionRequest& request, ReadCells& cells) {
    grpc::ClientContext context;
    const auto reader = stub_.ReadRegion(&context, request);
    for (v1::ReadRegionResponse response; reader->Read(&response);) {
      if (response.has_header()) cells.header = response.header();
      cells.largest = std::max(cells.largest, response.data().size());
      cells.data += response.data();
    }
    return reader->Finish();
  }
  ReadCells Read(const v1::ReadRegionRequest& request) {
    ReadCells cells;
    ExpectOk(TryRead(request, cells));
    EXPECT_EQ(cells.data.size(), cells.header.total_bytes());
    return cells;
  }
  ReadCells Read(const std::string& name) {
    v1::ReadRegionRequest request;
    request.set_name(name);
    return Read(request);
  }

 private:
  template <class Request, class Writer, class Header>
  static void Send(Writer& writer, const Header& header, const std::vector<std::string>& bands) {
    Request request;
    *request.mutable_header() = header;
    bool open = writer.Write(request);
    for (const std::string& band : bands) {
      request.set_rows(band);
      open = open && writer.Write(request);
    }
    writer.WritesDone();
  }
  static void ExpectOk(const grpc::Status& status) {
    EXPECT_TRUE(status.ok()) << status.error_code() << " " << status.error_message();
  }

  v1::LifeService::Stub& stub_;
};

}  // namespace gpusim::testing
