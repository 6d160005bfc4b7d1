"""An S3 server of this process, and a bucket in it."""

import os
import secrets
import threading
from contextlib import contextmanager
from unittest.mock import patch

SETTINGS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}


_ONE_AT_A_TIME = threading.Lock()


def _in_turn(put):
    """Return moto's way to store an object, for one request at a time.

    S3 creates an object once, whoever asks; moto looks whether there is one, and stores it later.
    """

    def put_in_turn(response):
        with _ONE_AT_A_TIME:
            return put(response)

    return put_in_turn


@contextmanager
def s3_bucket():
    """Yield the URL of an empty bucket, which this process and its children find."""
    import logging

    import s3fs
    from moto.s3.responses import S3Response
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    before = dict(os.environ)
    os.environ.update(SETTINGS, AWS_ENDPOINT_URL=f"http://{host}:{port}")
    try:
        bucket = f"shipped-{secrets.token_hex(4)}"  # servers of one process share their buckets
        s3fs.S3FileSystem(skip_instance_cache=True).mkdir(bucket)
        with patch.object(S3Response, "put_object", _in_turn(S3Response.put_object)):
            yield f"s3://{bucket}/store"
    finally:
        os.environ.clear()
        os.environ.update(before)
        s3fs.S3FileSystem.clear_instance_cache()  # the next server has another address
        server.stop()
