"""An interrupt in the middle of what this process computes, as Ctrl-C sends it."""

import os
import signal
import threading
import time


def interrupt_soon():
    """Interrupt this process after half a second of its processor time, whatever others take."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner may have it ignored
    start = time.process_time()

    def interrupt():
        while time.process_time() < start + 0.5:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
