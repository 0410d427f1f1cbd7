"""A member of a study who lies: it speaks netdp's frames with a member's key (docs/peer.md; src/peer/link/frame.h)."""
import datetime
import hashlib
import pathlib
import shutil
import socket
import ssl
import struct
import tempfile
import time

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

HELLO, VECTOR, ACK, GOODBYE, KEY, LEDGER = range(1, 7)
VERSION = 3
PAIR_KEY = b"\x09" + bytes(31)  # a point of X25519 that is one


class Liar:
    def __init__(self, folder, index, nodes, test=0):
        seed = bytes.fromhex((pathlib.Path(folder) / "key").read_text().split("\n")[1])
        self.key_ = Ed25519PrivateKey.from_private_bytes(seed)
        self.index, self.nodes, self.test = index, nodes, test
        self.rows, self.study, self.held, self.link = 1, None, b"", None
        self.keep = tempfile.mkdtemp(prefix="netdp-liar-")
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "netdp peer")])
        now = datetime.datetime.utcnow()
        made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self.key_.public_key()).serial_number(1)
                .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=5)).sign(self.key_, None))
        pem = serialization.Encoding.PEM
        pathlib.Path(self.keep, "certificate").write_bytes(made.public_bytes(pem))
        pathlib.Path(self.keep, "key").write_bytes(self.key_.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def dial(self, port, timeout=60):
        raw = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(self.keep + "/certificate", self.keep + "/key")
        self.link, self.held = context.wrap_socket(raw), b""
        return self

    def sign(self, purpose, message):
        return self.key_.sign(hashlib.blake2b(purpose + b"\0" + message, digest_size=32).digest())

    @staticmethod
    def frame(kind, body):
        return struct.pack("<IHBB", 8 + len(body), VERSION, kind, 0) + body

    def say(self, kind, body):
        self.link.sendall(self.frame(kind, body))

    def hear(self, timeout=60):
        """The next frame: its kind and its body."""
        self.link.settimeout(timeout)
        while len(self.held) < 4 or len(self.held) < struct.unpack("<I", self.held[:4])[0]:
            more = self.link.recv(65536)
            if not more:
                raise EOFError
            self.held += more
        size = struct.unpack("<I", self.held[:4])[0]
        frame, self.held = self.held[:size], self.held[size:]
        return frame[6], frame[8:]

    def greet(self, at=(0, 0, 0), head=True):
        kind, body = self.hear()
        assert kind == HELLO, kind
        self.study = body[8:40]
        shown = struct.pack("<Q", self.rows) + bytes([self.rows % 256]) * 32
        self.say(HELLO, b"netdp\0\0" + bytes([VERSION]) + self.study + struct.pack("<III", self.index, self.nodes, self.test)
                 + struct.pack("<III", *at) + struct.pack("<q", int(time.time())) + shown + bytes(40 + 64))
        if head:
            self.head()
        return self

    def head_bytes(self):
        head = struct.pack("<Q", self.rows) + bytes([self.rows % 256]) * 32
        return self.frame(LEDGER, head + self.sign(b"netdp ledger head 1", bytes([self.test]) + head))

    def head(self):
        self.link.sendall(self.head_bytes())

    def offer(self, public=PAIR_KEY, phase=0, attempt=0):
        claim = bytes([self.test]) + self.study + struct.pack("<III", phase, attempt, self.index) + public
        return struct.pack("<III", phase, attempt, self.index) + public + self.sign(b"netdp ephemeral key 2", claim)

    def key(self, public=PAIR_KEY, phase=0, attempt=0):
        self.say(KEY, self.offer(public, phase, attempt))

    def vector(self, round, numbers, phase=0, attempt=0):
        self.say(VECTOR, struct.pack("<III", phase, attempt, round) + struct.pack("<II", self.index, len(numbers))
                 + struct.pack(f"<{len(numbers)}d", *numbers))

    def over(self, round, phase=0, attempt=0):
        self.say(ACK, struct.pack("<IIII", phase, attempt, round, self.index))

    def close(self):
        if self.link is not None:
            self.link.close()
        shutil.rmtree(self.keep, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()
