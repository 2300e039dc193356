// Resident boards and their snapshots as tables and CSV.
#pragma once

#include <string>
#include <vector>

#include "client/cli/command.h"
#include "client/cli/json.h"
#include "client/cli/text.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

// All that is known of one, in lines.
std::string BoardTable(const v1::Board& board);
// A line each.
std::string BoardsTable(const std::vector<v1::Board>& boards);
std::string BoardsCsv(const std::vector<v1::Board>& boards);

std::string SnapshotTable(const v1::Snapshot& snapshot);
std::string SnapshotsTable(const std::vector<v1::Snapshot>& snapshots);
std::string SnapshotsCsv(const std::vector<v1::Snapshot>& snapshots);

// "1.5 GiB", "512 B"
std::string BytesText(std::uint64_t bytes);

// An answer that holds one board.
template <class Reply>
Output ShowBoard(const Settings& settings, const Reply& reply) {
  if (settings.format == Format::kJson) return {ToJson(reply), ""};
  if (settings.format == Format::kCsv) return {BoardsCsv({reply.board()}), ""};
  return {BoardTable(reply.board()), ""};
}

// The same with its notes.
template <class Reply>
Output ShowNotedBoard(const Settings& settings, const Reply& reply) {
  Output output = ShowBoard(settings, reply);
  for (const std::string& note : reply.notes()) output.err += "note: " + Printable(note) + '\n';
  return output;
}

}  // namespace gpusim::cli
