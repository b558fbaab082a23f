// What each command of eds prints of an answer. The service answers with the first example of its description,
// and eds-answers.txt has the expected text of each command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startService } from './support/eds-commands.mjs';
import { exampleOf } from './support/openapi.mjs';
import { BUILD } from './support/runner.mjs';

const FILE = fileURLToPath(new URL('support/eds-answers.txt', import.meta.url));

// [[command line, expected text], …]
const expected = readFileSync(FILE, 'utf8').split(/^\$ eds /m).slice(1).map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]);

describe('the command eds', () => {
	let server;

	before(async () => {
		server = http.createServer((req, res) => {
			const { status, body } = exampleOf(req.method, req.url.replace(/[?].*/, ''));
			req.resume();
			res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
	});
	after(() => server?.close());

	async function printed(line) {
		const child = spawn(join(BUILD, 'eds'), line.split(' '), { stdio: ['ignore', 'pipe', 'pipe'],
			env: { PATH: process.env.PATH, EDS_URL: `http://127.0.0.1:${server.address().port}`, EDS_TOKEN: 'eds_secret' } });
		let text = '';
		for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (text += data));
		const status = await new Promise((ended) => child.once('close', ended));
		return `${text}(exit ${status})\n`;
	}

	// What a terminal of this many columns shows.
	async function shown(line, columns) {
		const child = spawn('script', ['-qec', `stty cols ${columns}; ${join(BUILD, 'eds')} ${line}`, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'],
			env: { PATH: process.env.PATH, EDS_URL: `http://127.0.0.1:${server.address().port}`, EDS_TOKEN: 'eds_secret' } });
		let text = '';
		child.stdout.setEncoding('utf8').on('data', (data) => (text += data));
		await new Promise((ended) => child.once('close', ended));
		return text.replaceAll('\r', '');
	}

	for (const [columns, line] of [
		[20, '    The DNS of this domain has not been'],
		[60, '    The DNS of this domain has not been checked yet. Publish'],
		[200, '    The DNS of this domain has not been checked yet. Publish this record only if there is no DMARC'],
	])
		test(`sentences fit into a terminal of ${columns} columns, and are never wider than 100 nor narrower than 40`, async () => {
			const text = await shown('domains show example.com', columns);
			assert.equal(text.split('\n').find((each) => each.startsWith('    ')), line);
		});

	for (const [line, text] of expected)
		test(`eds ${line} prints all that people need of the answer`, async () => assert.equal(await printed(line), text));
});

describe('eds test', () => {
	let service;
	let session;

	before(async () => {
		service = await startService();
		service.answer = (req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(session));
	});
	after(() => service?.stop());

	const result = ({ verdict = 'ham', state = 'good', spamScore = -1.3, ...more } = {}) => ({
		testId: 't1', email: 't1@b.example', status: 'completed', verdict, spamScore, scoreBreakdown: [],
		results: { outlook: { state, reasons: [] }, advice: [] }, ...more,
	});

	test('shows the score of each rule, the reasons and only the advice that needs action', async () => {
		session = result({ verdict: 'spam', spamScore: 5.3,
			scoreBreakdown: [{ rule: 'SPF_FAIL', score: 6 }, { rule: 'DKIM_VALID', score: -0.7 }, { rule: 'NOTHING', score: 0 }],
			results: {
				outlook: { state: 'refused', reasons: [{ message: 'Large providers refuse mail that neither SPF nor DKIM passes, whatever its content is about.' }, { message: 'Second.' }] },
				advice: [
					{ severity: 'good', message: 'All is well.' },
					{ severity: 'urgent', message: 'Publish a record.', record: { name: 'b.example', type: 'TXT', value: 'v=spf1 -all', old: 'v=spf1 ?all', note: 'Soon.' } },
					{ severity: 'note', message: 'By the way.' },
					{ severity: 'action', message: 'Sign your mail.' },
				],
			} });
		const { status, out, err } = await service.run(['test', 't1']);
		assert.deepEqual([status, err], [1, '']);
		assert.equal(out, `
spam, 5.3 points; outlook: refused
  Large providers refuse mail that neither SPF nor DKIM passes, whatever its
  content is about.
  Second.

POINTS  RULE
  +6.0  SPF_FAIL
  -0.7  DKIM_VALID
  +0.0  NOTHING

what to do
  Publish a record.
    b.example TXT v=spf1 -all
    in place of: v=spf1 ?all
      Soon.
  Sign your mail.
`);
	});

	test('with --json prints the answer as it is and nothing else', async () => {
		session = result();
		assert.deepEqual(await service.run(['test', 't1', '--json']).then(({ status, out, err }) => [status, out, err]), [0, `${JSON.stringify(session)}\n`, '']);
	});

	for (const [what, verdict, state, more, expected] of [
		['ham that no provider refuses', 'ham', 'good', [], 0],
		['ham with doubts', 'ham', 'doubtful', [], 0],
		['ham that could not be judged', 'ham', 'undecided', [], 4],
		['ham that providers refuse', 'ham', 'refused', [], 1],
		['spam', 'spam', 'good', [], 1],
		['spam that could not be judged', 'spam', 'undecided', [], 1],
		['spam below the score', 'spam', 'good', ['--below', '-1.2'], 0],
		['ham of exactly the score', 'ham', 'good', ['--below', '-1.3'], 1],
		['ham below the score that providers refuse', 'ham', 'refused', ['--below', '5'], 1],
		['ham below the score that could not be judged', 'ham', 'undecided', ['--below', '5'], 4],
	])
		test(`exits with ${expected} for ${what}`, async () => {
			session = result({ verdict, state });
			assert.equal((await service.run(['test', 't1', ...more])).status, expected);
		});
});
