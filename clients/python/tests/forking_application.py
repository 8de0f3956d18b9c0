"""
An application whose processes share what they inherit. The variables URL, METHOD and FOLDER (empty without a
spool) are for all of them: the server of the forks has no arguments.
"""

import concurrent.futures
import multiprocessing
import os
import sys
import threading

from cairn_client import Batch, Cairn
from cairn_client.spool import Spool

url, method, folder = (os.environ[name] for name in ("URL", "METHOD", "FOLDER"))


def make():
    queue = Spool(folder) if folder else None
    # Nothing is sent before somebody ends: what is lost there is missed.
    return Cairn(url, "test-key", queue=queue, batch=Batch(delay=10_000.0), timeout=60.0, handle_sigterm=True)


# In a child that is not forked, this is made anew when it loads the module.
cairn = make()


def enqueue(name):
    cairn.enqueue({"actor_id": name, "action": "a.b"})


def work(name):
    enqueue(name)
    threads = [threading.Thread(target=enqueue, args=(f"{name} thread {n}",)) for n in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return os.getpid()


def forked(name, code):
    child = os.fork()
    if child == 0:
        work(name)
        sys.exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code


def main():
    work("parent before")
    if method == "os.fork":
        forked("child 0", 0)
        forked("child 1", 7)
    else:
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            # The server of the forks has loaded the application.
            context.set_forkserver_preload(["__main__"])
        children = [context.Process(target=work, args=(f"child {n}",)) for n in range(2)]
        for each in children:
            each.start()
        for each in children:
            each.join()
            assert each.exitcode == 0
        with context.Pool(2) as pool:
            pool.map(work, ["pool 0", "pool 1", "pool 2"])
        # Of which the end is a SIGTERM; this one's is not.
        pool = context.Pool(1)
        pool.map(work, ["pool 3"])
        pool.close()
        pool.join()
        with concurrent.futures.ProcessPoolExecutor(2, context) as executor:
            list(executor.map(work, ["executor 0", "executor 1"]))
    work("parent after")


if __name__ == "__main__":
    main()
