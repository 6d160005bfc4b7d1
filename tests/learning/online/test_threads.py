"""One OnlinePerceptron in several threads: every answer is that of some moment of the model."""

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from profiles import scaled

from rosenblatt import OnlinePerceptron, load, save


@pytest.fixture
def _eager_threads():
    """Threads that take turns every few microseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


ROWS = [{f"f{j}": float(i * j % 5), f"g{i % 7}": 1.0} for i in range(24) for j in (i % 3,)]


@pytest.mark.usefixtures("_eager_threads")
def test_eight_threads_predict_as_one():
    """Each row is encoded in the same arrays as the others."""
    model = OnlinePerceptron().learn_many(ROWS, [i % 4 for i in range(24)])
    expected = [model.score_one(row) for row in ROWS], [model.predict_one(row) for row in ROWS]

    def predict(k):
        for i in [(i * 5 + k) % 24 for i in range(24)] * scaled(8):
            assert model.score_one(ROWS[i]) == expected[0][i]
            assert model.predict_one(ROWS[i]) == expected[1][i]
        assert model.predict_many(ROWS).tolist() == expected[1]
        return k

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(predict, range(8))) == list(range(8))


@pytest.mark.usefixtures("_eager_threads")
def test_eight_threads_predict_beside_one_that_learns():
    """New names, new labels, single rows and batches: to the same bits as without readers."""
    model, alone = (OnlinePerceptron().learn_many(ROWS[:2], ["0", "1"]) for _ in range(2))
    finished = threading.Event()

    def predict(k):
        calls = 0
        while not finished.is_set():
            probabilities = model.predict_proba_one(ROWS[(calls + k) % 24])
            assert sum(probabilities.values()) == pytest.approx(1.0)
            assert model.predict_one(ROWS[k]) in model.classes_
            assert len(model.predict_proba_many(ROWS)) == 24
            calls += 1
        return calls

    def learn(learner):
        for i in range(scaled(120)):
            name, label = {f"n{i}": 1.0}, str(i % 9)
            learner.learn_one(ROWS[i % 24] | name, label)
            learner.learn_many([ROWS[i % 5], name], [label, "0"])

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(predict, k) for k in range(8)]
        try:
            learn(model)
        finally:
            finished.set()
        assert sum(reader.result() for reader in readers) > 8
    learn(alone)
    assert model.feature_names_ == alone.feature_names_
    for label in alone.classes_:
        assert model.weights_of(label) == alone.weights_of(label)


def test_copies_and_pickles_have_a_lock_of_their_own():
    model = OnlinePerceptron().learn_many(ROWS, [i % 2 for i in range(24)])
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        with model._lock:
            assert in_another_thread(other.predict_one, ROWS[0]) == model.predict_one(ROWS[0])


def in_another_thread(function, *arguments):
    """Call a function in another thread, which does not hold this one's locks."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result(timeout=10)


@pytest.mark.usefixtures("_eager_threads")
def test_weights_files_and_copies_beside_one_that_learns(tmp_path):
    model = OnlinePerceptron().learn_many(ROWS[:2], ["0", "1"])
    finished = threading.Event()

    def read(k):
        while not finished.is_set():
            assert len(model.weights_of("1")) <= len(model.feature_names_)
            assert model.updates_ <= model.mistakes_ + 1
            save(model, tmp_path / str(k))
            loaded, unpickled = load(tmp_path / str(k)), pickle.loads(pickle.dumps(model))
            for other in (loaded, unpickled):
                rows = other.predict_many(ROWS)
                assert [other.predict_one(row) for row in ROWS] == rows.tolist()

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read, k) for k in range(4)]
        try:
            for i in range(scaled(60)):
                model.learn_one(ROWS[i % 24] | {f"n{i}": 1.0}, str(i % 5))
        finally:
            finished.set()
        for reader in readers:
            reader.result()
