#include "harness/exchange/price.hpp"

#include <iterator>
#include <stdexcept>

namespace maskbench {

namespace {

using privacy::Note;

std::string said(std::string reason) {
  if (reason.empty()) throw std::logic_error("a price needs its reason");
  return reason;
}

std::vector<privacy::Charge> counted(std::vector<privacy::Charge> charges) {
  for (const privacy::Charge& charge : charges) {
    if (charge.count > 0) return charges;
  }
  throw std::logic_error("a covered message needs the mechanism that covers it");
}

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Price Price::covered(std::vector<privacy::Charge> charges) {
  Price price;
  price.charges_ = counted(std::move(charges));
  return price;
}

Price Price::together(std::vector<privacy::Charge> charges) {
  Price price;
  price.together_.push_back(counted(std::move(charges)));
  return price;
}

Price Price::derived(std::string from_what) {
  said(std::move(from_what));
  return {};
}

Price Price::exposed(std::string reason, privacy::View from) {
  Price price;
  price.notes_.push_back({Note::Kind::exposed, from, said(std::move(reason))});
  return price;
}

Price Price::not_personal(std::string reason) {
  said(std::move(reason));
  Price price;
  price.personal_ = false;
  return price;
}

Price Price::and_also(Price other) && {
  personal_ = personal_ || other.personal_;
  append(charges_, std::move(other.charges_));
  append(together_, std::move(other.together_));
  append(notes_, std::move(other.notes_));
  return std::move(*this);
}

Price Price::given(std::string premise) && {
  notes_.push_back({Note::Kind::premise, privacy::View::stated, said(std::move(premise))});
  return std::move(*this);
}

Price Price::noting(const std::vector<Note>& notes) && {
  append(notes_, notes);
  return std::move(*this);
}

void Price::enter(privacy::Ledger& ledger) const {
  for (const privacy::Charge& charge : charges_) ledger.charge(charge);
  for (const auto& charges : together_) ledger.charge_together(charges);
  for (const Note& note : notes_) ledger.note(note);
  if (personal_ && charges_.empty() && together_.empty()) ledger.count_message();
}

}  // namespace maskbench
