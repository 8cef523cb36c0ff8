#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/base/text.hpp"
#include "harness/config/schema.hpp"

namespace maskbench {

template <class T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;   // low itself is not allowed
  bool below_high = false;  // high itself is not allowed

  bool contains(double x) const {
    return (above_low ? x > low : x >= low) && (below_high ? x < high : x <= high);
  }
  std::string text() const {
    const std::string from = above_low ? fmt::format("over {}", low) : fmt::format("from {}", low);
    if (std::isinf(high))
      return above_low ? "a number " + from : fmt::format("a number >= {}", low);
    if (below_high) return fmt::format("a number {} and below {}", from, high);
    return fmt::format("a number {} to {}", from, high);
  }
};

// Makes the keys of one part of the RunSpec; S = RunSpec for the keys that stand at the top.
template <class S>
class Section {
 public:
  Section(std::vector<Key>& keys, std::string prefix, S RunSpec::*part)
      : keys_(keys), prefix_(std::move(prefix)), part_(part) {}

  template <class T>
  void whole(const char* name, T S::*field, T low, T high, const char* help) {
    const auto allowed = fmt::format("a whole number from {} to {}", low, high);
    add(name, help, allowed, field, [=](const std::string& text) {
      auto value = parse_number<T>(text);
      return value && *value >= low && *value <= high ? value : std::nullopt;
    });
  }

  void real(const char* name, double S::*field, Range range, const char* help) {
    add(name, help, range.text(), field, [=](const std::string& text) {
      auto value = parse_number<double>(text);
      return value && range.contains(*value) ? value : std::nullopt;
    });
  }

  void flag(const char* name, bool S::*field, const char* help) {
    add(name, help, "true or false", field, [](const std::string& text) -> std::optional<bool> {
      if (text == "true") return true;
      if (text == "false") return false;
      return std::nullopt;
    });
  }

  template <class T>
  void choice(const char* name, T S::*field, std::vector<std::string> choices, const char* help) {
    const auto allowed = "one of " + join(choices, ", ");
    add(name, help, allowed, field, [choices](const std::string& text) -> std::optional<T> {
      if (std::find(choices.begin(), choices.end(), text) == choices.end()) return std::nullopt;
      if constexpr (std::is_same_v<T, std::string>) {
        return text;
      } else {
        return parse_number<T>(text);
      }
    });
    keys_.back().choices = std::move(choices);
  }

  // An enum by the words of its names.
  template <Named T>
  void choice(const char* name, T S::*field, const char* help) {
    custom(
        name, field, ("one of " + join(all_names<T>(), ", ")).c_str(), help,
        [](T value) { return std::string(name_of(value)); },
        [](const std::string& text) { return from_name<T>(text); });
    keys_.back().choices = all_names<T>();
  }

  // For what fits none of the above; to_text and from_text are each other's inverse.
  template <class T, class ToText, class FromText>
  void custom(const char* name, T S::*field, const char* allowed, const char* help, ToText to_text,
              FromText from_text) {
    add(name, help, allowed, field, from_text);
    keys_.back().get = [part = part_, field, to_text](const RunSpec& spec) {
      return to_text(section(spec, part).*field);
    };
  }

 private:
  template <class Spec>
  static auto& section(Spec& spec, S RunSpec::*part) {
    if constexpr (std::is_same_v<S, RunSpec>) {
      return spec;
    } else {
      return spec.*part;
    }
  }

  template <class T, class Parse>
  void add(const char* name, const char* help, std::string allowed, T S::*field, Parse parse) {
    Key key;
    key.name = prefix_ + name;
    key.help = help;
    key.allowed = std::move(allowed);
    if constexpr (!Named<T> && fmt::is_formattable<T>::value) {
      key.get = [part = part_, field](const RunSpec& spec) {
        return fmt::format("{}", section(spec, part).*field);
      };
    }
    key.set = [part = part_, field, parse](RunSpec& spec, const std::string& text) {
      auto value = parse(text);
      if (value) section(spec, part).*field = std::move(*value);
      return value.has_value();
    };
    keys_.push_back(std::move(key));
  }

  std::vector<Key>& keys_;
  std::string prefix_;
  S RunSpec::*part_;
};

}  // namespace maskbench
