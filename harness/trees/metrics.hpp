#pragma once

#include <cstdint>
#include <span>

namespace maskbench {

// Area under the ROC curve, exact: tied scores count one half. NaN if a class is absent.
double auc(std::span<const float> scores, std::span<const float> labels);
// Mean of -ln p(label) with p clipped to [1e-7, 1 - 1e-7].
double log_loss(std::span<const float> margins, std::span<const float> labels);
// Share of rows with (margin > 0) == label.
double accuracy(std::span<const float> margins, std::span<const float> labels);
// Root of the mean squared difference.
double rmse(std::span<const float> predictions, std::span<const float> labels);

// Peak resident memory of this process in bytes, and a restart of the measurement where the kernel
// allows it.
uint64_t peak_memory();
void reset_peak_memory();

}  // namespace maskbench
