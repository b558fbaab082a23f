"""Debian's python3-dkim and python3-spf: a task a line in, an answer a line out (JSON).

{"do": "sign", "message", "algorithm", "key", "domain", "selector", "canonicalization", "headers",
 "identity", "length", "now"}    -> {"signature"}
{"do": "dkim", "message", "zone", "now"}                    -> {"passed": [selector, ...]}
{"do": "spf", "zone", "client", "helo", "mailFrom"}         -> {"result"}

Messages are base64; a zone is a list of [name, type, data], data of type FAIL for a name that has
no answer; octets over 127 are written as the characters of their number.
"""
import base64
import json
import logging
import sys
import time

import dkim
import spf


class Zone:
    def __init__(self, records):
        self.records = {}
        for name, kind, data in records:
            self.records.setdefault(name.lower(), {}).setdefault(kind, []).append(data)

    def find(self, name, kind):
        for _ in range(10):
            types = self.records.get(name.lower().rstrip("."), {})
            if kind in types or "CNAME" not in types:
                break
            name = types["CNAME"][0]
        if kind not in types and "FAIL" in types:
            raise spf.TempError("DNS %s" % types["FAIL"][0])
        return types.get(kind, [])


def sign(task):
    signer = dkim.DKIM(base64.b64decode(task["message"]))
    signature = signer.sign(
        task["selector"].encode(),
        task["domain"].encode(),
        task["key"].encode(),
        signature_algorithm=task["algorithm"].encode(),
        identity=task["identity"].encode() if task["identity"] else None,
        canonicalize=tuple(part.encode() for part in task["canonicalization"].split("/")),
        include_headers=[name.encode() for name in task["headers"]],
        length=task["length"],
    )
    return {"signature": base64.b64encode(signature).decode()}


def key_text(zone, name):
    try:
        texts = zone.find(name.decode("latin-1"), "TXT")
    except spf.TempError as error:
        raise dkim.DnsTimeoutError(str(error))
    return texts[0].encode("latin-1") if texts else None


def verify_one(message, zone, index):
    verifier = dkim.DKIM(message, minkey=1024)
    try:
        if verifier.verify(idx=index, dnsfunc=lambda name, timeout=5: key_text(zone, name)):
            return verifier.selector.decode("latin-1")
    except Exception:  # any exception means that the signature was not verified
        pass
    return None


def count_signatures(message):
    try:
        fields = dkim.DKIM(message).headers
    except Exception:
        return 0
    return sum(1 for name, _ in fields if name.lower() == b"dkim-signature")


def verify(task):
    message = base64.b64decode(task["message"])
    zone = Zone(task["zone"])
    selectors = [verify_one(message, zone, i) for i in range(count_signatures(message))]
    return {"passed": [selector for selector in selectors if selector is not None]}


def dns_lookup(zone, name, kind):
    found = zone.find(name, kind)
    if kind == "TXT":
        found = [[text.encode("latin-1")] for text in found]
    elif kind == "MX":
        found = [(int(text.split()[0]), text.split()[1]) for text in found]
    return [((name, kind), data) for data in found]


def check_spf(task):
    zone = Zone(task["zone"])
    spf.DNSLookup = lambda name, kind, *_: dns_lookup(zone, name, kind)
    query = spf.query(i=task["client"], s=task["mailFrom"], h=task["helo"], strict=True)
    return {"result": query.check()[0]}


def main():
    tasks = {"sign": sign, "dkim": verify, "spf": check_spf}
    logging.disable(logging.CRITICAL)
    now = time.time()
    time.time = lambda: now
    for line in sys.stdin:
        task = json.loads(line)
        now = task.get("now", now)
        print(json.dumps(tasks[task["do"]](task)), flush=True)


main()
