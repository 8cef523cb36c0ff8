#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/data/synthetic.hpp"
#include "kernels/random/philox.hpp"

namespace maskbench {

// The law behind synthetic data: hidden factors drive correlated normal-like traits, one for each
// feature; a feature shows its trait through a lens (as it is, rounded, skewed, in categories, or
// not at all), and the score adds effects of single traits and of pairs of them.
class SyntheticModel {
 public:
  explicit SyntheticModel(const SyntheticShape& shape);

  std::vector<Column> empty_columns() const;

  // Fills row `row` of the columns; returns the noisy score. `traits` is scratch.
  double draw_row(uint32_t row, std::vector<Column>& columns, std::vector<double>& traits) const;

 private:
  enum class Lens { plain, skewed, count, spiked, category };
  enum class Main { linear, threshold, bump, curve };
  enum class Pair { exclusive_or, product, gate };

  struct Feature {
    std::string name;
    Lens lens = Lens::plain;
    Main main = Main::linear;
    double weight = 0;
    double turn = 0;  // where the threshold or the bump lies
    double missing_below = 0;
    double missing_above = 0;  // probability when the trait is high: missing tells something
    std::vector<float> codes;  // of the category for each slice of the trait
    std::vector<double> slice_effects;  // of each slice
  };
  struct Interaction {
    int a = 0;
    int b = 0;
    Pair kind = Pair::product;
    double weight = 0;
  };

  uint32_t law_word(uint32_t item, uint32_t use) const;
  Feature make_feature(int f) const;
  void add_categories(int f, Feature& feature) const;
  float show(const Feature& feature, double trait) const;
  double score(const std::vector<double>& traits) const;

  SyntheticShape shape_;
  PhiloxKey key_;
  std::vector<Feature> features_;
  std::vector<Interaction> interactions_;
  double scale_ = 1;
};

}  // namespace maskbench
