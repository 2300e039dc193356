#include "client/cli/provenance_text.h"

#include "client/cli/text.h"

namespace gpusim::cli {

std::string BackendText(v1::Backend backend) {
  switch (backend) {
    case v1::BACKEND_CPU:
      return "cpu";
    case v1::BACKEND_CUDA:
      return "cuda";
    default:
      return "unknown";
  }
}

std::string ProvenanceText(const v1::Provenance& provenance) {
  std::string text;
  if (provenance.method() == v1::METHOD_EXACT) text += "exact, ";
  if (provenance.method() == v1::METHOD_MONTE_CARLO) text += "monte carlo, ";
  if (provenance.backend() != v1::BACKEND_UNSPECIFIED) {
    text += BackendText(provenance.backend()) + ", ";
  }
  if (!provenance.device().empty()) text += Printable(provenance.device()) + ", ";
  if (provenance.cached()) text += "cached, ";
  if (!text.empty()) text = text.substr(0, text.size() - 2) + '\n';
  if (provenance.has_stream()) text += "stream: " + StreamText(provenance.stream()) + '\n';
  return text;
}

std::string StreamText(const v1::RandomStream& stream) {
  return "--seed " + std::to_string(stream.seed()) + " --subsequence " +
         std::to_string(stream.subsequence()) + " --offset " + std::to_string(stream.offset());
}

}  // namespace gpusim::cli
