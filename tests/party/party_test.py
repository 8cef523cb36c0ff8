#!/usr/bin/env python3
"""Two processes on loopback: the same model, messages and rows as in one, and what happens when something breaks.

party_test.py MASKBENCH
"""
import csv
import json
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from place import MASKBENCH, SCRIPTS, Place, Relay, finish, free_port, model, rows, run_of, skip_without_grpc

TIMES = re.compile(r"(.*seconds.*|peak_rss|party_peak_rss)$")
BY_JUDGE = {"thm1_deviation_share", "gain_lost", "true_argmax_share", "thm1_bound",  # need both parties' clean data
            "query_bit_auc", "query_bit_auc_max"}


class PartyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()

    @classmethod
    def tearDownClass(cls):
        cls.place.holder.cleanup()

    def expect_line(self, ended, *words):
        code, err = ended
        self.assertEqual(code, 1, err)
        self.assertEqual(len(err.strip().splitlines()), 1, err)
        for word in words:
            self.assertIn(word, err)

    def expect_same_models(self, name, one):
        for role in ("ap", "pp"):
            mine = (self.place.dir / name / role / "model" / f"{role}.json").read_text()
            self.assertEqual(mine, model(one, role), f"{name}: {role}'s model")

    def test_every_method_gives_the_models_and_rows_of_one_process(self):
        listed = json.loads(subprocess.run([MASKBENCH, "list", "--json"], check=True, capture_output=True).stdout)
        methods = {entry["name"]: [] for entry in listed["methods"]}
        self.assertGreaterEqual(len(methods), 13)
        methods["late-fusion stacked"] = ["late_fusion.stack_eps=4", "late_fusion.eps_query=3"]
        for method, more in methods.items():
            with self.subTest(method):
                settings = [f"method={method.split()[0]}", *more]
                for code, err in self.place.both(method, settings, secure=method == "masked"):
                    self.assertEqual(code, 0, err)
                one = self.place.one(f"one-{method}", settings)
                self.expect_same_models(method, one)
                folders = [str(self.place.dir / method / role) for role in ("ap", "pp")]
                merged = self.place.dir / f"two-{method}"
                subprocess.run([MASKBENCH, "merge", *folders, "--out", str(merged)], check=True, capture_output=True)
                for role in ("ap", "pp"):
                    self.assertEqual(model(merged, role), model(one, role))
                unknown = {"train_auc"} if method == "late-fusion" else set()  # PP's answers for the training rows
                self.assertEqual(run_of(one), run_of(merged))
                self.compare_rows(rows(one / "results.csv"), rows(merged / "results.csv"), unknown)

    def compare_rows(self, one, two, unknown):
        for row in (*one.values(), *two.values()):
            row.pop("run")
        fixed = {key: row for key, row in one.items() if not TIMES.match(key[0]) and key[0] not in BY_JUDGE | unknown}
        self.assertGreater(len(fixed), 20)
        self.assertEqual(fixed, {key: row for key, row in two.items() if not TIMES.match(key[0])})

    def test_a_folder_holds_only_what_its_party_may_know(self):
        for code, err in self.place.both("own", ["method=nonprivate"]):
            self.assertEqual(code, 0, err)
        for role in ("ap", "pp"):
            folder = self.place.dir / "own" / role
            names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
            self.assertEqual(names, ["ledger.json", f"model/{role}.json", "party.json", "results.csv", "runs.csv"])
            found = rows(folder / "results.csv")
            metrics = {key[0] for key in found}
            self.assertEqual({row["party"] for row in found.values() if row["metric"].startswith("eps")}, {role.upper()})
            self.assertEqual("test_auc" in metrics, role == "ap")
        header = (self.place.dir / "pp.csv").read_text().splitlines()[0].split(",")[1:]
        text = "".join(p.read_text() for p in (self.place.dir / "own/ap").rglob("*.*") if p.is_file())
        for name in header:
            self.assertNotIn(f'"{name}"', text, "PP's feature in AP's folder")

    def test_differences_are_one_line_on_both_sides(self):
        place = self.place
        address = f"127.0.0.1:{free_port()}"
        ap = place.start("ap", place.dir / "d1/ap", address, ["method=nonprivate", "train.lambda=2"])
        pp = place.start("pp", place.dir / "d1/pp", address, ["method=nonprivate", "train.lambda=3"])
        for ended in (finish(ap), finish(pp)):
            self.expect_line(ended, "train.lambda is 2 at AP and 3 at PP")
        short = place.dir / "short.csv"
        lines = (place.dir / "pp.csv").read_text().splitlines()
        short.write_text("\n".join([lines[0], *lines[4:], "x7" + lines[1][lines[1].index(","):]]) + "\n")
        missing = sorted((line.split(",")[0] for line in lines[1:4]), key=int)[0]
        address = f"127.0.0.1:{free_port()}"
        ap = place.start("ap", place.dir / "d2/ap", address, ["method=nonprivate"])
        pp = place.start("pp", place.dir / "d2/pp", address, ["method=nonprivate"], data=short)
        self.expect_line(finish(ap), "PP lacks 3 of AP's 2000", f"id '{missing}'", "AP lacks 1 of PP's")
        self.expect_line(finish(pp), "AP lacks 1 of PP's 1998", "id 'x7'", "PP lacks 3 of AP's")
        unknown = ["method=nonprivate", "data.text_columns=[nowhere]"]
        for ended in place.both("d4", unknown):
            self.expect_line(ended, "data.text_columns: neither AP nor PP has a column 'nowhere'")
        address = f"127.0.0.1:{free_port()}"
        first = place.start("ap", place.dir / "d3/a", address, secure=False)
        second = place.start("ap", place.dir / "d3/b", address, secure=False, listens=False)
        for ended in (finish(first), finish(second)):
            self.expect_line(ended, "both are AP")

    def test_what_cannot_be_done_between_two_processes_is_refused(self):
        cases = [(["method=masked", "mode=collapsed"], {}, "mode: materialised"),
                 (["method=masked", "attack.name=label-subspace"], {}, "attacks need the judge"),
                 (["method=[masked,smm]"], {}, "2 runs")]
        for settings, more, words in cases:
            self.expect_line(finish(self.place.start("ap", self.place.dir / "r", "127.0.0.1:1", settings, **more)), words)
        self.expect_line(finish(self.place.start("ap", self.place.dir / "r", "10.0.0.1:7000", secure=False)), "loopback")

    def test_a_bad_address_or_certificate_is_said_in_our_words(self):
        place = self.place
        broken = place.dir / "broken"
        broken.mkdir()
        for name in ("ca.pem", "cert.pem", "key.pem"):
            (broken / name).write_text("garbage")
        self.expect_line(finish(place.start("ap", place.dir / "pem", "127.0.0.1:7000", tls=broken)),
                         "ca.pem is not in PEM")
        self.expect_line(finish(place.start("ap", place.dir / "port", "127.0.0.1:99999")), "not an address")
        self.expect_line(finish(place.start("pp", place.dir / "alone", f"127.0.0.1:{free_port()}", wait=1)),
                         "no connection within 1 s; nobody listens there")

    def test_certificates_of_others_expired_ones_and_those_of_the_wrong_role_are_refused(self):
        place = self.place
        subprocess.run([SCRIPTS / "make_certificates.sh", place.dir / "foreign"], check=True)
        expired = place.dir / "expired"
        expired.mkdir()
        request = ["openssl", "x509", "-req", "-CA", place.dir / "tls/ca.pem", "-CAkey", place.dir / "tls/ca.key",
                   "-days", "-1", "-out", expired / "cert.pem", "-in", expired / "request.pem"]
        subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                        "/CN=pp.maskbench", "-keyout", expired / "key.pem", "-out", expired / "request.pem"],
                       check=True, capture_output=True)
        subprocess.run(request, check=True, capture_output=True)
        (expired / "ca.pem").write_bytes((place.dir / "tls/ca.pem").read_bytes())
        for number, tls in enumerate((place.dir / "foreign/pp", expired, place.dir / "tls/ap")):
            with self.subTest(tls.name):
                address = f"127.0.0.1:{free_port()}"
                out = place.dir / f"cert{number}"
                ap = place.start("ap", out / "ap", address, wait=3)
                pp = place.start("pp", out / "pp", address, wait=3, tls=tls)
                self.expect_line(finish(pp), "AP")
                self.expect_line(finish(ap), "PP did not connect within 3 s")

    def test_tls_1_2_is_refused(self):
        place = self.place
        port = free_port()
        ap = place.start("ap", place.dir / "old/ap", f"127.0.0.1:{port}", wait=3)
        answers = {}
        for version in ("tls1_2", "tls1_3"):
            command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", f"-{version}", "-alpn", "h2", "-CAfile",
                       place.dir / "tls/ca.pem", "-cert", place.dir / "tls/pp/cert.pem", "-key",
                       place.dir / "tls/pp/key.pem"]
            for _ in range(50):
                said = subprocess.run(command, input=b"", capture_output=True, timeout=20, check=False)
                answers[version] = (said.stdout + said.stderr).decode(errors="replace")
                if "onnection refused" not in answers[version]:
                    break
                time.sleep(0.1)
        self.assertIn("TLSv1.3, Cipher is TLS_", answers["tls1_3"])
        self.assertIn("Cipher is (NONE)", answers["tls1_2"])
        self.expect_line(finish(ap), "PP did not connect")

    def test_a_killed_party_is_named_and_resume_ends_in_the_same_model(self):
        for method in ("masked", "label-rr", "federboost"):
            with self.subTest(method):
                self.kill_and_resume(method, "pp" if method == "masked" else "ap")

    def kill_and_resume(self, method, victim):
        place, name = self.place, f"killed-{method}"
        settings = [f"method={method}", "train.rounds=300", "privacy.noise_key=seed"]
        address = f"127.0.0.1:{free_port()}"
        parties = {role: place.start(role, place.dir / name / role, address, settings) for role in ("ap", "pp")}
        kept = place.dir / name / "ap/progress/tree-00003.cbor"
        while not kept.exists() and all(party.poll() is None for party in parties.values()):
            time.sleep(0.002)
        parties[victim].send_signal(signal.SIGKILL)
        parties[victim].communicate()
        survivor = "ap" if victim == "pp" else "pp"
        self.expect_line(finish(parties[survivor]), victim.upper() + ": the connection is lost", "last step")
        self.expect_line(finish(place.start("ap", place.dir / name / "ap", address, settings)), "--resume")
        for code, err in place.both(name, settings, ["--resume"]):
            self.assertEqual(code, 0, err)
            self.assertIn("goes on after tree", err)
        one = place.one(f"one-{name}", settings)
        self.expect_same_models(name, one)
        ap = rows(place.dir / name / "ap/results.csv")
        whole = rows(one / "results.csv")
        for key, row in whole.items():
            own = row["metric"] == "eps" and row["party"] == "AP" and row["view"] == "stated"
            if own or key[0].startswith(("wire_bytes", "message_bytes", "test_")):
                self.assertEqual(ap[key]["value"], row["value"], key)

    def test_noise_that_was_sent_is_not_sent_again_to_another(self):
        """PP goes on with its old key, AP has lost its folder and draws other rows: the same noise for both would cancel."""
        place = self.place
        settings = ["method=masked", "train.rounds=300", "privacy.noise_key=os"]
        address = f"127.0.0.1:{free_port()}"
        parties = [place.start(role, place.dir / "lost" / role, address, settings) for role in ("ap", "pp")]
        kept = place.dir / "lost/pp/progress/tree-00001.cbor"
        while not kept.exists() and all(party.poll() is None for party in parties):
            time.sleep(0.002)
        for party in parties:
            party.kill()
            party.communicate()
        shutil.rmtree(place.dir / "lost/ap")
        for ended in place.both("lost", settings, ["--resume"]):
            self.expect_line(ended, "PP holds a training with another AP", "take another --out")

    def test_both_predict_together(self):
        place = self.place
        settings = ["method=nonprivate"]
        for code, err in place.both("trained", settings):
            self.assertEqual(code, 0, err)
        one = place.one("one-trained", settings)
        address = f"127.0.0.1:{free_port()}"
        ended = []
        parties = [place.start(role, place.dir / "predicted" / role, address,
                               extra=["--predict", "--model", str(place.dir / "trained" / role / "model")])
                   for role in ("ap", "pp")]
        ended = [finish(party) for party in parties]
        for code, err in ended:
            self.assertEqual(code, 0, err)
        folder = next(one.glob("models/*"))
        alone = subprocess.run([MASKBENCH, "predict", str(folder), str(place.dir / "data/demo.csv")], check=True,
                               capture_output=True, text=True).stdout.splitlines()[1:]
        with open(place.dir / "predicted/ap/predictions.csv", newline="", encoding="utf-8") as file:
            together = [f"{row['margin']},{row['probability']}" for row in csv.DictReader(file)]
        self.assertEqual(together, alone)  # the ids are the rows' numbers
        self.assertFalse((place.dir / "predicted/pp/predictions.csv").exists())
        self.predict_files_with_other_names(folder, alone)

    def predict_files_with_other_names(self, folder, alone):
        """Of the columns that hold labels and ids, as data.label and data.id say."""
        place = self.place
        renamed = place.dir / "renamed"
        renamed.mkdir()
        for source, name in ((place.dir / "ap.csv", "ap"), (place.dir / "pp.csv", "pp"), (place.dir / "data/demo.csv", "demo")):
            header, rest = source.read_text().split("\n", 1)
            names = {"label": "bought", "id": "customer"}
            (renamed / f"{name}.csv").write_text(",".join(names.get(h, h) for h in header.split(",")) + "\n" + rest)
        address = f"127.0.0.1:{free_port()}"
        parties = [place.start(role, renamed / "out" / role, address, ["data.label=bought", "data.id=customer"],
                               ["--predict", "--model", str(place.dir / "trained" / role / "model")],
                               data=renamed / f"{role}.csv") for role in ("ap", "pp")]
        for code, err in [finish(party) for party in parties]:
            self.assertEqual(code, 0, err)
        self.assertEqual((renamed / "out/ap/predictions.csv").read_text(),
                         (place.dir / "predicted/ap/predictions.csv").read_text())
        said = subprocess.run([MASKBENCH, "predict", str(folder), str(renamed / "demo.csv"), "--label", "bought"],
                              check=True, capture_output=True, text=True)
        self.assertEqual(said.stdout.splitlines()[1:], alone)
        self.assertIn("AUC", said.stderr)
        said = subprocess.run([MASKBENCH, "predict", str(folder), str(renamed / "demo.csv"), "--label", "sold"],
                              check=False, capture_output=True, text=True)
        self.assertEqual(said.returncode, 1)
        self.assertIn("no column 'sold'", said.stderr)

    def test_a_network_that_is_cut_for_a_while_or_for_ever(self):
        place = self.place
        settings = ["method=nonprivate", "train.rounds=100"]
        for forever in (False, True):
            with self.subTest("for ever" if forever else "for a while"):
                relay = Relay()
                name = f"cut-{forever}"
                ap = place.start("ap", place.dir / name / "ap", f"127.0.0.1:{relay.to}", settings)
                pp = place.start("pp", place.dir / name / "pp", f"127.0.0.1:{relay.port}", settings,
                                 timeout=3 if forever else 30)
                kept = place.dir / name / "ap/progress/tree-00003.cbor"
                while not kept.exists() and ap.poll() is None:
                    time.sleep(0.002)
                relay.pass_on.clear()
                if forever:
                    self.expect_line(finish(pp), "AP: ", "sends nothing for 3 s", "last step")
                    relay.close()
                    self.expect_line(finish(ap), "PP: the connection is lost", "last step")
                else:
                    time.sleep(5)
                    self.assertIsNone(ap.poll())
                    relay.pass_on.set()
                    for ended in (finish(ap), finish(pp)):
                        self.assertEqual(ended[0], 0, ended[1])
                    relay.close()

    def test_a_stranger_that_does_not_speak_the_protocol(self):
        place = self.place
        with socket.socket() as stranger:
            stranger.bind(("127.0.0.1", 0))
            stranger.listen()
            held = []
            threading.Thread(target=lambda: held.append(stranger.accept()), daemon=True).start()  # half-open
            silent = place.start("pp", place.dir / "stranger/pp", f"127.0.0.1:{stranger.getsockname()[1]}",
                                 wait=3)
            self.expect_line(finish(silent), "AP at 127.0.0.1", "connection")


if __name__ == "__main__":
    skip_without_grpc()
    unittest.main()
