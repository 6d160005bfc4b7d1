"""A receipt says done of no erasure that is not."""

import shutil

from serving import Served
from shipped import wait_for

from rosenblatt.serve.shipping.claim import read_mark
from rosenblatt.serve.shipping.standby import note_name

MODEL = "/v1/models/m"
SENDS_NOTHING = "from rosenblatt.serve.shipping.shipper import Shipper\n"
SENDS_NOTHING += "Shipper._send = lambda self: None\n"
FAST = "import rosenblatt.serve.shipping.shipper as s\ns.BASE_SECONDS = s.GRACE_SECONDS = 0.05\n"


def test_an_erasure_that_was_not_shipped_is_unknown_to_the_one_that_took_over(shipped, tmp_path):
    store, target = shutil.copytree(shipped[0], tmp_path / "a"), tmp_path / "target"
    options = ("--ship", shutil.copytree(shipped[1], target), "--ship-seconds", "0.05")
    with Served(store, *options, code=SENDS_NOTHING) as one:
        lost = one.ask("DELETE", f"{MODEL}/versions/7")["shipped"]["ticket"]
        one.kill()
    with Served(tmp_path / "b", "--restore", target, *options, code=FAST) as two:
        wait_for(lambda: two.get("/v1/shipping")["commits"])
        note = target / note_name(read_mark(tmp_path / "b").id)  # of a standby that it was
        note.parent.mkdir(exist_ok=True)
        note.write_bytes(b'{"id":"b","host":"b","commits":0,"emptied":0,"time":0}')
        later = two.ask("DELETE", f"{MODEL}/versions/8")["shipped"]["ticket"]
        wait_for(lambda: two.get(f"/v1/shipping?erasure={later}")["erasure"]["state"] == "done")
        problem = two.ask("GET", f"/v1/shipping?erasure={lost}", status=404)
        assert "Ask for the erasure again" in problem["detail"]
        assert two.get("/v1/shipping")["standbys"] == []
