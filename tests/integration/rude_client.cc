// rude_client ADDRESS N: starts N calls that take a while, says so, and waits to be killed.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include "gpusim/v1/camel_up.grpc.pb.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  struct Call {
    grpc::ClientContext context;
    gpusim::v1::SimulateRequest request;
    std::unique_ptr<grpc::ClientAsyncReader<gpusim::v1::SimulateResponse>> reader;
    gpusim::v1::SimulateResponse response;
  };
  gpusim::v1::CamelUpService::Stub stub(
      grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials()));
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Call>> calls(std::strtoul(argv[2], nullptr, 10));
  for (auto& call : calls) {
    call = std::make_unique<Call>();
    call->request.mutable_position()->set_edition(gpusim::v1::EDITION_FIRST);
    call->request.mutable_position()->mutable_text()->set_stacks("1:BGOYW");
    call->request.set_simulations(10'000'000'000'000);
    call->request.set_update_interval_ms(10);
    call->reader = stub.AsyncSimulate(&call->context, call->request, &queue, call.get());
  }
  const auto await_all = [&] {
    void* tag = nullptr;
    bool ok = false;
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (!queue.Next(&tag, &ok) || !ok) std::exit(1);
  };
  await_all();
  // Each is under way when its first estimate is there.
  for (auto& call : calls) call->reader->Read(&call->response, call.get());
  await_all();
  std::printf("%zu calls under way\n", calls.size());
  std::fflush(stdout);
  pause();
}
