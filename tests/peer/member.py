"""A liar who takes part: with a pair key, vectors, and the ends of rounds."""
import struct

from liar import ACK, GOODBYE, HELLO, KEY, LEDGER, VECTOR, VERSION, Liar

PAIR_KEY = b"\x09" + bytes(31)  # a point of X25519 that is one


class Member(Liar):
    def __init__(self, net, index, test=0):
        super().__init__(net, index)
        self.test, self.socket = test, None

    def hear(self, timeout=60):
        self.socket.settimeout(timeout)
        return self.receive()

    def greet(self, at=(0, 0, 0), head=True):
        super().greet(at)
        if head:
            self.show()
        return self

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

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()
