#include <utility>

#include "client/messages.h"

namespace gpusim {
namespace {

void Fill(const PatternFile& pattern, v1::StepRequest& message) {
  message.set_pattern(pattern.bytes);
}

void Fill(const PackedBoard& board, v1::StepRequest& message) {
  message.mutable_packed()->set_width(board.width);
  message.mutable_packed()->set_height(board.height);
  message.mutable_packed()->set_rows(board.rows);
}

}  // namespace

v1::StepRequest ToMessage(const StepRequest& request) {
  v1::StepRequest message;
  std::visit([&](const auto& source) { Fill(source, message); }, request.source);
  message.set_rule(request.rule);
  message.set_topology(request.topology);
  if (request.at) {
    message.mutable_at()->set_x(request.at->x);
    message.mutable_at()->set_y(request.at->y);
  }
  message.set_generations(request.generations);
  message.set_output_format(static_cast<v1::OutputFormat>(request.output_format));
  return message;
}

StepResult FromMessage(v1::StepResponse message) {
  StepResult result;
  result.generation = message.generation();
  result.population = message.population();
  result.hash = message.hash();
  result.rule = message.rule();
  result.topology = message.topology();
  result.width = message.width();
  result.height = message.height();
  result.origin = {message.origin().x(), message.origin().y()};
  if (message.has_packed()) {
    v1::PackedBoard& packed = *message.mutable_packed();
    result.board = PackedBoard{packed.width(), packed.height(), std::move(*packed.mutable_rows())};
  } else if (message.has_file()) {
    result.board = PatternFile{std::move(*message.mutable_file())};
  }
  result.notes.assign(message.notes().begin(), message.notes().end());
  result.provenance = FromMessage(message.provenance());
  return result;
}

}  // namespace gpusim
