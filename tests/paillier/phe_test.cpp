#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fixture.hpp"

namespace maskbench::paillier {
namespace {

std::string python() {
  const char* chosen = std::getenv("MASKBENCH_PYTHON");
  return chosen != nullptr ? chosen : "python3";
}

bool phe_is_there() {
  return std::system((python() + " -c 'import phe' 2>/dev/null").c_str()) == 0;
}

// Puts the lines to phe_peer.py and returns its answers.
std::vector<std::string> ask(const std::vector<std::string>& lines) {
  const std::string base =
      (std::filesystem::temp_directory_path() / ("maskbench_phe_" + std::to_string(getpid())))
          .string();
  std::ofstream questions(base + ".in");
  for (const auto& line : lines) questions << line << '\n';
  questions.close();
  const std::string command = python() + " " MASKBENCH_TEST_DIR "/paillier/phe_peer.py < " + base +
                              ".in > " + base + ".out";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<std::string> answers;
  std::ifstream file(base + ".out");
  for (std::string line; std::getline(file, line);) answers.push_back(line);
  std::filesystem::remove(base + ".in");
  std::filesystem::remove(base + ".out");
  EXPECT_EQ(answers.size(), lines.size());
  answers.resize(lines.size(), "0");
  return answers;
}

std::string text(const CipherMessage& message, std::size_t i, const PublicKey& key) {
  return read_limbs(message[i], key.ciphertext_limbs()).get_str();
}

CipherMessage message_of(const PublicKey& key, const std::vector<std::string>& numbers) {
  CipherMessage message(key, numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    write_limbs(message[i], key.ciphertext_limbs(), mpz_class(numbers[i]));
  return message;
}

class Phe : public testing::Test {
 protected:
  void SetUp() override {
    if (!phe_is_there())
      GTEST_SKIP() << "phe is not installed for " << python() << " (set MASKBENCH_PYTHON)";
  }
  Parties parties{1024};
  std::vector<mpz_class> values = seeded_values(8, 1000, 9);
  std::string n = parties.n().get_str();
};

TEST_F(Phe, decrypts_what_we_encrypt) {
  const std::string secret = parties.secret.p.get_str() + " " + parties.secret.q.get_str();
  const auto by_owner = parties.encrypt(values);
  const auto by_evaluator = parties.evaluator.send(parties.evaluator.embed(Plaintexts(values)));
  std::vector<std::string> questions;
  for (const auto* message : {&by_owner, &by_evaluator})
    for (std::size_t i = 0; i < values.size(); ++i)
      questions.push_back("decrypt " + n + " " + secret + " " + text(*message, i, parties.key()));
  const auto answers = ask(questions);
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(mpz_class(answers[i]), values[i % values.size()]);
}

TEST_F(Phe, ciphertexts_are_decrypted_and_added_by_us) {
  std::vector<std::string> questions;
  for (const auto& value : values) questions.push_back("encrypt " + n + " " + value.get_str());
  const CipherMessage message = message_of(parties.key(), ask(questions));
  EXPECT_EQ(parties.decrypt(message), values);
  Ciphertexts sum = parties.evaluator.receive(message);
  parties.evaluator.add(sum, parties.evaluator.receive(parties.encrypt(values)));
  const auto sums = parties.decrypt(parties.evaluator.send(sum));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(sums[i], 2 * values[i]);
}

TEST_F(Phe, adds_our_ciphertexts) {
  const auto message = parties.encrypt(values);
  const auto answers = ask(
      {"sum " + n + " " + text(message, 0, parties.key()) + " " + text(message, 1, parties.key())});
  EXPECT_EQ(parties.decrypt(message_of(parties.key(), answers))[0], values[0] + values[1]);
}

TEST_F(Phe, reads_what_we_encrypt_with_its_own_key) {
  std::istringstream key_line(ask({"own 1024"})[0]);
  std::string own_n, p, q;
  key_line >> own_n >> p >> q;
  const PublicKey key{mpz_class(own_n)};
  const Evaluator evaluator(key, parties.pool);
  const auto message = evaluator.send(evaluator.embed(Plaintexts(values)));
  std::vector<std::string> questions;
  for (std::size_t i = 0; i < values.size(); ++i)
    questions.push_back("decrypt " + own_n + " " + p + " " + q + " " + text(message, i, key));
  const auto answers = ask(questions);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(mpz_class(answers[i]), values[i]);
}

}  // namespace
}  // namespace maskbench::paillier
