// The first steps with the service: the four commands of README, the commands that the runner prints,
// and the service that make demo leaves running.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { openPage, startBrowser } from './support/browser.mjs';
import { startRunner, until } from './support/runner.mjs';
import { untilCompleted } from './support/tester.mjs';

const ROOT = new URL('../../', import.meta.url);
const DEMO_MS = 180000; // time limit for the whole demo, on a loaded machine

describe('a newcomer', () => {
	let runner;
	let folder;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-first-look-'));
		runner = await startRunner();
	});
	after(async () => {
		await runner?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	// Runs a line in a shell and returns its output.
	function shell(line) {
		const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8', timeout: 30000 });
		assert.equal(status, 0, `${line}\n${stderr}`);
		return stdout;
	}

	// A message from this machine is accepted and judged; checks that need a public address stay undecided.
	function assertJudged({ status, results }, subject) {
		assert.equal(status, 'completed');
		assert.equal(results.headers.subject, subject);
		assert.equal(results.form.bareLf, false);
		assert.equal(results.outlook.state, 'undecided');
		assert.ok(results.outlook.reasons.some(({ code }) => code === 'client'));
	}

	test('gets a result with the four commands of README', async () => {
		const readme = readFileSync(new URL('README.md', ROOT), 'utf8');
		const [, block] = /While `make run` is running, in a second terminal:\n\n((?: {4}.*\n)+)/.exec(readme);
		const lines = block.trimEnd().split('\n').map((line) => line.trim()
			.replaceAll('127.0.0.1:8080', `127.0.0.1:${runner.httpPort}`).replaceAll('127.0.0.1:2525', `127.0.0.1:${runner.smtpPort}`));
		assert.equal(lines.length, 4);
		const { email, testId } = JSON.parse(shell(lines[0]));
		const filled = lines.slice(1).map((line) => line.replaceAll('ADDRESS', email).replaceAll('TESTID', testId));
		shell(filled[0]);
		shell(filled[1]);
		await untilCompleted(runner, testId);
		assertJudged(JSON.parse(shell(filled[2])), 'A test');
	});

	test('finds the dashboard and three working commands in the runner\'s output', async () => {
		await until(() => /sessions\/TESTID\n\n/.test(runner.output.out));
		const [, dashboard] = /eds serves the dashboard and the API on (http:\/\/127\.0\.0\.1:\d+\/)/.exec(runner.output.out);
		const page = await request(dashboard);
		assert.equal(page.status, 200);
		assert.match(page.headers['content-type'], /^text\/html/);
		const [create, send, look] = [...runner.output.out.matchAll(/^ {2}(curl (?!-H).*)$/gm)].map(([, line]) => line);
		const { testId } = JSON.parse(shell(create));
		writeFileSync(join(folder, 'message.eml'), 'From: me@example.com\nSubject: Of plain lines\nMessage-ID: <1@example.com>\n\nHello\n');
		shell(send.replace('TESTID', testId));
		await untilCompleted(runner, testId);
		assertJudged(JSON.parse(shell(look.replace('TESTID', testId))), 'Of plain lines');
	});
});

describe('make demo', () => {
	let demo;
	let said = '';
	let ended;
	let browser;

	before(async () => {
		demo = spawn('node', ['tests/support/demo.mjs'], { cwd: ROOT, env: { ...process.env, ONCE: '' }, stdio: ['ignore', 'pipe', 'pipe'] });
		for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
		ended = new Promise((done) => demo.once('close', (code, signal) => done({ code, signal })));
		demo.once('close', (code) => (said += `\nended: ${code}`));
		await until(() => /until you press Ctrl-C|ended: /.test(said), DEMO_MS);
		browser = await startBrowser();
	});
	after(async () => {
		await browser?.close();
		if (demo?.exitCode === null) demo.kill('SIGTERM');
		await ended;
	});

	const linkOf = (name) => new RegExp(`^ {2}${name} +(http://127\\.0\\.0\\.1:\\d+/)(#/\\S+)`, 'm').exec(said) ?? assert.fail(said);

	for (const [name, state, title] of [['good', 'good', 'Looks good'], ['bad', 'refused', 'Will be refused'], ['undecided', 'undecided', 'Undecided']])
		test(`prints a link to the ${name} result of a test`, async () => {
			const [, base, place] = linkOf(name);
			const answer = await request(`${base}api/inbound-tester/sessions/${place.replace('#/test/', '')}`);
			assert.equal(answer.json().results.outlook.state, state);
			const { page, context, faults } = await openPage(browser, { baseUrl: base.slice(0, -1) });
			await page.goto(base + place);
			await page.getByRole('heading', { level: 1, name: title }).waitFor();
			assert.deepEqual(faults, []);
			await context.close();
		});

	test('prints a token that shows a domain with reports', async () => {
		const [, base, place] = linkOf('a domain');
		const token = /it asks for the token (eds_\w+)/.exec(said)[1];
		const { page, context, faults } = await openPage(browser, { baseUrl: base.slice(0, -1) });
		await page.goto(base + place);
		await page.getByRole('textbox', { name: 'API token' }).fill(token);
		await page.getByRole('button', { name: 'Log in' }).click();
		await page.getByText('receiver.example').first().waitFor();
		assert.deepEqual(faults, []);
		await context.close();
	});

	test('ends when it is interrupted, and leaves nothing behind', async () => {
		const [, base] = linkOf('good');
		demo.kill('SIGINT');
		assert.deepEqual(await ended, { code: 0, signal: null });
		await assert.rejects(request(base));
	});
});
