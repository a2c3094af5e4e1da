# SPDX-License-Identifier: BSD-2-Clause
"""Lanes: run jobs in parallel. Each has processes of its own, which end when the check does."""
import concurrent.futures
import contextlib
import os
import signal
import subprocess
import threading

from processes import start_process

GRACE_SECONDS = 30      # for a process after SIGTERM; the lab cleans up in this time


def processors():
    return len(os.sched_getaffinity(0))


def default():
    """Return more lanes than processors, because a VM or a script waits at times."""
    return processors() + 2


class Children:
    """The processes that run at present."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.ended = False

    @contextlib.contextmanager
    def start(self, command, **options):
        """Run a command in a process group of its own during the with block; yields the Popen."""
        with self.lock:
            if self.ended:
                raise InterruptedError("the check ends")
            process = start_process(command, **options)
            self.running.add(process)
        try:
            yield process
        finally:
            self._finish(process)
            with self.lock:
                self.running.discard(process)

    def _finish(self, process):
        if process.poll() is None:
            self._signal(process, signal.SIGTERM)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal(process, signal.SIGKILL)
            process.wait()
        if process.stdout:
            process.stdout.close()

    def end(self):
        with self.lock:
            self.ended = True
            for process in self.running:
                self._signal(process, signal.SIGTERM)

    @staticmethod
    def _signal(process, signum):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signum)

    def run(self, command, seconds, **options):
        """Return exit status and output of a command; the status is None if it takes too long."""
        with self.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options) as process:
            try:
                output, _ = process.communicate(timeout=seconds)
                return process.returncode, output.decode(errors="replace")
            except subprocess.TimeoutExpired as late:
                return None, (late.stdout or b"").decode(errors="replace")


children = Children()


def run(jobs, lanes, interrupted):
    """Run jobs, which are functions without arguments, in their order, with this number in parallel. If an exception
    ends this early, call interrupted() before the processes of running jobs are ended."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=lanes) as pool:
        try:
            for future in concurrent.futures.as_completed([pool.submit(job) for job in jobs]):
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            interrupted()
            children.end()
            raise
