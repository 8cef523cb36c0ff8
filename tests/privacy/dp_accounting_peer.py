"""The same question asked of dp-accounting (PyPI); prints one eps."""
import math
import sys

from dp_accounting.pld import privacy_loss_distribution as pld

kind, *numbers = sys.argv[1:]
if kind == "gaussian":
    m, count, delta = float(numbers[0]), int(numbers[1]), float(numbers[2])
    one = pld.from_gaussian_mechanism(1 / m, value_discretization_interval=1e-4)
    print(one.self_compose(count).get_epsilon_for_delta(delta))
elif kind == "response":
    eps, q, count, delta = float(numbers[0]), int(numbers[1]), int(numbers[2]), float(numbers[3])
    # There the noisy branch may hit the true bucket again: keep = 1 - p + p/q.
    keep = math.exp(eps) / (math.exp(eps) + q - 1)
    one = pld.from_randomized_response((1 - keep) * q / (q - 1), q, value_discretization_interval=1e-4)
    print(one.self_compose(count).get_epsilon_for_delta(delta))
else:
    sys.exit(f"unknown kind {kind}")
