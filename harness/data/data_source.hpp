#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"
#include "harness/data/data_place.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/synthetic.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// The file that load_data reads, empty if it generates; throws if a file must be there and is not.
std::string data_file_of(const DataSpec& spec, const std::string& data_dir);

// The data of a run. `dataset` is a name or the path of a .csv or .csv.gz file.
// source auto: the file <data_dir>/<name>.csv or .csv.gz if it is there, else synthetic;
// file: the file or an error; synthetic: the generator, whose data do not depend on the seed.
// `rows` of a file is a (stratified) subsample drawn by the seed; of synthetic data, their number.
Dataset load_data(const DataSpec& spec, const std::string& data_dir, uint64_t seed, bool regression,
                  ThreadPool& pool);

}  // namespace maskbench
