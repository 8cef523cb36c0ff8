#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/synthetic.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// The directory given, else that of the environment variable MASKBENCH_DATA, else none ("").
std::string data_directory(const std::string& given);

// A data set that can be named.
struct AvailableData {
  std::string name;
  const SyntheticShape* shape = nullptr;  // of the paper; null if there is only a file
  std::string file;                       // empty if there is none in the directory
};

// The paper's six, then the directory's other .csv and .csv.gz files by name.
std::vector<AvailableData> list_data(const std::string& data_dir);

// The data of a run. `dataset` is a name or the path of a .csv or .csv.gz file.
// source auto: the file <data_dir>/<name>.csv or .csv.gz if it is there, else synthetic;
// file: the file or an error; synthetic: the generator, whose data do not depend on the seed.
// `rows` of a file is a (stratified) subsample drawn by the seed; of synthetic data, their number.
Dataset load_data(const DataSpec& spec, const std::string& data_dir, uint64_t seed, bool regression,
                  ThreadPool& pool);

}  // namespace maskbench
