// Runs the complete arm64 zips: unpacks each into an empty root, and starts bootstrap there with events as AWS
// Lambda sends them. Registers qemu-user for arm64 programs with the kernel (binfmt_misc), and removes the entry
// at the end.
//
//     BUILD=FOLDER node tests/support/arm64-packages.mjs QEMU
//
// FOLDER: a build with packages of arm64; QEMU: a static qemu-aarch64 for this machine. Exits with 75 if
// the kernel does not accept the entry.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runPackage } from '../e2e/support/package.mjs';

const BINFMT = '/proc/sys/fs/binfmt_misc';
const RULE = join(BINFMT, `eds-arm64-${process.pid}`);
// the first octets of an ELF program for arm64
const HEAD = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xb7, 0];
// matches programs at a fixed address and position-independent ones
const MASK = [...Array(7).fill(0xff), 0, ...Array(8).fill(0xff), 0xfe, 0xff, 0xff, 0xff];
const octets = (values) => values.map((value) => `\\x${value.toString(16).padStart(2, '0')}`).join('');

let failed = 0;

function check(what, isSo, seen) {
	console.log(isSo ? `ok   ${what}` : `FAIL ${what}: ${JSON.stringify(seen)}`);
	if (!isSo) failed++;
}

// Registers the emulator. The flag F makes the kernel open it now, because the roots of
// the packages do not contain it.
function letKernelEmulate(qemu) {
	try {
		if (!existsSync(join(BINFMT, 'register'))) execFileSync('mount', ['-t', 'binfmt_misc', 'binfmt_misc', BINFMT], { stdio: 'pipe' });
		writeFileSync(join(BINFMT, 'register'), `:eds-arm64-${process.pid}:M::${octets(HEAD)}:${octets(MASK)}:${qemu}:F`);
	} catch (error) {
		console.log(`skipped: the packages of arm64 were not run: ${error.message.split('\n')[0]}`);
		process.exit(75);
	}
	process.once('exit', () => writeFileSync(RULE, '-1'));
}

function http(method, path, more = {}) {
	return { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '', headers: { host: 'eds.example' },
		requestContext: { requestId: 'a', stage: '$default', http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' } },
		isBase64Encoded: false, ...more };
}

function mail(messageId, to) {
	const timestamp = new Date().toISOString();
	return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses: {
		mail: { timestamp, source: 'a@sender.example', messageId, destination: [to] },
		receipt: { timestamp, recipients: [to], action: { type: 'Lambda' } } } }] };
}

const MESSAGE = 'Received: from mail.sender.example (mail.sender.example [198.51.100.7])\r\n\tby mx.eds.example; ' +
	'Thu, 1 Jan 2026 00:00:00 +0000\r\nFrom: a@sender.example\r\nTo: b@eds.example\r\nSubject: s\r\n\r\nHello.\r\n';

letKernelEmulate(process.argv[2]);
const { functions } = JSON.parse(readFileSync('functions/manifest.json', 'utf8'));
const shared = mkdtempSync(join(tmpdir(), 'eds-arm64-shared-'));
const env = { EDS_DATABASE_URL: 'sqlite:/shared/eds.db', EDS_MAIL_STORE: 'file:/shared/mail', EDS_DNS_SERVERS: '255.255.255.255:53',
	EDS_SANDBOX: 'off', EDS_TIMEOUT_MS: '120000' };
const run = async (name, event, more) => JSON.parse((await runPackage(name, event, { shared, env: { ...env, ...more } })).text);
try {
	mkdirSync(join(shared, 'mail'), { mode: 0o700 });
	const migrated = await run('admin', { action: 'migrate' });
	check('the admin package creates the database', migrated.from === 0, migrated);
	const created = await run('tester-session-create', http('POST', '/api/inbound-tester/sessions'));
	check('the tester-session-create package answers an HTTP event', created.statusCode === 201, created);
	const { email, testId } = JSON.parse(created.body);
	writeFileSync(join(shared, 'mail/arm64'), MESSAGE, { mode: 0o600 });
	const analyzed = await run('tester-analyze', mail('arm64', email));
	check('the tester-analyze package analyses a message', analyzed.analyzed === 1, analyzed);
	const result = await run('tester-session-get', http('GET', `/api/inbound-tester/sessions/${testId}`, { pathParameters: { testId } }));
	check('the message was read by the mail reader of tester-analyze', JSON.parse(result.body).status === 'completed', result);
	const refused = await run('tester-analyze', mail('arm64', email), { EDS_SANDBOX: 'filter' });
	check('tester-analyze reads no message if EDS_SANDBOX asks for the filter, which the emulator refuses', refused.analyzed === undefined, refused);
	const checked = await run('dkim-recheck', { version: '0', id: 'a', 'detail-type': 'Scheduled Event', source: 'aws.events',
		time: '2026-01-31T12:00:00Z', resources: [], detail: {} });
	check('the dkim-recheck package makes its round', checked.checked === 0, checked);
	for (const name of Object.keys(functions)) {
		const outcome = await runPackage(name, {}, { shared, env });
		const type = outcome.headers['lambda-runtime-function-error-type'];
		if (outcome.kind !== 'response' && type !== 'Function.Failed') check(`the ${name} package starts`, false, outcome.text);
	}
	check(`each of the ${Object.keys(functions).length} packages starts and answers`, failed === 0, 'see above');
} finally {
	rmSync(shared, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
