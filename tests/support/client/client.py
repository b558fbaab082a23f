# A client as a developer writes it with classes generated from the API description: prints the service's answers.
import json
import sys
import urllib.error
import urllib.request

from eds import Domain, KeyFindings, MTASts, NewDomain, PendingSession, Problem, RegisteredSelector

BASE_URL, TOKEN = sys.argv[1:]


def send(method, path, body=None):
    """The answer, and the problem in its place."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer), None
    except urllib.error.HTTPError as refused:
        return None, Problem.from_dict(json.load(refused))


def add(name):
    answer, problem = send("POST", "/api/v1/domains", NewDomain(name).to_dict())
    return answer and Domain.from_dict(answer["data"]), problem


first, _ = add("one.example")
add("two.example")
_, again = add("one.example")
answer, _ = send("GET", "/api/v1/domains")
names = [Domain.from_dict(one).name for one in answer["data"]]
at = f"/api/v1/domains/{first.id}"
answer, _ = send("POST", f"{at}/dkim/selectors", {"selector": "s1"})
selector = RegisteredSelector.from_dict(answer["data"])
findings = KeyFindings.from_dict(answer["data"])
answer, _ = send("GET", f"{at}/mta-sts")
mta_sts = MTASts.from_dict(answer["data"])
_, policy = send("PATCH", f"{at}/mta-sts", {"mode": "enforce"})
answer, _ = send("POST", "/api/inbound-tester/sessions")
session = PendingSession.from_dict(answer)
print(json.dumps({
    "names": names,
    "again": again.code,
    "selector": selector.selector,
    "valid": findings.valid,
    "mode": mta_sts.mode.value,
    "policy": policy.code,
    "session": session.status.value,
}))
