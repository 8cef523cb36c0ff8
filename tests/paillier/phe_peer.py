"""Answers Paillier questions with python's phe, one line each.

own BITS             -> n p q of a key that phe makes
encrypt N VALUE      -> a ciphertext by phe
decrypt N P Q CIPHER -> the signed plaintext that phe reads
sum N C1 C2          -> phe's sum of two ciphertexts
"""
import sys

from phe import paillier


def public(n):
    return paillier.PaillierPublicKey(int(n))


def encrypt(n, value):
    key = public(n)
    return paillier.EncryptedNumber(key, key.raw_encrypt(int(value) % key.n)).ciphertext()


def decrypt(n, p, q, cipher):
    key = public(n)
    value = paillier.PaillierPrivateKey(key, int(p), int(q)).raw_decrypt(int(cipher))
    return value - key.n if value > key.n // 2 else value


def add(n, first, second):
    key = public(n)
    total = paillier.EncryptedNumber(key, int(first)) + paillier.EncryptedNumber(key, int(second))
    return total.ciphertext()


def own(bits):
    key, secret = paillier.generate_paillier_keypair(n_length=int(bits))
    return f"{key.n} {secret.p} {secret.q}"


ANSWERS = {"own": own, "encrypt": encrypt, "decrypt": decrypt, "sum": add}

for line in sys.stdin:
    question, *words = line.split()
    print(ANSWERS[question](*words))
