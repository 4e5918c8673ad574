"""The server: listens, tells where, and ends well when it is told to."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from arborlink.errors import InputError
from arborlink.service.options import ServiceOptions
from arborlink.service.protocol import PatientProtocol
from arborlink.service.service import Service

_N_IN_QUEUE = 512


class Server(uvicorn.Server):
    """uvicorn's server, whose end by SIGTERM or Ctrl-C is no failure.

    Args:
        app: the application.
        options: how the service is run.
    """

    def __init__(self, app: FastAPI, options: ServiceOptions) -> None:
        limits = options.limits
        protocol = type("Protocol", (PatientProtocol,), {"max_head_seconds": limits.max_body_seconds})
        config = uvicorn.Config(
            app,
            host=options.host,
            port=options.port,
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            http=protocol,
            timeout_graceful_shutdown=max(1, round(limits.max_stop_seconds)),
        )
        super().__init__(config)
        self._options = options
        self._service: Service = app.state.service
        self._socket: socket.socket | None = None

    def listen(self) -> str:
        """Take the port; the address to open in a browser.

        Raises:
            InputError: the port is taken, or the address is not this machine's.
        """
        host, port = self._options.host.strip("[]"), self._options.port
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(address)
            # who comes before the server is up waits in the queue of the socket
            self._socket.listen(_N_IN_QUEUE)
        except OSError as error:
            raise InputError(
                f"cannot listen on {host} port {port}: {error.strerror or error}; choose another with --port"
            ) from error
        bound = self._socket.getsockname()[1]
        return f"http://[{host}]:{bound}/" if ":" in host else f"http://{host}:{bound}/"

    def serve_until_told(self) -> bool:
        """Serve until SIGTERM or Ctrl-C; what is running then is finished, within the time the options give.

        Returns:
            Whether all of it was finished; else threads are still at work, and only the end of the process ends them.
        """
        if self._socket is None:
            self.listen()
        assert self._socket is not None
        self.run(sockets=[self._socket])
        return self._service.is_done

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """End when told so; unlike uvicorn's own, do not die of the signal afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        told = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in told}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
