"""Every field of every report of $VECTORS/dmarc-reports, read by Python's own readers of mail, zip,
gzip and XML, against what the product kept of it. argv[1] is the program dmarc-reports, which tells
that with --tell.

Reports that are no XML are for dmarc-reports itself: this judge passes over what its XML reader
refuses, and says how many those were."""
import email
import email.policy
import gzip
import io
import ipaddress
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

FOLDER = os.path.join(os.environ.get('VECTORS', '../shared/vectors'), 'dmarc-reports')
BLANK = ' \t\r\n'


def documents(octets):
	"""What a file holds, out of all that is wrapped around it."""
	if octets[:2] == b'\x1f\x8b':
		reader = gzip.GzipFile(fileobj=io.BytesIO(octets))
		plain = b''
		try:
			while block := reader.read1(1 << 16):
				plain += block
		except OSError:
			pass  # the file has octets after the end of the gzip data
		yield from documents(plain)
	elif octets[:4] == b'PK\x03\x04':
		with zipfile.ZipFile(io.BytesIO(octets)) as archive:
			for member in archive.infolist():
				yield from documents(archive.read(member))
	elif octets.lstrip(b'\xef\xbb\xbf' + BLANK.encode())[:1] == b'<':
		yield octets
	elif b'\n' in octets and b':' in octets.split(b'\n', 1)[0]:
		for part in email.message_from_bytes(octets, policy=email.policy.compat32).walk():
			if not part.is_multipart():
				yield from documents(part.get_payload(decode=True) or b'')


def name(element):
	return element.tag.rsplit('}', 1)[-1].rsplit(':', 1)[-1]


def children(element, *wanted):
	return [child for child in (element if element is not None else []) if name(child) in wanted]


def texts(element, *wanted):
	return [(child.text or '').strip(BLANK) for child in children(element, *wanted)]


def first(element, wanted, shape=lambda text: text):
	"""Of a report's head the first that says something."""
	return next((shape(text) for text in texts(element, wanted) if text), None) or None


def last(element, wanted, shape=lambda text: text):
	found = texts(element, wanted)
	return (shape(found[-1]) if found else None) or None


def number(text):
	return int(text) if text and text.isascii() and text.isdigit() else 0


def percent(text):
	return int(text) if text and text.isascii() and text.isdigit() and int(text) <= 100 else None


def lower(text):
	return text.lower()


def domain(text):
	return text.lower().removesuffix('.')


def address(text):
	try:
		return str(ipaddress.ip_address(text or ''))
	except ValueError:
		return None


def word(text, known):
	return text.lower() if text and text.lower() in known else 'unknown'


def row_of(record):
	"""A record's fields, in the order in which the product keeps them."""
	row, results, identifiers = {}, [], []
	for child in record:
		if name(child) == 'row':
			row = child
		elif name(child) in ('identifiers', 'identities'):
			identifiers = child
		elif name(child) == 'auth_results':
			results = child
	evaluated = next(iter(children(row, 'policy_evaluated')), [])
	items = lambda parent, kind, *fields: [
		[last(item, field, shape) for field, shape in fields] for item in children(parent, kind)]
	return [
		address(last(row, 'source_ip')),
		word(last(evaluated, 'disposition'), ('none', 'pass', 'quarantine', 'reject')),
		word(last(evaluated, 'dkim'), ('pass', 'fail')),
		word(last(evaluated, 'spf'), ('pass', 'fail')),
		last(identifiers, 'header_from', domain),
		last(identifiers, 'envelope_from', domain),
		last(identifiers, 'envelope_to', domain),
		items(evaluated, 'reason', ('type', domain), ('comment', str)),
		items(results, 'dkim', ('domain', domain), ('selector', str), ('result', lower),
			('human_result', str)),
		items(results, 'spf', ('domain', domain), ('scope', lower), ('result', lower),
			('human_result', str)),
	], number(last(row, 'count'))


def rows_of(root):
	sums = {}
	for record in children(root, 'record'):
		row, messages = row_of(record)
		key = json.dumps(row)
		sums[key] = sums.get(key, 0) + messages
	return sums


def read(octets):
	root = ElementTree.fromstring(octets.lstrip(BLANK.encode()))
	if name(root) != 'feedback':
		return None
	metadata = next(iter(children(root, 'report_metadata')), None)
	dates = next(iter(children(metadata, 'date_range')), None)
	policy = next(iter(children(root, 'policy_published')), None)
	rows = rows_of(root)
	return {
		'org': first(metadata, 'org_name'), 'email': first(metadata, 'email'),
		'reportId': first(metadata, 'report_id'), 'domain': first(policy, 'domain', domain),
		'begin': number(last(dates, 'begin')), 'end': number(last(dates, 'end')),
		'version': first(root, 'version', lower), 'generator': first(metadata, 'generator'),
		'extraContact': first(metadata, 'extra_contact_info'),
		'errors': [text for text in texts(metadata, 'error') if text],
		'policy': {
			'p': first(policy, 'p', lower), 'sp': first(policy, 'sp', lower),
			'np': first(policy, 'np', lower), 'adkim': first(policy, 'adkim', lower),
			'aspf': first(policy, 'aspf', lower), 'testing': first(policy, 'testing', lower),
			'fo': first(policy, 'fo', lower),
			'discoveryMethod': first(policy, 'discovery_method', lower),
			'pct': percent(last(policy, 'pct'))},
		'records': len(children(root, 'record')), 'messages': sum(rows.values()), 'rows': rows}


def classes_are_right(rows):
	"""What of a row's class does not depend on who sends for many."""
	for source, disposition, dkim, spf, messages, kind, auth in rows:
		if spf == 'pass' and kind != 'passed' or dkim == 'pass' and kind == 'failed':
			return False
	return True


def kept(told):
	"""What the product told, in the shape of read()."""
	body = told.pop('body')
	rows, cut = {}, {}
	for row in body['rows']:
		*shared, left_out = body['auths'][row[6]]
		key = json.dumps(row[:4] + shared)
		if left_out:
			cut[key] = left_out
		if key in rows:
			raise ValueError('a row is there twice')
		rows[key] = row[4]
	if [row[4] for row in body['rows']] != sorted((row[4] for row in body['rows']), reverse=True):
		raise ValueError('the rows are not in the order of their messages')
	if not classes_are_right(body['rows']):
		raise ValueError('a row has the wrong class')
	if body['otherMessages']:
		rows['others'] = body['otherMessages']
	return told | {field: body[field] for field in ('version', 'generator', 'extraContact',
		'errors', 'policy')} | {'rows': rows, 'cut': cut}


def without_left_out(rows, cut):
	"""The rows with those signatures alone that there was room for, the first ones."""
	for short, left_out in cut.items():
		kept = json.loads(short)
		for key in list(rows):
			whole = json.loads(key)
			if whole[8][:len(kept[8])] == kept[8] and len(whole[8]) == len(kept[8]) + left_out:
				rows = {short if one == key else one: count for one, count in rows.items()}
	return rows


def differences(ours, theirs):
	theirs = theirs | {'rows': without_left_out(theirs['rows'], ours['cut'])}
	for field, value in theirs.items():
		if field == 'rows' and 'others' in ours['rows']:
			if any(value.get(row) != messages for row, messages in ours['rows'].items()
					if row != 'others') or sum(ours['rows'].values()) != sum(value.values()):
				yield 'rows', 'the heaviest', 'other ones'
		elif ours[field] != value:
			yield field, value, ours[field]


def judge(file, octets, told):
	failed = compared = refused = 0
	theirs = []
	for document in documents(octets):
		try:
			theirs.append(read(document))
		except ElementTree.ParseError:
			refused += 1
	theirs = [report for report in theirs if report is not None and report['domain'] is not None]
	ours = [kept(report) for report in told]
	if len(theirs) > len(ours) or len(ours) > len(theirs) + refused:
		print(f'{file}: {len(ours)} reports were read, {len(theirs)} are there')
		return 1, 0, refused
	for report in theirs:
		same = [one for one in ours if (one['reportId'], one['domain'], one['records']) ==
			(report['reportId'], report['domain'], report['records'])]
		found = min((list(differences(one, report)) for one in same), key=len,
			default=[('report', report['reportId'], None)])
		for field, expected, got in found:
			print(f'{file}: {field} is {got!r:.2000}, not {expected!r:.2000}')
		failed += bool(found)
		compared += 1
	return failed, compared, refused


def main():
	if not os.path.isdir(FOLDER):
		print(f'dmarc-fields: skipped, {FOLDER} is not there')
		return 0
	paths = sorted(os.path.join(folder, file) for folder, _, files in os.walk(FOLDER)
		for file in files if not file.endswith('.json') and not file.startswith('LICENSE'))
	program = subprocess.run([sys.argv[1], '--tell', *paths], stdout=subprocess.PIPE, check=True)
	told = [json.loads(line) for line in program.stdout.splitlines()]
	failed = compared = refused = 0
	for path, reports in zip(paths, told, strict=True):
		with open(path, 'rb') as file:
			one = judge(os.path.relpath(path, FOLDER), file.read(), reports)
		failed, compared, refused = failed + one[0], compared + one[1], refused + one[2]
	print(f'dmarc-fields: {compared} reports, every field compared, {failed} failed; '
		f'{refused} documents are no XML to the judge')
	return 1 if failed or compared == 0 else 0


sys.exit(main())
