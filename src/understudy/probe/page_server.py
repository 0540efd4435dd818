"""Serve one page on this computer only."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from understudy.errors import UnderstudyError


@contextmanager
def serve_page(page: str, *, port: int = 0) -> Iterator[str]:
    """Serve a page until the block ends, and yield its address; port 0 picks a free port."""
    content = page.encode()

    class Handler(BaseHTTPRequestHandler):
        """Answers every request with the page."""

        def do_GET(self) -> None:
            """Send the page, or status 404 for any other path."""
            is_page = self.path in ("/", "/index.html")
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", str(len(content) if is_page else 0))
            self.end_headers()
            if is_page:
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Log nothing."""

    try:
        # Bound to the loopback address, so no other computer can reach it.
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise UnderstudyError(
            f"The page cannot be shown on port {port}: {error.strerror}. Give another port."
        ) from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
