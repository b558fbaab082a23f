// runner deliver, against functions whose answers the test chooses.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { BUILD, testFunctions } from './support/runner.mjs';

const TAKEN = { accept: true, function: 'keep' };
const MESSAGE_BYTES_MAX = 15 * 1024 * 1024;
const ADDRESS_MAX = 320;

describe('runner deliver', () => {
	let folder;
	let functions;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), 'eds-deliver-'));
		functions = testFunctions({ 'mail-accept': { memoryMb: 0 }, keep: { mail: true, memoryMb: 0 }, other: { memoryMb: 0 } });
	});
	after(() => {
		functions?.remove();
		rmSync(folder, { recursive: true, force: true });
	});

	// Makes the function note its event in NAME.json, and print this text.
	function answers(name, text) {
		writeFileSync(join(functions.folder, name), `#!/bin/sh\ncat > '${join(folder, name)}.json'\ncat <<'EOF'\n${typeof text === 'string' ? text : JSON.stringify(text)}\nEOF\n`);
		chmodSync(join(functions.folder, name), 0o755);
	}
	beforeEach(() => {
		answers('mail-accept', TAKEN);
		answers('keep', '{}');
		for (const name of ['mail-accept', 'keep']) rmSync(join(folder, `${name}.json`), { force: true });
	});

	const eventOf = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
	const deliver = (args, input = 'Subject: x\n\nx\n') => {
		const { status, stdout, stderr } = spawnSync(join(BUILD, 'runner'), ['deliver', '--functions', functions.folder, ...args],
			{ cwd: folder, encoding: 'utf8', input, timeout: 20000, maxBuffer: 1 << 26 });
		return { status, out: stdout, err: stderr };
	};
	// The message in the mail store, without the Received field that the runner adds.
	const kept = (out) => readFileSync(join(folder, 'var/mail', /^delivered to \S+ as (\S+):/.exec(out)[1]), 'latin1')
		.replace(/^Received: .*\r\n(?:[ \t].*\r\n)*/, '');

	test('gives the event to the function that mail-accept names, and prints its answer', () => {
		const { status, out, err } = deliver(['-', '--to', 'A@b.example']);
		assert.equal(status, 0, err);
		assert.match(out, /^delivered to keep as [0-9a-f-]{36}: \{\}\n$/);
		assert.deepEqual(eventOf('mail-accept'), { recipient: 'a@b.example' });
		const { mail, receipt } = eventOf('keep').Records[0].ses;
		assert.equal(mail.source, '');
		assert.deepEqual(receipt.recipients, ['a@b.example']);
	});

	test('takes the envelope from its options', () => {
		const { status, out, err } = deliver(['-', '--to', 'a@b.example', '--from', 'c@d.example', '--client-ip', '2001:db8::1', '--helo', 'h.example']);
		assert.equal(status, 0, err);
		const event = JSON.stringify(eventOf('keep'));
		assert.equal(eventOf('keep').Records[0].ses.mail.source, 'c@d.example');
		for (const part of ['2001:db8::1', 'h.example']) assert.ok(event.includes(part), event);
		assert.equal(kept(out), 'Subject: x\r\n\r\nx\r\n');
		assert.equal(deliver(['-', '--to', 'a@b.example', '--from', '<>']).status, 0);
		assert.equal(eventOf('keep').Records[0].ses.mail.source, '');
	});

	for (const [what, text, expected] of [
		['bare LF becomes CRLF', 'A: b\n\nc\r\nd\n', 'A: b\r\n\r\nc\r\nd\r\n'],
		['a last line without its end gets one', 'A: b\n\nc', 'A: b\r\n\r\nc\r\n'],
		['an empty first line stays', '\nc\n', '\r\nc\r\n'],
		['a CR alone stays', 'A: b\r\n\r\nc\rd\r\n', 'A: b\r\n\r\nc\rd\r\n'],
		['a long message is whole', `A: b\n\n${'0123456789abcdef\n'.repeat(10000)}`, `A: b\r\n\r\n${'0123456789abcdef\r\n'.repeat(10000)}`],
	])
		test(`${what} in the message`, () => assert.equal(kept(deliver(['-', '--to', 'a@b.example'], text).out), expected));

	for (const [what, answer, sentence] of [
		['refuses the recipient with a reason', { accept: false, reason: 'not here' }, 'a@b.example is refused: not here'],
		['refuses the recipient', { accept: false }, 'a@b.example is refused: no such recipient here'],
		['fails', { errorType: 'Temporary', errorMessage: 'the store is away' }, 'mail-accept: Temporary: the store is away'],
	])
		test(`exits with 1 and gives nobody an event when mail-accept ${what}`, () => {
			answers('mail-accept', answer);
			assert.deepEqual(deliver(['-', '--to', 'a@b.example']), { status: 1, out: '', err: `runner deliver: ${sentence}\n` });
			assert.throws(() => eventOf('keep'));
		});

	for (const [what, answer, sentence] of [
		['fails', { errorType: 'Temporary', errorMessage: 'not now' }, /^runner deliver: keep: Temporary: not now\n$/],
		['answers with no JSON', 'what?', /^runner deliver: keep: .+\n$/],
	])
		test(`exits with 1 and the reason when the function ${what}`, () => {
			answers('keep', answer);
			const { status, out, err } = deliver(['-', '--to', 'a@b.example']);
			assert.deepEqual([status, out], [1, '']);
			assert.match(err, sentence);
		});

	const addressOf = (length) => `a@${'b'.repeat(length - 2)}`;
	for (const [what, args, input, sentence] of [
		['an empty message', [], '', 'the message is empty'],
		['a message with a NUL', [], 'A: b\n\n\0\n', 'the message contains a NUL'],
		['a message that is too large', [], 'x'.repeat(MESSAGE_BYTES_MAX + 1), `a message may have ${MESSAGE_BYTES_MAX} octets at most`],
		['a client that is not an address', ['--client-ip', '192.0.2.1:25'], 'x', '--client-ip is not an IP address'],
		['a sender that is too long', ['--from', addressOf(ADDRESS_MAX + 1)], 'x', 'the address of --to or --from is too long'],
		['a recipient that is too long', ['--to', addressOf(ADDRESS_MAX + 1)], 'x', 'the address of --to or --from is too long'],
	])
		test(`refuses ${what} and asks no function`, () => {
			assert.deepEqual(deliver(['-', '--to', 'a@b.example', ...args], input), { status: 1, out: '', err: `runner deliver: ${sentence}\n` });
			assert.throws(() => eventOf('mail-accept'));
		});

	test('takes a message and addresses of the greatest length', () => {
		const input = `A: b\r\n\r\n${'x'.repeat(MESSAGE_BYTES_MAX - 10)}\r\n`;
		const { out } = deliver(['-', '--to', addressOf(ADDRESS_MAX), '--from', addressOf(ADDRESS_MAX)], input);
		assert.ok(kept(out) === input);
	});

	test('names a file that cannot be read, with the reason', () => {
		assert.deepEqual(deliver(['none.eml', '--to', 'a@b.example']),
			{ status: 1, out: '', err: 'runner deliver: none.eml cannot be read: No such file or directory\n' });
	});

	for (const args of [['-'], ['--to', 'a@b.example'], ['-', 'x', '--to', 'a@b.example'], ['-', '--to']])
		test(`${args.join(' ')} exits with 64 and the usage`, () => {
			const { status, out, err } = deliver(args);
			assert.deepEqual([status, out], [64, '']);
			assert.match(err, /^usage: runner deliver FILE --to ADDRESS/m);
		});
});
