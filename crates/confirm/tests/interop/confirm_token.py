"""The confirmation token and the canonical form of payloads, written from the specification and not from the Rust code.

Reads commands as lines of JSON from standard input and answers each with a line of JSON:

  {"do": "make", "payload": P, "claims": C, "secret": S}  -> {"canonical": …, "hash": …, "token": …}
  {"do": "verify", "token": T, "expected": E, "now": N, "secret": S, "spent": […]}  -> {"verdict": …}
  {"do": "invent", "seed": N, "count": N}  -> N lines as "make" takes them, and what it answers to each

A payload travels as a pair of kind and value, so that nothing of it rests on how JSON prints it: ["number", "3ff0000000000000"]
is the double of these bits.
"""

import base64
import hashlib
import hmac
import json
import random
import struct
import sys
from datetime import datetime, timedelta

PREFIX = "mcpu.token.v1."
LAST_DATE = 8_640_000_000_000_000


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64url_strict(text):
    """The bytes of unpadded base64url, None where the text is not exactly what they are written as."""
    if not all(c.isascii() and (c.isalnum() or c in "-_") for c in text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if b64url(data) == text else None


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def utf16(text):
    return text.encode("utf-16-be")


def double(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def number_text(value):
    """Number::toString of ECMA-262, from the shortest digits that repr gives."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    point = len(whole) + (int(exponent) if exponent else 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = f"e{point - 1:+d}"
    return sign + (digits if count == 1 else digits[0] + "." + digits[1:]) + power


def date_text(millis):
    if abs(millis) > LAST_DATE:
        return "Invalid Date"
    # datetime knows the years 1 to 9999; the calendar repeats itself every 400 years.
    cycles = 0
    cycle = 146_097 * 86_400_000
    while millis < 0:
        millis, cycles = millis + cycle, cycles - 1
    while millis >= cycle:
        millis, cycles = millis - cycle, cycles + 1
    when = datetime(1970, 1, 1) + timedelta(milliseconds=millis)
    year = when.year + 400 * cycles
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"
    return f"{shown}-{when:%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z"


def canonical(payload):
    kind, value = payload
    if kind == "null":
        return "null"
    if kind == "bool":
        return "true" if value else "false"
    if kind == "number":
        number = double(value)
        text = number_text(number)
        finite = number == number and abs(number) != float("inf")
        return text if finite else '{"$num":"%s"}' % text
    if kind == "integer":
        return '{"$bigint":"%s"}' % value
    if kind == "text":
        return quoted(value)
    if kind == "bytes":
        return '{"$bytes":"%s"}' % base64.b64encode(bytes.fromhex(value)).decode()
    if kind == "date":
        return '{"$date":"%s"}' % ("Invalid Date" if value is None else date_text(value))
    if kind == "list":
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if kind == "map":
        entries = {"[%s,%s]" % (canonical(key), canonical(item)) for key, item in value}
        return '{"$map":[' + ",".join(sorted(entries, key=utf16)) + "]}"
    if kind == "set":
        entries = {canonical(item) for item in value}
        return '{"$set":[' + ",".join(sorted(entries, key=utf16)) + "]}"
    if kind == "record":
        members = []
        for key, item in sorted(value, key=lambda member: utf16(member[0])):
            members.append(quoted("$" + key if key.startswith("$") else key) + ":" + canonical(item))
        return "{" + ",".join(members) + "}"
    raise ValueError(kind)


def hash_of(payload):
    return b64url(hashlib.sha256(canonical(payload).encode()).digest())


def mac(secret, text):
    key = hashlib.sha256(secret.encode()).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def token(claims, secret):
    ordered = {name: claims[name] for name in ("t", "a", "g", "r", "h", "exp", "n") if claims.get(name) is not None}
    body = b64url(json.dumps(ordered, ensure_ascii=False, separators=(",", ":")).encode())
    return PREFIX + body + "." + b64url(mac(secret, PREFIX + body))


def verify(text, expected, now, secret, spent):
    if not text.startswith(PREFIX):
        return "TOKEN_INVALID"
    body, dot, given = text[len(PREFIX):].partition(".")
    given = b64url_strict(given) if dot and body else None
    if given is None or not hmac.compare_digest(given, mac(secret, PREFIX + body)):
        return "TOKEN_INVALID"
    body = b64url_strict(body)
    try:
        claims = json.loads(body.decode()) if body is not None else None
    except ValueError:
        claims = None
    if not isinstance(claims, dict):
        return "TOKEN_INVALID"
    if any(claims.get(name) != expected.get(name) for name in ("t", "a", "g")):
        return "TOKEN_INVALID"
    if claims["n"] in spent:
        return "TOKEN_REUSED"
    if now > claims["exp"]:
        return "TOKEN_EXPIRED"
    if claims.get("r") != expected.get("r"):
        return "revision-changed"
    if claims["h"] != expected["h"]:
        return "payload-changed"
    return "accepted"


class Inventor:
    """Random payloads and claims, with what is hard to get right made likely."""

    ALPHABET = "ab$\"\\/\n\t\x00\x1f\x7f\u2028éž\uff5e\U0001f600"

    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self, longest=6):
        return "".join(self.random.choice(self.ALPHABET) for _ in range(self.random.randint(0, longest)))

    def number(self):
        r = self.random
        choice = r.randrange(5)
        if choice == 0:
            bits = r.getrandbits(64)
        elif choice == 1:
            return struct.pack(">d", float(r.randint(-1000, 1000))).hex()
        elif choice == 2:
            return struct.pack(">d", r.randint(1, 10**17) * 10.0 ** r.randint(-25, 10)).hex()
        elif choice == 3:
            return struct.pack(">d", r.choice([0.0, -0.0, float("inf"), float("-inf"), 5e-324, 1e21, 1e-6, 1e-7])).hex()
        else:
            # Quarters of large numbers lie in the middle between two decimals.
            near = r.choice([round(r.uniform(-10, 10), r.randint(0, 6)), r.randint(2**49, 2**51) + r.randint(0, 3) / 4])
            return struct.pack(">d", near).hex()
        return f"{bits:016x}"

    def payload(self, depth=0):
        r = self.random
        kinds = ["null", "bool", "number", "number", "integer", "text", "text", "bytes", "date"]
        if depth < 4:
            kinds += ["list", "map", "set", "record", "record", "record"]
        kind = r.choice(kinds)
        size = r.randint(0, 4)
        inner = lambda: self.payload(depth + 1)
        value = {
            "null": lambda: None,
            "bool": lambda: r.random() < 0.5,
            "number": self.number,
            "integer": lambda: str(r.choice([r.randint(-(2**127), 2**127 - 1), r.randint(-9, 9)])),
            "text": self.text,
            "bytes": lambda: r.randbytes(r.randint(0, 7)).hex(),
            "date": lambda: r.choice([None, r.randint(-LAST_DATE, LAST_DATE), r.randint(0, 2 * 10**12), LAST_DATE + 1]),
            "list": lambda: [inner() for _ in range(size)],
            "map": lambda: [[inner(), inner()] for _ in range(size)],
            "set": lambda: [inner() for _ in range(size)],
            "record": lambda: [[key, inner()] for key in {self.text(3) for _ in range(size)}],
        }[kind]()
        return [kind, value]

    def claims(self, payload):
        r = self.random
        maybe = lambda: self.text(9) if r.random() < 0.7 else None
        return {
            "t": self.text(9),
            "a": maybe(),
            "g": self.text(9),
            "r": maybe(),
            "h": hash_of(payload),
            "exp": r.randint(0, 2**53),
            "n": b64url(r.randbytes(16)),
        }


def make(payload, claims, secret):
    return {"canonical": canonical(payload), "hash": hash_of(payload), "token": token(claims, secret)}


def main():
    for line in sys.stdin.buffer:
        command = json.loads(line)
        do = command["do"]
        answers = []
        if do == "make":
            answers = [make(command["payload"], command["claims"], command["secret"])]
        elif do == "verify":
            wanted = [command[name] for name in ("token", "expected", "now", "secret", "spent")]
            answers = [{"verdict": verify(*wanted)}]
        elif do == "invent":
            inventor = Inventor(command["seed"])
            for _ in range(command["count"]):
                payload, secret = inventor.payload(), inventor.text(12)
                claims = inventor.claims(payload)
                answer = make(payload, claims, secret)
                answers.append({"payload": payload, "claims": claims, "secret": secret, **answer})
        for answer in answers:
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
