// ReadRegion: a header, then the cells as rows or as a file.
//
//   gRPC's thread    Begin --> Pin
//   store's `done`   [a file is made on the pool] --> the header is written
//   gRPC's thread    OnWriteDone --> pool: the next rows --> write ... --> Finish
//
// A slow reader holds the pin and one message, or the file.
//
// Invariant: one thing at a time is under way, the pin, a job or a write; when it is done, whoever is there starts
// the next one, or calls Finish where all is told or the caller has gone. So Finish is called once.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/formats/cells.h"
#include "kernels/formats/life105.h"
#include "kernels/formats/life106.h"
#include "kernels/formats/rle.h"
#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/services/board_call.h"
#include "server/services/board_calls.h"
#include "server/services/board_cells.h"
#include "server/services/board_owner.h"
#include "server/services/board_upload.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using boards::Result;
using formats::Region;
using ReadReactor = grpc::ServerWriteReactor<v1::ReadRegionResponse>;

constexpr std::uint64_t kMostFileBytes = std::uint64_t{256} << 20;
// A file is written from cells on the host: these are 32 MiB.
constexpr std::uint64_t kMostFileCells = std::uint64_t{1} << 28;

// Checks the format, and what its size is known to be.
void CheckFormat(v1::OutputFormat format, const Region& region, Violations& violations) {
  const std::string name =
      v1::OutputFormat_IsValid(format) ? v1::OutputFormat_Name(format) : std::to_string(format);
  const auto fault = [&](const std::string& rule) {
    violations.push_back({"output_format", name, rule});
  };
  switch (format) {
    case v1::OUTPUT_FORMAT_UNSPECIFIED:
    case v1::OUTPUT_FORMAT_PACKED:
      if (auto wide = RowBands::WidthFault(region.width, "region.width"))
        violations.push_back(*std::move(wide));
      return;
    case v1::OUTPUT_FORMAT_CELLS:
      if ((std::uint64_t{region.width} + 1) * region.height > kMostFileBytes)
        return fault(
            "the file would pass 256 MiB; ask for OUTPUT_FORMAT_PACKED, or a smaller region");
      break;
    case v1::OUTPUT_FORMAT_RLE:
    case v1::OUTPUT_FORMAT_LIFE105:
    case v1::OUTPUT_FORMAT_LIFE106:
      break;
    default:
      return fault(
          "one of OUTPUT_FORMAT_UNSPECIFIED, _PACKED, _RLE, _CELLS, _LIFE105 and _LIFE106");
  }
  if (std::uint64_t{region.width} * region.height > kMostFileCells)
    fault("files are of at most 2^28 cells; ask for OUTPUT_FORMAT_PACKED, or a smaller region");
}

class ReadRegionCall final : public ReadReactor,
                             public std::enable_shared_from_this<ReadRegionCall> {
 public:
  static ReadReactor* Start(const ServingContext& context, grpc::CallbackServerContext& call,
                            const v1::ReadRegionRequest& request) {
    const auto reactor = std::make_shared<ReadRegionCall>(context, call, request);
    reactor->grpcs_hold_ = reactor;
    reactor->Begin();
    return reactor.get();
  }

  ReadRegionCall(const ServingContext& context, grpc::CallbackServerContext& call,
                 const v1::ReadRegionRequest& request)
      : context_(context), request_(request) {
    entry_.emplace(context.calls, CallMethod::kReadRegion, call);
  }

 private:
  void Begin() {
    SeeWhatCameBefore();
    if (const auto& denial = entry_->denial()) return End(Denied(*denial));
    const auto status = context_.boards.Get(request_.name());
    if (!status) return End(BoardFailed(status.error()));
    Violations violations;
    const auto region =
        ReadRegion(request_.has_region(), request_.region(), status->shape, violations);
    if (region) CheckFormat(request_.output_format(), *region, violations);
    if (!violations.empty()) return End(BadInput(violations));
    region_ = *region;
    FillBoard(*status, OwnerOf(context_), *response_.mutable_header()->mutable_board());
    const auto self = shared_from_this();
    context_.boards.Pin(request_.name(), [self](Result<boards::PinnedBoard> pin) {
      if (!pin) return self->End(BoardFailed(pin.error()));
      self->pin_ = *std::move(pin);
      self->packed() ? self->WriteHeader(PackedBytes(self->region_.width, self->region_.height))
                     : self->MakeFile();
    });
  }

  bool packed() const {
    return request_.output_format() == v1::OUTPUT_FORMAT_UNSPECIFIED ||
           request_.output_format() == v1::OUTPUT_FORMAT_PACKED;
  }

  void MakeFile() {
    const auto self = shared_from_this();
    const auto cells =
        std::make_shared<life::Board>(life::Board::Empty(region_.width, region_.height));
    PostPieces(context_.conversions, [self, cells] {
      const auto band = self->NextBand();
      if (!band) {
        self->End(BoardFailed(band.error()));
        return false;
      }
      const std::size_t row_words = life::WordsPerRow(cells->width);
      std::copy(band->words.begin(), band->words.end(),
                cells->words.begin() +
                    static_cast<std::ptrdiff_t>((self->next_row_ - band->height) * row_words));
      if (self->next_row_ < self->region_.height && !self->gone()) return true;
      self->pin_.cells.reset();
      self->WriteFile(*cells);
      return false;
    });
  }

  void WriteFile(const life::Board& cells) {
    auto file = FileOf(cells);
    if (!file)
      return End(
          BadInput({{"output_format", v1::OutputFormat_Name(request_.output_format()),
                     "the file would pass 256 MiB; ask for OUTPUT_FORMAT_PACKED, or a smaller "
                     "region"}}));
    file_ = *std::move(file);
    WriteHeader(file_.size());
  }

  tl::expected<std::string, formats::OutputTooLarge> FileOf(const life::Board& cells) const {
    const Region whole = formats::WholeBoard(cells);
    const formats::Cell corner{region_.x, region_.y};
    if (request_.output_format() == v1::OUTPUT_FORMAT_CELLS)
      return formats::WriteCells(cells, whole, kMostFileBytes);
    if (request_.output_format() == v1::OUTPUT_FORMAT_LIFE106)
      return formats::WriteLife106(cells, whole, corner, kMostFileBytes);
    if (request_.output_format() == v1::OUTPUT_FORMAT_LIFE105)
      return formats::WriteLife105(cells, whole, corner, pin_.shape.rule, kMostFileBytes);
    formats::RleHeader header{.rule = pin_.shape.rule};
    // A part of a board has a place, and no border of its own.
    const boards::BoardShape& shape = pin_.shape;
    if (region_ == Region{0, 0, shape.width, shape.height}) {
      header.grid = formats::BoundedGrid{shape.topology, shape.width, shape.height};
    } else {
      header.golly_position = corner;
    }
    if (pin_.generation != 0) header.generation = pin_.generation;
    return formats::WriteRle(cells, whole, header, kMostFileBytes);
  }

  // The next rows of the region; for one thread at a time.
  Result<life::Board> NextBand() {
    const std::uint32_t rows =
        std::min(region_.height - next_row_, RowsOfBand(PackedRowBytes(region_.width)));
    auto band = ReadCells(*pin_.cells, {region_.x, region_.y + next_row_, region_.width, rows});
    next_row_ += rows;
    return band;
  }

  void WriteHeader(std::uint64_t total_bytes) {
    left_ = total_bytes;
    v1::ReadRegionHeader& header = *response_.mutable_header();
    header.mutable_board()->set_generation(pin_.generation);
    header.mutable_region()->set_x(region_.x);
    header.mutable_region()->set_y(region_.y);
    header.mutable_region()->set_width(region_.width);
    header.mutable_region()->set_height(region_.height);
    header.set_generation(pin_.generation);
    header.set_total_bytes(total_bytes);
    Write();
  }

  void WriteNext() {
    if (packed()) {
      const auto band = NextBand();
      if (!band) return End(BoardFailed(band.error()));
      response_.set_data(PackRows(*band));
    } else {
      response_.set_data(file_.substr(file_.size() - left_, kBandBytes));
    }
    left_ -= response_.data().size();
    Write();
  }

  void Write() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (gone_) {
      FinishWith(NotAnswered(entry_->Gone(), ""));
    } else {
      StartWrite(&response_);
    }
  }

  void End(const grpc::Status& status) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    FinishWith(status);
  }

  void FinishWith(const grpc::Status& status) GPUSIM_REQUIRES(mutex_) {
    entry_->End(status);
    Finish(status);
  }

  void OnWriteDone(bool ok) override {
    SeeWhatCameBefore();
    if (!ok || gone()) {
      End(NotAnswered(entry_->Gone(), ""));
    } else if (left_ == 0) {
      End(grpc::Status::OK);
    } else {
      context_.conversions.Post([self = shared_from_this()] { self->WriteNext(); });
    }
  }

  void OnCancel() override {
    const batching::MutexLock lock(mutex_);
    gone_ = true;
  }

  bool gone() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    return gone_;
  }

  // See simulate.cc.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  void OnDone() override {
    SeeWhatCameBefore();
    entry_.reset();
    const auto last = std::move(grpcs_hold_);
  }

  const ServingContext& context_;
  const v1::ReadRegionRequest request_;
  std::shared_ptr<ReadRegionCall> grpcs_hold_;

  // Of whoever does what is under way.
  Region region_;
  boards::PinnedBoard pin_;
  std::uint32_t next_row_ = 0;
  std::string file_;
  std::uint64_t left_ = 0;  // bytes that are to be told
  v1::ReadRegionResponse response_;

  std::optional<CallEntry> entry_;  // until OnDone

  batching::Mutex mutex_;
  bool gone_ GPUSIM_GUARDED_BY(mutex_) = false;  // the caller
};

}  // namespace

ReadReactor* StartReadRegion(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::ReadRegionRequest& request) {
  return ReadRegionCall::Start(context, call, request);
}

}  // namespace gpusim::server
