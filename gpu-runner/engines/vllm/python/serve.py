"""Runs vLLM's server until standard input is closed: by the runner, or by its end. All that the server started ends with it."""

import os
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 20


def main() -> None:
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *sys.argv[1:]]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_with_runner() -> None:
        while os.read(0, 1024):
            pass
        server.terminate()
        try:
            server.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()

    threading.Thread(target=end_with_runner, daemon=True).start()
    print(f"vLLM ended with code {server.wait()}", file=sys.stderr, flush=True)
    # The runner made this process the leader of a group.
    os.killpg(os.getpgrp(), signal.SIGKILL)


main()
