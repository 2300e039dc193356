// The client of a gpusim server.
//
//   auto client = gpusim::Client::Create({.server = "127.0.0.1:50051"});
//   if (!client) ...
//   auto odds = client->GetOdds({.position = gpusim::PositionText{.stacks = "1:BGOYW"}});
//   if (!odds) std::cerr << odds.error().message << '\n';
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gpusim/call_options.h>
#include <gpusim/camel_up.h>
#include <gpusim/camel_up_columns.h>
#include <gpusim/camel_up_moves.h>
#include <gpusim/life.h>
#include <gpusim/life_boards.h>
#include <gpusim/odds_stream.h>
#include <gpusim/result.h>
#include <gpusim/server_info.h>
#include <gpusim/simulate.h>

namespace gpusim {

class ProtoClient;  // <gpusim/client_proto.h>: the same calls with the protobuf messages

struct ClientOptions {
  // "HOST:PORT", "[IPV6]:PORT", "unix:PATH" or a gRPC target such as "dns:///NAME:PORT", whose
  // addresses share the calls in turn. Empty: the environment's GPUSIM_SERVER, else
  // 127.0.0.1:50051.
  std::string server = {};
  // Of a call from its start to its answer, attempts and waits included.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  // How often a call is sent in all while the server is UNAVAILABLE, with a growing pause in
  // between. 1: never again; at most 5, which is gRPC's own limit. Every call here only reads or
  // has a request id, so repeating one is safe.
  int max_attempts = 5;
  // When the server says when to come again (its queue is full, or the race table that the answer
  // needs is being solved): wait and send again, if the deadline allows.
  bool wait_as_told = true;
  // A longer reply ends the call with kResourceExhausted.
  std::size_t max_reply_bytes = std::size_t{256} << 20;
  // PEM file of the authorities whose servers are trusted: the connection is TLS then; empty: it is plaintext.
  std::string tls_ca = {};
  // PEM files of the client's own certificate and its key, for servers that ask for one.
  std::string tls_certificate = {};
  std::string tls_key = {};
  // The name in the server's certificate, where it is another one than that of `server`.
  std::string tls_server_name = {};
  // Who the caller is, for servers that ask: the token, or else a file that holds it alone, or else the environment's
  // GPUSIM_TOKEN. It is sent as it is, so that others can read it on a plaintext connection.
  std::string token = {};
  std::string token_file = {};
};

// What `server` stands for once the environment and the default are looked at.
std::string ResolveServer(const std::string& server);

// Empty when a client can be made for this address, else what is wrong with it.
std::string ServerAddressFault(const std::string& server);

// One connection (or one for each address of a name), opened by the first call and reused by all.
// Thread-safe: any number of calls may be under way from any threads. Moving or destroying it is
// for one thread alone.
class Client {
 public:
  // Fails with kInvalidArgument and violations naming the option. Reads the files that they name; does not connect.
  static Result<Client> Create(ClientOptions options = {});

  // Cancels the asynchronous calls under way and waits until their callbacks have returned, so it
  // must not run in one of them.
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // These block until the answer, the error or the deadline.
  Result<Odds> GetOdds(const OddsRequest& request, const CallOptions& options = {});
  Result<OddsColumns> GetOddsColumns(const OddsColumnsRequest& request,
                                     const CallOptions& options = {});
  // Packs the positions into columns first; one that cannot be packed is a failed row.
  Result<OddsColumns> GetOddsColumns(Edition edition, const std::vector<AnyPosition>& positions,
                                     std::vector<OddsOutput> outputs,
                                     const CallOptions& options = {});
  Result<Moves> EvaluateMoves(const MovesRequest& request, const CallOptions& options = {});
  // 1 to 256 questions; the answers have their order. A bad one fails alone.
  Result<std::vector<Result<Moves>>> EvaluateMovesMany(const std::vector<MovesRequest>& questions,
                                                       const CallOptions& options = {});
  // Until the run is over. `on_update` is called on this thread with every running estimate; false
  // stops the run, on the server too. The result is the last estimate, whose state says why it is
  // the last. Without a timeout of its own the call has max_duration and the client's timeout on
  // top; without max_duration it has no deadline. Sent again only before the first estimate.
  Result<SimulateUpdate> Simulate(const SimulateRequest& request,
                                  const std::function<bool(const SimulateUpdate&)>& on_update,
                                  const CallOptions& options = {});
  Result<StepResult> Step(const StepRequest& request, const CallOptions& options = {});
  Result<StepManyResult> StepMany(const StepManyRequest& request, const CallOptions& options = {});
  Result<ServerInfo> GetInfo(const CallOptions& options = {});
  Result<ServerStatistics> GetStatistics(const CallOptions& options = {});
  Result<void> Ping(const CallOptions& options = {});

  // These return at once. `done` is called exactly once, on a thread of the library (never within
  // the call that starts it); it should be short and must not block, for it holds up other answers.
  void GetOddsAsync(const OddsRequest& request, std::function<void(Result<Odds>)> done,
                    const CallOptions& options = {});
  void StepAsync(const StepRequest& request, std::function<void(Result<StepResult>)> done,
                 const CallOptions& options = {});

  // The same with a future, whose get() does not throw.
  std::future<Result<Odds>> GetOddsFuture(const OddsRequest& request,
                                          const CallOptions& options = {});
  std::future<Result<StepResult>> StepFuture(const StepRequest& request,
                                             const CallOptions& options = {});

  std::future<Result<OddsColumns>> GetOddsColumnsFuture(const OddsColumnsRequest& request,
                                                        const CallOptions& options = {});
  std::future<Result<Moves>> EvaluateMovesFuture(const MovesRequest& request,
                                                 const CallOptions& options = {});

  // Opens a stream of questions, which has no deadline unless the options name one. Returns at
  // once; whether the server is there shows when it is used. Of the second, every answer goes to
  // `on_answer`, on a thread of the stream, one after another; while it blocks, no further answer
  // is read.
  OddsStream StreamOdds(const CallOptions& options = {});
  OddsStream StreamOddsAsync(std::function<void(StreamAnswer)> on_answer,
                             const CallOptions& options = {});

  // The calls about resident boards.
  Boards boards();

  // Lives as long as this client.
  ProtoClient& proto() { return *proto_; }

 private:
  explicit Client(std::unique_ptr<ProtoClient> proto);

  std::unique_ptr<ProtoClient> proto_;
};

}  // namespace gpusim
