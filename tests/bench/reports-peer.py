# The peer of tests/bench/reports: the fields of every record of a DMARC report, filled by pyexpat.
#
#     reports-peer.py FILE RUNS     {"cpuUs": 812.4, "messages": 1200}, CPU for one run
import json
import sys
import time
from xml.parsers import expat

FIELDS = {'source_ip', 'count', 'disposition', 'dkim', 'spf', 'header_from', 'domain', 'selector',
          'result', 'org_name', 'email', 'report_id', 'begin', 'end', 'adkim', 'aspf', 'p', 'sp', 'pct'}


def read(file):
    record = {}
    text = []
    messages = 0

    def start(name, attributes):
        text.clear()
        if name == 'record':
            record.clear()

    def end(name):
        nonlocal messages
        if name in FIELDS:
            record[name] = ''.join(text)
        elif name == 'record':
            messages += int(record['count'])

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    with open(file, 'rb') as source:
        parser.ParseFile(source)
    return messages


runs = int(sys.argv[2])
began = time.process_time()
for _ in range(runs):
    total = read(sys.argv[1])
print(json.dumps({'cpuUs': (time.process_time() - began) * 1e6 / runs, 'messages': total}))
