"""A member of a study who does not keep to the protocol: it holds a member's key, knocks, speaks TLS and frames, and says what a
test wants it to say; or takes part, with a pair key, vectors and the ends of rounds."""
import datetime
import hashlib
import pathlib
import re
import socket
import ssl
import struct
import tempfile
import time

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.x509.oid import NameOID

HELLO, VECTOR, ACK, GOODBYE, KEY, LEDGER = range(1, 7)
VERSION = int(re.search(r"NETDP_I_FRAME_VERSION = (\d+)", (pathlib.Path(__file__).parents[2] / "src/peer/link/frame.h").read_text())[1])

PAIR_KEY = b"\x09" + bytes(31)  # a point of X25519 that is one


def study(graph="ring 4", rounds=20, more=""):
    """What liars are met in."""
    return f"""title: A liar
seed: 1
graph: {{family: {graph}}}
mixing: {{weights: metropolis}}
data: {{source: meters, per_node: even, columns: [{{name: h19}}]}}
task: {{kind: mean, bounds: [0, 5]}}
protocol: {{kind: averaging, rounds: {rounds}{more}}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 4}}
"""


STUDY = study()


def curve_key(key):
    """The X25519 key of an Ed25519 one: u = (1 + y) / (1 - y) modulo 2^255 - 19."""
    p = 2**255 - 19
    y = int.from_bytes(key, "little") & (2**255 - 1)
    return ((1 + y) * pow(1 - y, -1, p) % p).to_bytes(32, "little")


def knock(seed, theirs, dialler, listener):
    """What member `dialler` sends first to member `listener`, whose key in the roster is `theirs`."""
    secret = X25519PrivateKey.from_private_bytes(hashlib.sha512(seed).digest()[:32])
    shared = secret.exchange(X25519PublicKey.from_public_bytes(curve_key(theirs)))
    key = hashlib.blake2b(b"netdp knock 1\0", key=shared, digest_size=32).digest()
    code = hashlib.blake2b(struct.pack("<II", dialler, listener), digest_size=32, key=key).digest()
    return b"netdp in" + struct.pack("<II", dialler, 0) + code


class Liar:
    def __init__(self, net, index, test=0):
        self.net, self.index, self.nodes = net, index, net.count
        seed = bytes.fromhex((net.of(index) / "key").read_text().split("\n")[1])
        self.seed, self.key = seed, Ed25519PrivateKey.from_private_bytes(seed)
        self.rows, self.test, self.study, self.held, self.socket = 1, test, None, b"", None
        self.folder = tempfile.TemporaryDirectory(prefix="netdp-liar-")
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "netdp peer")])
        now = datetime.datetime.utcnow()
        made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self.key.public_key()).serial_number(1)
                .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=5)).sign(self.key, None))
        pem = serialization.Encoding.PEM
        (pathlib.Path(self.folder.name) / "both").write_bytes(
            made.public_bytes(pem) + self.key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def public(self, index):
        seed = bytes.fromhex((self.net.of(index) / "key").read_text().split("\n")[1])
        return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    def dial(self, listener):
        self.held = b""
        raw = socket.create_connection(("127.0.0.1", self.net.first + listener), 10)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.sendall(knock(self.seed, self.public(listener), self.index, listener))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.load_cert_chain(pathlib.Path(self.folder.name) / "both")
        self.socket = context.wrap_socket(raw)
        return self

    def frame(self, kind, body):
        return struct.pack("<IHBB", 8 + len(body), VERSION, kind, 0) + body

    def send(self, kind, body):
        self.socket.sendall(self.frame(kind, body))

    def receive(self, timeout=60):
        self.socket.settimeout(timeout)
        while len(self.held) < 4 or len(self.held) < struct.unpack("<I", self.held[:4])[0]:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.held += more
        size = struct.unpack("<I", self.held[:4])[0]
        whole, self.held = self.held[:size], self.held[size:]
        return whole[6], whole[8:]

    def sign(self, purpose, message):
        return self.key.sign(hashlib.blake2b(purpose + b"\0" + message, digest_size=32).digest())

    def greet(self, at=(0, 0, 0), head=True):
        """Answers the other's hello with one of the same study, and shows its ledger: whoever does that speaks for the member, and
        no honest one can come after it."""
        kind, body = self.receive()
        if kind == GOODBYE:
            raise EOFError
        assert kind == HELLO, kind
        self.study = body[8:40]
        self.send(HELLO, body[:8] + self.study + struct.pack("<III", self.index, self.nodes, self.test) + struct.pack("<III", *at)
                  + struct.pack("<q", int(time.time())) + self.head() + bytes(40 + 64))
        if head:
            self.show()
        return self

    def head(self):
        return struct.pack("<Q", self.rows) + bytes([self.rows % 256]) * 32

    def shown(self):
        return self.frame(LEDGER, self.head() + self.sign(b"netdp ledger head 1", bytes([self.test]) + self.head()))

    def show(self):
        self.socket.sendall(self.shown())

    def goodbye(self, why=16):
        self.send(GOODBYE, struct.pack("<I", why))

    def offer(self, public=PAIR_KEY, phase=0, attempt=0):
        claim = bytes([self.test]) + self.study + struct.pack("<III", phase, attempt, self.index) + public
        return struct.pack("<III", phase, attempt, self.index) + public + self.sign(b"netdp ephemeral key 2", claim)

    def offer_key(self, public=PAIR_KEY):
        self.send(KEY, self.offer(public))

    def vector(self, round, numbers, phase=0, attempt=0):
        self.send(VECTOR, struct.pack("<III", phase, attempt, round) + struct.pack("<II", self.index, len(numbers))
                  + struct.pack(f"<{len(numbers)}d", *numbers))

    def over(self, round, phase=0, attempt=0):
        self.send(ACK, struct.pack("<IIII", phase, attempt, round, self.index))

    def hang_up(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None

    def close(self):
        self.hang_up()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()
