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
  if (provenance.backend() != v1::BACKEND_UNSPECIFIED) {
    text += BackendText(provenance.backend()) + ", ";
  }
  if (!provenance.device().empty()) text += Printable(provenance.device()) + ", ";
  if (text.empty()) return "";
  return text.substr(0, text.size() - 2) + '\n';
}

}  // namespace gpusim::cli
