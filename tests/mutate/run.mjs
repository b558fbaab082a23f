// Plants small mistakes and checks which of them the tests notice.
//
//     node tests/mutate/run.mjs [--seed N] [--count N] [--path PREFIX] [--at FILE:LINE,…]
//                               [--workers N] [--folder DIR] [--lines FILE] [--stories SECONDS]
//                               [--results FILE [--again survived]]
//
// Each mutant is one change (mutants.mjs) in a copy of the tree. It is built with the sanitizers, and the
// unit tests and function cases that execute its statement are run, quickest and nearest first, then stories on the
// release build, which may take two minutes together by default. `make coverage` records which test executes which
// lines; without that record all tests with similar names are run (near.mjs). A change that does not compile, or
// compiles to the same code, does not count as a mutant. The same seed plants the same mistakes. Survivors are
// printed with their change, and with the reason if reasons.mjs has one. With --results an interrupted run continues,
// and with --again it tries survivors again. Trees in a folder given by --folder are kept for the next run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryFolder } from '../support/memory.mjs';
import { mutantsOf, mutated } from './mutants.mjs';
import { reasonOf } from './reasons.mjs';
import { testsOf } from './near.mjs';
import { build, codeOfFile, compiles, fails, plant } from './tree.mjs';

const SOURCES = ['functions', 'runtime', 'local'];
const AT_ONCE = 4;

function options(args) {
	const wanted = { seed: 1, count: 200, workers: 2, path: '', at: '', folder: '', results: '', stories: 120, again: '', lines: 'build/cover/lines.json' };

	for (let i = 0; i < args.length; i += 2) {
		const name = args[i].replace(/^--/, '');
		if (!(name in wanted) || args[i + 1] === undefined) throw new Error(`no such option: ${args[i]}`);
		wanted[name] = typeof wanted[name] === 'number' ? Number(args[i + 1]) : args[i + 1];
	}
	return wanted;
}

const plain = (text) => text.replace(/\s+/g, ' ').trim();

// The mutants of a file, each with the text of its line and a key that stays when lines move.
function keyed(file) {
	const source = readFileSync(file, 'utf8');
	const lines = source.split('\n');
	const seen = new Map();

	return mutantsOf(source).map((mutant) => {
		const text = plain(lines[mutant.line - 1]);
		const name = [file, text, mutant.kind, plain(mutant.from), plain(mutant.to)].join(' | ');
		seen.set(name, (seen.get(name) ?? 0) + 1);
		return { ...mutant, file, text, key: `${name} | ${seen.get(name)}` };
	});
}

function allMutants({ path, at }) {
	const files = spawnSync('git', ['ls-files', ...SOURCES.map((folder) => `${folder}/*.c`)], { encoding: 'utf8' })
		.stdout.trim().split('\n').filter((file) => file.startsWith(path));
	const lines = at.split(',');
	return files.flatMap(keyed).filter(({ file, line }) => !at || lines.includes(`${file}:${line}`));
}

// The mutants with the smallest hashes, so that most of them stay the same when the sources change.
function chosen(mutants, count, seed) {
	const hash = ({ key }) => createHash('sha256').update(`${seed}:${key}`).digest('hex');

	return mutants.map((mutant) => [hash(mutant), mutant]).sort(([a], [b]) => (a < b ? -1 : 1))
		.slice(0, count).map(([, mutant]) => mutant);
}

// The first of some tests that notices the mutant; tests mostly wait, so several run at a time.
async function oneThatNotices(tree, tests, isSound) {
	await build(tree, tests);
	const left = [...tests];
	let failed = null;
	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		for (let test = left.shift(); test !== undefined && failed === null; test = left.shift())
			if (await fails(tree, test)) failed ??= test;
	}));
	if (failed === null || await isSound(failed)) return failed?.name ?? null;
	return oneThatNotices(tree, tests.filter((test) => test !== failed), isSound);
}

// As many stories as fit into the time limit.
async function storyThatNotices(tree, stories, left, isSound) {
	for (const story of stories) {
		left -= story.ms;
		if (left < 0) return null;
		await build(tree, [story]);
		if (await fails(tree, story) && await isSound(story)) return story.name;
	}
	return null;
}

// Whether a test passes without the mutant; asked once for each test, because a test that fails anyway
// notices nothing.
const sound = new Map();

async function passes(tree, test, path, source) {
	const changed = readFileSync(path, 'utf8');
	const key = `${test.kind}/${test.name}`;

	if (!sound.has(key)) {
		writeFileSync(path, source);
		await build(tree, [test]);
		sound.set(key, !(await fails(tree, test)));
		writeFileSync(path, changed);
		await build(tree, [test]);
		if (!sound.get(key)) console.log(`FAILS WITHOUT A MUTANT ${key}`);
	}
	return sound.get(key);
}

// Whether the compiler refuses a mutant, or makes the same code of it as of the source.
async function isNone(tree, mutant, source) {
	const path = join(tree, mutant.file);
	const after = await codeOfFile(tree, mutant.file);

	if (after === null) return true;
	writeFileSync(path, source);
	const before = await codeOfFile(tree, mutant.file);
	writeFileSync(path, mutated(source, mutant));
	return after === before;
}

// The test that notices a mutant: its name, null for none, undefined if the change is not a mutant. A
// change that the first test notices certainly is one, so that is checked only afterwards.
async function noticedBy(tree, mutant, lines, storiesMs) {
	const path = join(tree, mutant.file);
	const source = readFileSync(path, 'utf8');
	const { quick: [first, ...others], stories } = testsOf(mutant, source, lines);
	const isSound = (test) => passes(tree, test, path, source);

	writeFileSync(path, mutated(source, mutant));
	try {
		if (first && await compiles(tree, mutant.file)) {
			await build(tree, [first]);
			if (await fails(tree, first) && await isSound(first)) return first.name;
		}
		if (await isNone(tree, mutant, source)) return undefined;
		return await oneThatNotices(tree, others, isSound) ?? await storyThatNotices(tree, stories, storiesMs, isSound);
	} finally {
		writeFileSync(path, source);
	}
}

function tell(mutant, noticed, counts) {
	const place = `${mutant.file}:${mutant.line}`;
	const change = `${plain(mutant.from)} -> ${plain(mutant.to)}`;
	const reason = noticed === null ? reasonOf(mutant) : undefined;
	const verdict = noticed === undefined ? 'none' : noticed !== null ? 'noticed' : reason ? 'reasoned' : 'survived';
	const word = { none: 'no mutant', noticed: 'noticed  ', reasoned: 'reason   ', survived: 'SURVIVED ' }[verdict];

	counts[verdict]++;
	console.log(`${word} ${place} ${mutant.kind}: ${change}${noticed || reason ? `  (${noticed ?? reason})` : ''}`);
}

// Verdicts by key, as earlier runs wrote them; the latest one counts.
function earlier(file) {
	if (!file || !existsSync(file)) return new Map();
	return new Map(readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map((line) => {
		const { key, noticed } = JSON.parse(line);
		return [key, noticed === 'no mutant' ? undefined : noticed];
	}));
}

const wanted = options(process.argv.slice(2));
const folder = wanted.folder || mkdtempSync(join(memoryFolder() ?? tmpdir(), 'eds-mutants-'));
const counts = { noticed: 0, survived: 0, reasoned: 0, none: 0 };
const mutants = chosen(allMutants(wanted), wanted.count, wanted.seed);
const known = earlier(wanted.results);
const lines = existsSync(wanted.lines)
	? { lines: JSON.parse(readFileSync(wanted.lines, 'utf8')), cover: dirname(wanted.lines) } : null;

console.log(`seed ${wanted.seed}: ${mutants.length} changes`);
try {
	await Promise.all(Array.from({ length: wanted.workers }, async (_, index) => {
		const tree = await plant(folder, index);
		for (let next = mutants.shift(); next !== undefined; next = mutants.shift()) {
			const { key } = next;
			const isKnown = known.has(key) && !(wanted.again === 'survived' && known.get(key) === null);
			const noticed = isKnown ? known.get(key) : await noticedBy(tree, next, lines, wanted.stories * 1000);
			tell(next, noticed, counts);
			if (wanted.results && !isKnown)
				appendFileSync(wanted.results, `${JSON.stringify({ key, noticed: noticed === undefined ? 'no mutant' : noticed })}\n`);
		}
	}));
} finally {
	if (!wanted.folder) rmSync(folder, { recursive: true, force: true });
}
const valid = counts.noticed + counts.survived + counts.reasoned;
console.log(`${counts.noticed} of ${valid} noticed (${(100 * counts.noticed / valid).toFixed(0)} %), ` +
	`${counts.reasoned} left with a reason, ${counts.survived} without; ${counts.none} were no mutants`);
