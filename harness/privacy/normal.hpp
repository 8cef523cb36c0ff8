#pragma once

namespace maskbench::privacy {

double normal_pdf(double x);
double normal_cdf(double x);       // Phi(x); Phi(-x) keeps its relative precision in the tail
double scaled_erfc(double x);      // exp(x^2) erfc(x) for x >= 0
double log_normal_cdf(double x);   // ln Phi(x), also where Phi underflows
double normal_quantile(double p);  // x with Phi(x) = p

}  // namespace maskbench::privacy
