#include "harness/party/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/data/csv.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {

namespace {

std::vector<std::string> take_ids(Dataset& data, const std::string& name) {
  const auto column = std::ranges::find(data.features, name, &Column::name);
  if (column == data.features.end())
    throw Error(
        fmt::format("{}: no column '{}'; the parties' rows are matched by it (data.id names "
                    "another)",
                    data.path, printable(name)));
  std::vector<std::string> ids;
  ids.reserve(data.rows());
  for (size_t row = 0; row < data.rows(); ++row) {
    const float code = column->values[row];
    if (std::isnan(code))
      throw Error(fmt::format("{}: row {} has no id; give every row one", data.path, row + 1));
    ids.push_back(column->categories[static_cast<size_t>(code)]);
  }
  data.features.erase(column);
  if (data.features.empty()) throw Error(fmt::format("{}: no feature beside id", data.path));
  return ids;
}

bool before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

TableOptions table_options(Party owner, const DataSpec& data) {
  TableOptions options{.owner = owner, .label = data.label, .drop = data.drop};
  if (!data.id.empty()) options.id = data.id;
  return options;
}

Dataset select_rows(const Dataset& data, const std::vector<uint32_t>& rows) {
  Dataset out{data.name, data.source, data.path, data.sha256, {}, {}};
  for (uint32_t row : rows) out.labels.push_back(data.labels[row]);
  for (const Column& column : data.features) {
    Column kept{column.name, {}, column.categories};
    for (uint32_t row : rows) kept.values.push_back(column.values[row]);
    out.features.push_back(std::move(kept));
  }
  return out;
}

PartyTable read_table(const std::string& path, const TableOptions& options, ThreadPool& pool) {
  CsvOptions csv{.regression = options.regression,
                 .label_required = options.owner == Party::ap && options.label_required,
                 .text_columns = options.text_columns,
                 .label = options.label,
                 .drop = options.drop,
                 .named_elsewhere = true};
  csv.text_columns.push_back(options.id);  // an id is a name, also where it is a number
  Dataset data = read_csv(path, csv, pool);
  const bool has_label = !std::isnan(data.labels.front());
  if (options.owner == Party::pp && has_label)
    throw Error(fmt::format("{}: has a column {}, but PP has no labels; drop it", path,
                            printable(options.label)));
  data.sha256 = sha256_of_file(path);
  std::vector<std::string> ids = take_ids(data, options.id);
  std::vector<uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return before(ids[a], ids[b]); });
  PartyTable out{select_rows(data, order), {}};
  for (uint32_t row : order) {
    if (!out.ids.empty() && out.ids.back() == ids[row])
      throw Error(fmt::format("{}: the id '{}' stands twice; each row needs its own", path,
                              printable(ids[row])));
    out.ids.push_back(std::move(ids[row]));
  }
  return out;
}

}  // namespace maskbench
