// What the command eds says of an error, of its user or of the service, and its exit status.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { COMMANDS, enough, startService } from './support/eds-commands.mjs';

let service;

before(async () => (service = await startService()));
beforeEach(() => (service.answer = enough));
after(() => service?.stop());

describe('a wrong command line:', () => {
	for (const [said, meant] of [['domians', 'domains'], ['chek', 'check'], ['selectors lst', 'selectors list'], ['mta-sts shwo', 'mta-sts show'], ['alert', 'alerts'], ['reports uplod', 'reports upload']])
		test(`the mistyped command ${said} exits with 64 and names eds ${meant}`, async () => {
			const { status, out, err } = await service.run(said.split(' '));
			assert.equal(status, 64);
			assert.equal(out, '');
			assert.equal(err, `eds: there is no command "${said}"; did you mean eds ${meant}?\n`);
		});

	for (const [args, said, meant] of [
		[['domains', '--sarch', 'right'], '--sarch', '--search'],
		[['domains', '--serach=right'], '--serach', '--search'],
		[['check', '--jsno', 'right.example'], '--jsno', '--json'],
		[['domains', '-jsn'], '-jsn', '--json'],
	])
		test(`the mistyped option ${said} exits with 64 and names ${meant}`, async () => {
			const { status, out, err } = await service.run(args);
			assert.equal(status, 64);
			assert.equal(out, '');
			assert.equal(err, `eds: ${said} is unknown; did you mean ${meant}?\n`);
		});

	test('the unknown command audit-log is answered with eds tokens log', async () => {
		assert.match((await service.run(['audit-log'])).err, /there is no command "audit-log"; did you mean eds tokens log\?/);
	});

	for (const [args, sentence] of [
		[['frobnicate'], /there is no command "frobnicate"; see eds --help/],
		[['tokens', 'rotate'], /^eds: there is no command "tokens rotate"; see eds --help\n$/],
		[['reports', 'send'], /^eds: there is no command "reports send"; see eds --help\n$/],
		[['check'], /^eds check: NAME is missing\nusage: eds check NAME/],
		[['selectors', 'add', 'right.example'], /^eds selectors add: SELECTOR is missing\n/],
		[['domains', 'show'], /^eds domains show: DOMAIN is missing\n/],
		[['api', 'GET'], /^eds api: PATH is missing\n/],
		[['check', 'a.example', 'b.example'], /"b\.example" is one word too many/],
		[['check', '--frobnicate', 'a.example'], /^eds: --frobnicate is unknown; see eds --help\n$/],
		[['check', '--frobnicate=7', 'a.example'], /^eds: --frobnicate is unknown;/],
		[['check', 'a.example', '--url'], /^eds: --url lacks its value;/],
		[['check', 'a.example', '--json=yes'], /^eds: --json takes no value;/],
		[['api', 'get', '/api/v1/domains'], /^eds api: METHOD must be GET, POST, PATCH or DELETE\n/],
		[['api', 'GET', 'api/v1/domains'], /^eds api: PATH must begin with a slash\n/],
		[['mta-sts', 'set', 'a.example', '--enabled', 'maybe'], /^eds mta-sts set: --enabled must be yes or no\n/],
		[['mta-sts', 'set', 'a.example', '--hosted', ''], /^eds mta-sts set: --hosted must be yes or no\n/],
		[['mta-sts', 'set', 'a.example', '--max-age', '1d'], /^eds mta-sts set: --max-age must be a number of seconds\n/],
		[['mta-sts', 'set', 'a.example', '--max-age', ''], /^eds mta-sts set: --max-age must be a number of seconds\n/],
		[['mta-sts', 'set', 'a.example', '--max-age', '9'.repeat(30)], /^eds mta-sts set: --max-age must be a number of seconds\n/],
		[['reports', 'export', 'a.example', '--cursor', 'x'.repeat(4096)], /^eds reports export: an option is too long\n/],
		[['test', 't1', '--send-from', 'mail.eml'], /^eds test: --send-from sends to a new address; leave out TESTID\n/],
		[['test', '--timeout', '-1'], /^eds test: --timeout must be a number from 0 to 172800\n/],
		[['test', '--timeout', '172801'], /^eds test: --timeout must be a number from 0 to 172800\n/],
		[['test', '--timeout', ''], /^eds test: --timeout must be a number from 0 to 172800\n/],
		[['test', '--below', '101'], /^eds test: --below must be a number from -100 to 100\n/],
		[['test', '--below', '1e999'], /^eds test: --below must be a number from -100 to 100\n/],
		[['check', 'a.example', '--by', 'day'], /^eds check: there is no option --by\n/],
		[['test', '--timeout', 'soon'], /--timeout must be a number/],
		[['mta-sts', 'set', 'right.example'], /give at least one option with a new value/],
		[['check', 'a.example', '--url', 'ftp://127.0.0.1'], /is not the URL of a service/],
		[[], /^usage: eds COMMAND/],
	])
		test(`eds ${args.join(' ')} exits with 64`, async () => {
			const { status, out, err } = await service.run(args);
			assert.equal(status, 64);
			assert.equal(out, '');
			assert.match(err, sentence);
		});
});

describe('a file', () => {
	test('without a token is named, and nothing is asked', async () => {
		for (const [text, reason] of [[null, 'No such file or directory'], ['', 'it is empty'], ['\n', 'it is empty'], ['\r\neds_secret\n', 'it is empty']]) {
			if (text !== null) writeFileSync(join(service.folder, 'token'), text);
			const { status, out, err, asked } = await service.run(['domains', '--token-file', 'token']);
			assert.deepEqual([status, out, err, asked], [2, '', `eds: token has no token: ${reason}\n`, []]);
		}
	});

	test('gives the token of its first line, instead of that of the environment', async () => {
		writeFileSync(join(service.folder, 'token'), 'eds_other\r\nmore\n');
		const { status, asked } = await service.run(['domains', '--token-file', 'token']);
		assert.equal(status, 0);
		assert.equal(asked[0].token, 'Bearer eds_other');
	});
});

describe('a token', () => {
	for (const token of ['', 'a b', 'a\nX: y', 'a\x7f', 'é'])
		test(`of ${JSON.stringify(token)} is sent to nobody`, async () => {
			const { status, err, asked } = await service.run(['domains'], { EDS_TOKEN: token });
			assert.deepEqual([status, asked.length], [2, 0]);
			assert.match(err, /^eds: domains(?: list)? needs an API token: set EDS_TOKEN or give --token-file FILE\n$/);
		});
});

describe('when the service refuses a request,', () => {
	const REFUSED = '{"status":403,"detail":"not you","code":"forbidden"}';
	const refuse = (which) => (req, res, number) =>
		(number === which ? res.writeHead(403, { 'content-type': 'application/problem+json' }).end(REFUSED) : enough(req, res));
	const NONE_UPLOADED = '0 accepted, 0 duplicate, 0 refused\n';
	const cut = (which) => (req, res, number) => (number === which ? res.destroy() : enough(req, res));

	for (const [line] of COMMANDS) {
		const words = line.split(' ');

		test(`eds ${line} exits with 2, says why and shows no result`, async () => {
			const { asked } = await service.run(words);
			for (let which = 1; which <= asked.length; which++) {
				service.answer = refuse(which);
				const plain = await service.run(words);
				assert.equal(plain.status, 2, plain.err);
				assert.match(plain.err, /^eds: not you \(403, forbidden\)$/m);
				assert.equal(plain.out, which === 1 ? '' : words[0] === 'test' ? 't1@b.example\n' : words[1] === 'upload' ? NONE_UPLOADED : '');
				assert.equal(plain.asked.length, which);
			}
		});

		if (!/^reports export .*--cursor/.test(line)) // a later page is asked for again
			test(`eds ${line} exits with 3 when the connection is closed, and says so`, async () => {
				const { asked } = await service.run(words);
				for (let which = 1; which <= asked.length; which++) {
					service.answer = cut(which);
					const { status, err } = await service.run(words[0] === 'test' ? [...words, '--timeout', '0'] : words);
					assert.equal(status, 3, err);
					assert.match(err, /^eds: the service at http:\S+ does not answer: /m);
				}
			});

		if (!/^reports (export|upload)/.test(line))
			test(`eds ${line} --json prints the problem of the service as it is`, async () => {
				service.answer = refuse(1);
				const { status, out } = await service.run([...words, '--json']);
				assert.deepEqual([status, out], [2, `${REFUSED}\n`]);
			});
	}
});
