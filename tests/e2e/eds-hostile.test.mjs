// The command eds against a hostile or a busy service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD } from './support/runner.mjs';

const NO_CONTROL = /^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$/;

describe('a hostile service', () => {
	let server;
	let url;
	let asked;
	let answer;

	before(async () => {
		server = http.createServer((req, res) => {
			asked.push({ url: req.url, at: Date.now(), authorization: req.headers.authorization });
			answer(req, res);
		});
		await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
		url = `http://127.0.0.1:${server.address().port}`;
	});
	after(() => server?.close());

	const against = (args, how) => {
		asked = [];
		answer = how;
		const child = spawn(join(BUILD, 'eds'), [...args, '--url', url], { stdio: ['ignore', 'pipe', 'pipe'],
			env: { PATH: process.env.PATH, EDS_TOKEN: 'eds_secret' } });
		const run = { out: '', err: '' };
		child.stdout.setEncoding('utf8').on('data', (data) => (run.out += data));
		child.stderr.setEncoding('utf8').on('data', (data) => (run.err += data));
		return new Promise((ended) => child.once('close', (status, signal) => ended({ status: status ?? signal, ...run })));
	};
	const says = (text, status = 200, headers = {}) => (req, res) => {
		res.writeHead(status, { 'content-type': 'application/json', ...headers });
		res.end(text);
	};
	const HARM = '\\u001b[2J\\u009b2J\\u0007\\u202e\\r\\n\\u0000\x9b';

	test('cannot move the cursor of the terminal, whatever it answers', async () => {
		const noNul = HARM.replace('\\u0000', '');
		for (const text of [
			`{"data":[{"name":"${noNul}","id":"${noNul}","createdAt":"${noNul}","posture":{"state":"${noNul}"}}]}`,
			`{"data":[{"name":"${HARM}"}]}`,
			`{"data":${'['.repeat(5000)}`,
			'\x1b[2J', '', '[]', '7', '{"data":7}', '{"data":[7,null,{"name":[{}]}]}',
		])
			for (const more of [[], ['--json']]) {
				const { out, err, status } = await against(['domains', 'list', ...more], says(text));
				assert.match(out + err, NO_CONTROL, text);
				assert.ok([0, 3].includes(status), `${status} ${text}`);
			}
		const refused = await against(['domains'], says(`{"detail":"${HARM.replace('\\u0000', '')}","code":"\\u001b"}`, 400));
		assert.equal(refused.status, 2);
		assert.match(refused.err, NO_CONTROL);
	});

	test('cannot redirect a request with the token to another address', async () => {
		const { status, err } = await against(['domains'], says('', 302, { location: `${url}/elsewhere` }));
		assert.equal(status, 3);
		assert.match(err, /answered 302, but not like an eds service: is the address right\?/);
		assert.equal(asked.length, 1);
	});

	test('gets no token from commands that need none', async () => {
		await against(['check', 'example.com'], says('{"data":{"domain":"example.com","state":"ok","items":[]}}'));
		assert.deepEqual(asked.map(({ authorization }) => authorization), [undefined]);
		await against(['domains'], says('{"data":[]}'));
		assert.deepEqual(asked.map(({ authorization }) => authorization), ['Bearer eds_secret']);
	});

	test('cannot keep the command asking with endless pages', async () => {
		const { status } = await against(['domains', 'show', 'example.com'],
			says('{"data":[]}', 200, { link: '</api/v1/domains?cursor=x>; rel="next"' }));
		assert.equal(status, 2);
		assert.equal(asked.length, 100);
	});

	const DOMAIN_ID = '0193490a-2b1c-7c4d-8e5f-6a7b8c9d0e1f';
	const exportOf = (how, ...more) => against(['reports', 'export', DOMAIN_ID, ...more], (req, res) => how.shift()(req, res));
	const page = (text, cursor) => says(`"a","b"\r\n${text}\r\n`, 200,
		cursor && { link: `</api/v1/domains/x/report-export?format=csv&cursor=${cursor}>; rel="next"` });
	const busy = says('{"status":503,"detail":"busy","code":"busy"}', 503, { 'retry-after': '1' });

	test('is asked again for a page of an export when it was busy, and the file is whole', async () => {
		const { status, out, err } = await exportOf([page('"1","2"', 'x%3A1'), busy, page('"3","4"')]);
		assert.equal(status, 0);
		assert.equal(out, '"a","b"\r\n"1","2"\r\n"3","4"\r\n');
		assert.match(err, /^eds: busy \(503, busy\)\neds: try again in 1 seconds\neds: eds tries again in 1 s\n$/);
		assert.deepEqual(asked.map(({ url: path }) => path), [`/api/v1/domains/${DOMAIN_ID}/report-export?format=csv&what=rows`,
			...Array(2).fill('/api/v1/domains/x/report-export?format=csv&cursor=x%3A1')]);
	});

	test('that wants an export to wait for more than two minutes ends it, with the command for the rest', { timeout: 30000 }, async () => {
		const long = says('{"status":503,"detail":"busy","code":"busy"}', 503, { 'retry-after': '121' });
		const { status, out, err } = await exportOf([page('"1","2"', '1'), long, page('"3","4"')]);
		assert.equal(status, 3);
		assert.equal(out, '"a","b"\r\n"1","2"\r\n');
		assert.equal(err, 'eds: busy (503, busy)\neds: try again in 121 seconds\n' +
			'eds: the file is not complete; the same command with --cursor 1 prints the rest\n');
		assert.equal(asked.length, 2);
	});

	test('that ends an export early is reported, with the command for the rest', async () => {
		const gone = says('{"status":404,"detail":"gone","code":"domain-not-found"}', 404);
		const { status, out, err } = await exportOf([page('"1","2"', 'x%3A1'), gone]);
		assert.equal(status, 2);
		assert.equal(out, '"a","b"\r\n"1","2"\r\n');
		assert.match(err, /^eds: the file is not complete; the same command with --cursor x:1 prints the rest\n$/m);
		const rest = await exportOf([page('"3","4"')], '--cursor', 'x:1');
		assert.deepEqual(rest, { status: 0, out: '"3","4"\r\n', err: '' });
		assert.match(asked[0].url, /\?cursor=x%3A1&format=csv&what=rows$/);
	});

	test('cannot leave a half page or the page of a proxy in an export', async () => {
		const half = (req, res) => {
			res.writeHead(200, { 'content-length': '1000' });
			res.write('"a","b"\r\n"3"');
			setTimeout(() => res.destroy(), 100);
		};
		const cut = await exportOf([page('"1","2"', '1'), half, half, half, half]);
		assert.equal(cut.status, 3);
		assert.equal(cut.out, '"a","b"\r\n"1","2"\r\n');
		assert.match(cut.err, /--cursor 1 prints the rest\n$/);
		const proxy = await exportOf([says('<html>Log in</html>', 200, { 'content-type': 'text/html' })]);
		assert.equal(proxy.status, 3);
		assert.equal(proxy.out, '');
		assert.match(proxy.err, /answered 200, but not like an eds service: is the address right\?/);
	});

	test('gives a script a line for each uploaded file, even when the answer is the page of a proxy', async () => {
		const { status, out, err } = await against(['reports', 'upload', 'x.example', 'README.md', '--json'], (req, res) =>
			(req.method === 'GET' ? says('{"data":[{"id":"1","name":"x.example"}]}') : says('<html>Bad gateway</html>', 502))(req, res));
		assert.equal(status, 3, err);
		assert.deepEqual(JSON.parse(out), { path: 'README.md', problem: { detail: 'README.md was not accepted: the answer is not JSON' } });
		assert.match(err, /^eds: README\.md was not accepted: the answer is not JSON$/m);
	});

	const COMPLETED = '{"testId":"x","status":"completed","verdict":"ham","spamScore":0,"scoreBreakdown":[],"results":{"outlook":{"state":"good","reasons":[]}}}';
	const waitFor = (answers, ...more) => against(['test', 'x', ...more], (req, res) => answers.shift()(req, res));
	const cut = (req, res) => res.destroy();

	test('is asked again for a result no sooner than it says, and not in a tight loop', async () => {
		const { status, out } = await waitFor([
			says('{"status":503,"detail":"busy","code":"busy"}', 503, { 'retry-after': '2' }),
			says('{"testId":"x","status":"pending"}'),
			says(COMPLETED),
		]);
		assert.equal(status, 0, out);
		assert.match(out, /^ham, 0 points; outlook: good\n\nNo rule gave points\.\n$/m);
		assert.equal(asked.length, 3);
		assert.ok(asked[1].at - asked[0].at >= 1900, 'Retry-After is obeyed');
		assert.ok(asked[2].at - asked[1].at >= 900, 'a pause follows an answer that came at once');
		assert.match(asked[0].url, /^\/api\/inbound-tester\/sessions\/x\?wait=30$/);
	});

	for (const [what, first] of [
		['limits requests (429)', says('{"status":429,"detail":"slow down","code":"rate-limited"}', 429)],
		['fails (500)', says('{"status":500,"detail":"failed","code":"internal"}', 500)],
		['is away behind its proxy (502)', says('<html>Bad gateway</html>', 502)],
		['closes the connection', cut],
		['has no result yet', says('{"testId":"x","status":"processing"}')],
	])
		test(`that ${what} is asked again for a result`, async () => {
			const { status, err } = await waitFor([first, says(COMPLETED)]);
			assert.equal(status, 0, err);
			assert.equal(asked.length, 2);
		});

	for (const [what, first, expected, sentence] of [
		['does not know the test (404)', says('{"status":404,"detail":"gone","code":"test-not-found"}', 404), 2, /^eds: gone \(404, test-not-found\)\n$/],
		['is another service (200)', says('<html>Welcome</html>'), 3, /answered 200, but not like an eds service: is the address right\?\n$/],
		['is another service with JSON (200)', says('{"state":"ok"}'), 3, /answered 200, but not like an eds service: is the address right\?\n$/],
	])
		test(`that ${what} is not asked again for a result`, async () => {
			const { status, err } = await waitFor([first, says(COMPLETED)]);
			assert.equal(status, expected, err);
			assert.match(err, sentence);
			assert.equal(asked.length, 1);
		});

	for (const [what, last, expected, sentence] of [
		['has no result', says('{"testId":"x","status":"pending"}'), 4, /^eds: no result yet; eds test x keeps waiting\n$/],
		['is busy', says('{"status":503,"detail":"busy","code":"busy"}', 503), 3, /^eds: busy \(503, busy\)\n$/],
		['closes the connection', cut, 3, /^eds: the service at http:\S+ does not answer: /],
	])
		test(`that ${what} when the time is up ends the wait with exit status ${expected}`, async () => {
			const { status, err } = await waitFor([last, last], '--timeout', '0');
			assert.equal(status, expected, err);
			assert.match(err, sentence);
			assert.equal(asked.length, 1);
		});

	test('is asked less and less often for a result that it does not wait for', async () => {
		const pending = says('{"testId":"x","status":"pending"}');
		const { status } = await waitFor([pending, pending, pending, says(COMPLETED)]);
		assert.equal(status, 0);
		const pauses = asked.slice(1).map(({ at }, i) => at - asked[i].at);
		assert.ok(pauses[1] >= 1900 && pauses[2] >= 3900, `pauses of 1, 2 and 4 seconds: ${pauses}`);
	});
});
