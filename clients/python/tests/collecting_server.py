"""A server that takes all events, and knows them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class CollectingServer(ThreadingHTTPServer):
    """`accepts` says of an event whether it is taken; a request with another one fails with a firewall's page."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, accepts=lambda event: True):
        self.accepts = accepts
        self.events = []
        self.blocked = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def actors(self):
        """The actors of all events, each as often as it came."""
        with self.lock:
            return sorted(event["actor_id"] for event in self.events)

    def handle_error(self, request, client_address):
        pass

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        events = body.get("events", [body])
        items = [{"id": "1", "status": "queued"} for _ in events]
        status, text = 202, json.dumps({"events": items} if "events" in body else items[0])
        with self.server.lock:
            if all(self.server.accepts(event) for event in events):
                self.server.events += events
            else:
                status, text = 403, "<html>blocked</html>"
                self.server.blocked.append([event["actor_id"] for event in events])
        data = text.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
