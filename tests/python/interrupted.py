"""Ctrl-C in the middle of a call."""
import os
import signal
import threading
import time

import pytest


def answer_s(call, after_s=0.7, tries=3):
    """Seconds from Ctrl-C to KeyboardInterrupt out of `call(i)`: the best of `tries`, because the machine may be busy."""
    waits = []
    for i in range(tries):
        sent = []

        def interrupt(sent=sent):
            time.sleep(after_s)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            call(i)
        waits.append(time.perf_counter() - sent[0])
        if waits[-1] < 0.2:
            break
    return min(waits)
