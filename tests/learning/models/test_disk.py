"""Atomic saving: the old file or the new one is complete, whatever fails."""

import errno
import os
import stat
import subprocess

import numpy as np
import pytest
from saved_models import assert_same, fitted, run

from rosenblatt import Perceptron
from rosenblatt.models import load, save

# --- the disk ------------------------------------------------------------------------------------


def assert_untouched(model, path):
    assert_same(model, load(path))
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_at_any_step_keeps_the_old_file(call, saved, path, monkeypatch):
    def fail(*arguments):
        raise OSError(errno.EIO, "the disk is on fire")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match=r"the disk is on fire.*untouched") as failure:
        save(fitted(), path)
    monkeypatch.undo()
    assert failure.value.errno == errno.EIO
    assert failure.value.filename == str(path)
    assert_untouched(saved, path)


def test_an_interrupt_keeps_the_old_file(saved, path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(fitted(), path)
    assert_untouched(saved, path)


def test_the_file_is_synced_before_it_is_renamed(path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace

    def seen_fsync(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        calls.append((kind, os.fstat(descriptor).st_size if kind == "file" else None))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", lambda *names: calls.append("rename") or replace(*names))
    save(fitted(), path)
    assert calls == [("file", path.stat().st_size), "rename", ("folder", None)]


def test_a_folder_that_cannot_be_synced_is_ignored(path, monkeypatch):
    fsync = os.fsync

    def fail_on_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no such thing here")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_on_folders)
    save(fitted(), path)
    load(path)


def test_paths_that_cannot_be_written(saved, path):
    for bad, kind in {
        path / "below a file": NotADirectoryError,
        path.parent / "no folder" / "model": FileNotFoundError,
        path.parent: IsADirectoryError,
        path.parent / ("x" * 300): OSError,
    }.items():
        with pytest.raises(kind, match=r"was not saved \(.*a folder that exists") as failure:
            save(saved, bad)
        assert failure.value.filename == str(bad)
    assert_untouched(saved, path)


def test_a_device_or_a_pipe_is_not_replaced(saved, path):
    pipe = path.parent / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="was not saved"):
        save(saved, pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_permissions_follow_the_umask_and_links_stay(saved, path):
    link = path.parent / "link"
    link.symlink_to(path.name)
    umask = os.umask(0o027)
    try:
        save(fitted(), link)
    finally:
        os.umask(umask)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert load(path).rule == "perceptron"


def test_a_file_that_others_cannot_read_stays_so(saved, path):
    for mode in (0o600, 0o400):
        path.chmod(mode)
        save(fitted(), path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("only root can make a small disk to fill")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_keeps_the_old_file(saved, tiny_disk):
    path = tiny_disk / "model"
    save(saved, path)
    big = Perceptron().partial_fit(np.eye(3, 5000), [0, 1, 2])
    with pytest.raises(OSError, match="No space left") as failure:
        save(big, path)
    assert failure.value.errno == errno.ENOSPC
    assert failure.value.filename == str(path)
    assert_untouched(saved, path)


def test_a_file_size_limit_keeps_the_old_file(saved, path):
    code = f"""
        import resource, numpy as np, rosenblatt
        model = rosenblatt.load({str(path)!r}).partial_fit(np.eye(3, 5), [0, 1, 2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        try:
            rosenblatt.save(model, {str(path)!r})
        except OSError as error:
            print(error.errno, error.filename)
    """
    assert run(code) == f"{errno.EFBIG} {path}\n"
    assert_untouched(saved, path)


def test_kill_at_any_moment_leaves_a_complete_file(tmp_path):
    path = tmp_path / "model"
    code = f"""
        import os, random, signal, time
        import numpy as np
        import rosenblatt

        def model(label):
            model = rosenblatt.Perceptron(verbose=label)
            model.partial_fit(np.full((2, 200_000), label + 0.5), [0, 1])
            return model

        models = [model(0), model(1)]
        rosenblatt.save(models[0], {str(path)!r})
        versions, torn, kills = set(), 0, 0
        random.seed(0)
        while kills < 15 or (not (torn and len(versions) == 2) and kills < 200):
            child = os.fork()
            if child == 0:
                while True:
                    rosenblatt.save(models[kills % 2], {str(path)!r})
            time.sleep(random.uniform(0.005, 0.05 + 0.005 * kills))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            loaded = rosenblatt.load({str(path)!r})
            twin = models[loaded.verbose]
            assert loaded._state.W.tobytes() == twin._state.W.tobytes()
            versions.add(loaded.verbose)
            kills += 1
            for name in set(os.listdir({str(tmp_path)!r})) - {{"model"}}:
                assert name.startswith(".rosenblatt-") and name.endswith(".tmp")
                torn += 1
                os.unlink(os.path.join({str(tmp_path)!r}, name))
        print(sorted(versions), torn > 0)
    """
    assert run(code) == "[0, 1] True\n"  # both were written, and some died half-way
