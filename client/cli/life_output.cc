#include "client/cli/life_output.h"

#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/output_file.h"
#include "client/cli/text.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

struct FormatName {
  std::string_view name;
  v1::OutputFormat format;
};
constexpr FormatName kExtensions[] = {
    {".rle", v1::OUTPUT_FORMAT_RLE},         {".cells", v1::OUTPUT_FORMAT_CELLS},
    {".lif", v1::OUTPUT_FORMAT_LIFE106},     {".life", v1::OUTPUT_FORMAT_LIFE106},
    {".life106", v1::OUTPUT_FORMAT_LIFE106}, {".life105", v1::OUTPUT_FORMAT_LIFE105},
    {".raw", v1::OUTPUT_FORMAT_PACKED},      {".png", v1::OUTPUT_FORMAT_PACKED}};
constexpr FormatName kFormats[] = {
    {"rle", v1::OUTPUT_FORMAT_RLE},         {"cells", v1::OUTPUT_FORMAT_CELLS},
    {"life106", v1::OUTPUT_FORMAT_LIFE106}, {"life105", v1::OUTPUT_FORMAT_LIFE105},
    {"raw", v1::OUTPUT_FORMAT_PACKED},      {"png", v1::OUTPUT_FORMAT_PACKED}};

}  // namespace

BoardOutput::BoardOutput(CLI::App& app) {
  app.add_option("--output", path_,
                 "Write the board to a .rle .cells .lif .life106 .life105 .raw or .png file; - is "
                 "stdout");
  app.add_option(
      "--output-format", format_text_,
      "rle, cells, life106, life105, raw or png. By the extension of --output, for - rle");
  app.add_option("--scale", scale_text_, "Pixels of a side of a cell in a PNG. 1");
}

tl::expected<void, Failure> BoardOutput::ReadFormat(const Settings& settings, bool json_has_board) {
  if (!format_text_.empty()) {
    for (const FormatName& known : kFormats) {
      if (known.name == format_text_) format_ = known.format;
    }
    if (!format_) {
      return WrongUsage("--output-format '" + Printable(format_text_) +
                        "' is unknown; pass rle, cells, life106, life105, raw or png");
    }
    png_ = format_text_ == "png";
    if (path_.empty() && (png_ || !json_has_board || settings.format != Format::kJson)) {
      return WrongUsage(std::string("--output-format needs a place for the board; pass --output") +
                        (json_has_board && !png_ ? " or --format json" : ""));
    }
  } else if (path_ == "-") {
    format_ = v1::OUTPUT_FORMAT_RLE;
  } else if (!path_.empty()) {
    for (const FormatName& known : kExtensions) {
      if (path_.ends_with(known.name)) format_ = known.format;
    }
    if (!format_) {
      return WrongUsage("--output '" + Printable(path_) +
                        "' has no known extension; use .rle, .cells, .lif, .life106, .life105, "
                        ".raw or .png, or pass --output-format");
    }
    png_ = path_.ends_with(".png");
  }
  return {};
}

tl::expected<void, Failure> BoardOutput::Read(const Settings& settings, bool json_has_board) {
  if (auto read = ReadFormat(settings, json_has_board); !read) return read;
  if (path_ == "-" && settings.format != Format::kTable) {
    return WrongUsage(std::string("--output - and --format would both write to stdout; pass ") +
                      (json_has_board ? "--format json with --output-format to have the board in "
                                        "the JSON"
                                      : "a file, or leave out --format"));
  }
  if (scale_text_.empty()) return {};
  if (!png_) return WrongUsage("--scale is for a .png; pass --output x.png");
  const auto scale = ParseCount(scale_text_);
  constexpr std::uint64_t kMostScale = 1024;
  if (!scale || *scale < 1 || *scale > kMostScale)
    return WrongUsage("--scale '" + Printable(scale_text_) + "' is not from 1 to 1024");
  scale_ = static_cast<std::uint32_t>(*scale);
  return {};
}

tl::expected<void, std::string> WritePng(const std::string& path, const PngShape& shape,
                                         std::string_view rows, const Console& console) {
  if (shape.width == 0 || shape.height == 0)
    return tl::unexpected("cannot write " + path + ": a board without cells makes no PNG");
  if (const std::string fault = PngFault(shape); !fault.empty())
    return tl::unexpected("cannot write " + path + ": " + fault);
  auto file = OutputFile::Open(path, console);
  if (!file) return tl::unexpected(std::move(file.error()));
  PngWriter png(shape, [&](std::string_view bytes) { return file->Write(bytes); });
  if (png.WriteRows(rows) && png.Finish()) return file->Commit();
  // A full disk has its own reason.
  if (const bool writable = file->Write(""); writable)
    return tl::unexpected("cannot write " + path + ": the board that came does not fit its size");
  return file->Commit();
}

}  // namespace gpusim::cli
