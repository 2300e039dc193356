// A position of CamelUpService, in messages or as text, for the domain.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/camel_up.h"
#include "kernels/violation.h"

namespace gpusim::server {

// `field` names it in the violation.
tl::expected<camel_up::Edition, Violations> ReadEdition(v1::Edition edition,
                                                        const std::string& field);

// A legal position, its tiles with their owners; or all its faults at once, their fields behind `prefix`, which
// ends with a point ("position."). Lists that are longer than any position's are refused unread, so that a large
// message costs no more than its own parsing.
tl::expected<camel_up::Position, Violations> ReadPosition(const v1::Position& message,
                                                          const std::string& prefix);

// Adds what a check of the rules found to what reading found. Fields that have a fault already are not named a
// second time.
void AddRuleFaults(Violations found, Violations& violations);

}  // namespace gpusim::server
