// What each command of eds prints of an answer. The service answers with the first example of its description,
// and eds-answers.txt has the expected text of each command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
		[20, '    DNS has not been looked at yet.'],
		[60, '    DNS has not been looked at yet. Publish this record only'],
		[200, '    DNS has not been looked at yet. Publish this record only if there is no DMARC record; if there'],
	])
		test(`sentences fit into a terminal of ${columns} columns, and are never wider than 100 nor narrower than 40`, async () => {
			const text = await shown('domains show example.com', columns);
			assert.equal(text.split('\n').find((each) => each.startsWith('    ')), line);
		});

	for (const [line, text] of expected)
		test(`eds ${line} prints all that people need of the answer`, async () => assert.equal(await printed(line), text));
});
