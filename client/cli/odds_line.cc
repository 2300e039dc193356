// Written by hand: protobuf's own printer takes longer for a line than a GPU for the answer.
#include "client/cli/odds_line.h"

#include <charconv>
#include <concepts>
#include <string_view>
#include <vector>

#include "client/camel_letters.h"
#include "client/cli/json.h"
#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {
namespace {

const std::string& NameOf(Edition edition, std::size_t camel) {
  return v1::Camel_Name(static_cast<v1::Camel>(CamelsOf(edition)[camel]));
}

class LineWriter {
 public:
  LineWriter(const OddsColumnsRequest& request, const OddsColumns& columns, std::uint32_t row,
             std::string& out)
      : request_(request), columns_(columns), row_(row), out_(out) {}

  void Write(std::uint64_t line) {
    Text("{\"line\":", line);
    if (!columns_.total_weight.empty()) Text(",\"totalWeight\":", At(columns_.total_weight, 0));
    if (!columns_.race_ends_weight.empty()) {
      Text(",\"raceEndsWeight\":", At(columns_.race_ends_weight, 0));
      Text(",\"raceEndsBackwardWeight\":", At(columns_.race_ends_weight, 1));
    }
    if (!columns_.rank_weight.empty() || !columns_.ticket_value_weight.empty() ||
        !columns_.race_win.empty())
      WriteCamels();
    if (!columns_.pair_weight.empty()) WritePairs();
    if (!columns_.landing_weight.empty()) WriteLandings();
    if (!columns_.expected_legs.empty())
      Text(",\"expectedLegs\":{\"value\":", At(columns_.expected_legs, 0), "}");
    if (!columns_.race_joint.empty()) WriteRacePairs();
    out_ += "}\n";
  }

 private:
  template <class T>
  T At(const std::vector<T>& column, std::size_t component) const {
    return column[component * columns_.rows + row_];
  }

  void Put(std::string_view text) { out_ += text; }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void Put(T number) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    out_.append(digits, end);
  }
  template <class... Parts>
  void Text(Parts... parts) {
    (Put(parts), ...);
  }

  // Between the elements of a list, but not before the first.
  void Comma() {
    if (!out_.ends_with('[')) out_ += ',';
  }

  void WriteCamels() {
    out_ += ",\"camels\":[";
    for (std::size_t camel = 0; camel < kRacers; ++camel) {
      Comma();
      Text("{\"camel\":\"", std::string_view(NameOf(request_.edition, camel)), "\"");
      if (!columns_.rank_weight.empty()) {
        out_ += ",\"rankWeight\":[";
        for (std::size_t place = 0; place < kRacers; ++place) {
          Comma();
          Put(At(columns_.rank_weight, camel * kRacers + place));
        }
        out_ += ']';
      }
      if (!columns_.ticket_value_weight.empty()) WriteTickets(camel);
      if (!columns_.race_win.empty()) Text(",\"raceWin\":", At(columns_.race_win, camel));
      if (!columns_.race_last.empty()) Text(",\"raceLast\":", At(columns_.race_last, camel));
      out_ += '}';
    }
    out_ += ']';
  }

  void WriteTickets(std::size_t camel) {
    constexpr int kFaces[] = {5, 3, 2};
    out_ += ",\"tickets\":[";
    for (std::size_t i = 0; i < std::size(kFaces); ++i) {
      const std::int32_t weight = At(columns_.ticket_value_weight, camel * std::size(kFaces) + i);
      const double total = columns_.total_weight.empty() ? 0 : At(columns_.total_weight, 0);
      Comma();
      Text("{\"face\":", kFaces[i], ",\"value\":", total > 0 ? weight / total : 0.0,
           ",\"valueWeight\":\"", weight, "\"}");
    }
    out_ += ']';
  }

  // Calls `write` with every pair of two camels and its component.
  template <class Write>
  void EachPair(Write write) {
    for (std::size_t a = 0; a < kRacers; ++a) {
      for (std::size_t b = 0; b < kRacers; ++b) {
        if (a == b) continue;
        Comma();
        write(std::string_view(NameOf(request_.edition, a)),
              std::string_view(NameOf(request_.edition, b)), a * kRacers + b);
      }
    }
  }

  void WritePairs() {
    out_ += ",\"pairs\":[";
    EachPair([&](std::string_view first, std::string_view second, std::size_t component) {
      Text("{\"first\":\"", first, "\",\"second\":\"", second,
           "\",\"weight\":", At(columns_.pair_weight, component), "}");
    });
    out_ += ']';
  }

  void WriteRacePairs() {
    out_ += ",\"racePairs\":[";
    EachPair([&](std::string_view winner, std::string_view last, std::size_t component) {
      Text("{\"winner\":\"", winner, "\",\"last\":\"", last,
           "\",\"probability\":{\"value\":", At(columns_.race_joint, component), "}}");
    });
    out_ += ']';
  }

  void WriteLandings() {
    out_ += ",\"landings\":[";
    for (std::uint32_t space = 1; space <= 16; ++space) {
      const bool oasis = request_.oases[row_] >> space & 1;
      if (!oasis && (request_.mirages[row_] >> space & 1) == 0) continue;
      Comma();
      Text("{\"space\":", space, ",\"effect\":\"",
           oasis ? "TILE_EFFECT_OASIS" : "TILE_EFFECT_MIRAGE",
           "\",\"landingWeight\":", At(columns_.landing_weight, space - 1), "}");
    }
    out_ += ']';
  }

  const OddsColumnsRequest& request_;
  const OddsColumns& columns_;
  const std::uint32_t row_;
  std::string& out_;
};

}  // namespace

void AppendOddsLine(std::uint64_t line, const OddsColumnsRequest& request,
                    const OddsColumns& columns, std::uint32_t row, std::string& out) {
  LineWriter(request, columns, row, out).Write(line);
}

void AppendErrorLine(std::uint64_t line, const Error& error, std::string& out) {
  out += "{\"line\":" + std::to_string(line) + ",\"error\":{\"code\":";
  out += JsonString(StatusName(error.code)) + ",\"message\":" + JsonString(error.message);
  out += ",\"violations\":[";
  for (const FieldViolation& violation : error.violations) {
    if (!out.ends_with('[')) out += ',';
    out += "{\"field\":" + JsonString(violation.field) +
           ",\"description\":" + JsonString(violation.description) + "}";
  }
  out += "]}}\n";
}

}  // namespace gpusim::cli
