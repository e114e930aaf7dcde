"""download_server.py FOLDER PORT_FILE LOG - serves files on 127.0.0.1, in the ways in which servers fail.

The first part of a path is the way: /good/NAME, /dead/NAME, ... Each request adds a line to LOG: path and range.
"""

import http.server
import pathlib
import sys
import time

PIECE = 9_000_000  # bytes after which /breaks/ and /dead/ end a connection
STEP = 1 << 18


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, code, headers, body=b""):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def requested(self, data):
        """The code, the headers and the first byte that the request asks for."""
        asked = self.headers.get("Range")
        if asked is None:
            return 200, {"Content-Length": len(data)}, 0
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        content_range = f"bytes {start}-{len(data) - 1}/{len(data)}"
        return 206, {"Content-Length": len(data) - start, "Content-Range": content_range}, start

    def do_GET(self):
        _, way, name = self.path.split("/", 2)
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{self.path} {self.headers.get('Range', 'all')}\n")
        path = folder / name
        getattr(self, way)(path.read_bytes() if path.is_file() else b"")

    def good(self, data):
        code, headers, start = self.requested(data)
        self.send(code, headers, data[start:])

    def norange(self, data):
        self.send(200, {"Content-Length": len(data)}, data)

    def otherrange(self, data):
        self.send(206, {"Content-Length": len(data), "Content-Range": f"bytes 0-{len(data) - 1}/{len(data)}"}, data)

    def breaks(self, data):
        code, headers, start = self.requested(data)
        self.send(code, headers, data[start : start + PIECE])
        self.close_connection = True

    def dead(self, data):
        """Never more than the first bytes."""
        code, headers, start = self.requested(data)
        self.send(code, headers, data[start:PIECE])
        self.close_connection = True

    def wrong(self, data):
        self.send(200, {"Content-Length": len(data)}, data[:-1] + bytes([data[-1] ^ 1]))

    def short(self, data):
        self.send(200, {"Content-Length": len(data) - 7}, data[:-7])

    def long(self, data):
        self.send(200, {"Content-Length": len(data) + 7}, data + b"1234567")

    def endless(self, data):
        self.send(200, {"Connection": "close"}, data + b"1234567")
        self.close_connection = True

    def cut(self, data):
        """Ends early and has not said how much there is."""
        self.send(200, {"Connection": "close"}, data[:1000])
        self.close_connection = True

    def missing(self, _):
        self.send(404, {"Content-Length": 9}, b"not here\n")

    def broken(self, _):
        self.send(500, {"Content-Length": 0})

    def silent(self, _):
        time.sleep(30)

    def hangs(self, data):
        self.send(200, {"Content-Length": len(data)}, data[:1000])
        self.wfile.flush()
        time.sleep(30)

    def slow(self, data):
        code, headers, start = self.requested(data)
        self.send(code, headers)
        for at in range(start, len(data), STEP):
            self.wfile.write(data[at : at + STEP])
            time.sleep(0.05)

    def moved(self, _):
        name = self.path.split("/", 2)[2]
        self.send(302, {"Content-Length": 0, "Location": f"/moved2/{name}"})

    def moved2(self, _):
        name = self.path.split("/", 2)[2]
        self.send(301, {"Content-Length": 0, "Location": f"/good/{name}"})

    def loop(self, _):
        self.send(302, {"Content-Length": 0, "Location": self.path})

    def tofile(self, _):
        self.send(302, {"Content-Length": 0, "Location": f"file://{folder.resolve()}/{pathlib.Path(self.path).name}"})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):  # a client that goes away is what the tests are about
        pass


folder, log = pathlib.Path(sys.argv[1]), sys.argv[3]
server = Server(("127.0.0.1", 0), Handler)
pathlib.Path(sys.argv[2]).write_text(f"{server.server_address[1]}\n", encoding="utf-8")
server.serve_forever()
