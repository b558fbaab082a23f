// Plants small mistakes and checks which of them the tests notice.
//
//     node tests/mutate/run.mjs [--seed N] [--count N] [--path PREFIX,…] [--at FILE:LINE,…]
//                               [--workers N] [--folder DIR] [--lines FILE] [--stories SECONDS]
//                               [--results FILE [--again survived]] [--list 1]
//
// Each mutant is one change (mutants.mjs) in a copy of the tree. It is built with the sanitizers, and the
// unit tests and function cases that execute its statement are run, quickest and nearest first, and for a mutant about
// a failure of the database those cases with each statement made to fail; then stories on the
// release build, which may take two minutes together by default. `make coverage` records which test executes which
// lines; without that record all tests with similar names are run (near.mjs). A change that does not compile, or
// compiles to the same code, does not count as a mutant. The same seed plants the same mistakes. Survivors are
// printed with their change, and with the reason if reasons.mjs has one. With --results an interrupted run continues,
// and with --again it tries survivors again. Trees in a folder given by --folder are kept for the next run.
// With --list the mutants are only printed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryFolder } from '../support/memory.mjs';
import { mutantsOf, mutated } from './mutants.mjs';
import { reasonOf } from './reasons.mjs';
import { testsOf } from './near.mjs';
import { build, builds, codeOfFile, fails, plant } from './tree.mjs';

const SOURCES = ['functions', 'runtime', 'local'];
const AT_ONCE = 4;
const NOTICED_AT_ONCE = 5; // mutants that are noticed before the tests that noticed them are run without a mutant
const PART = 3; // tests in the first part after the nearest test; each further part is twice as long as the one before

function options(args) {
	const wanted = { seed: 1, count: 200, workers: 2, path: '', at: '', folder: '', results: '', stories: 120, again: '', list: '', lines: 'build/cover/lines.json' };

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
		return { ...mutant, file, text, nth: seen.get(name), key: `${name} | ${seen.get(name)}` };
	});
}

function allMutants({ path, at }) {
	const files = spawnSync('git', ['ls-files', ...SOURCES.map((folder) => `${folder}/*.c`)], { encoding: 'utf8' })
		.stdout.trim().split('\n').filter((file) => path.split(',').some((prefix) => file.startsWith(prefix)));
	const lines = at.split(',');
	return files.flatMap(keyed).filter(({ file, line }) => !at || lines.includes(`${file}:${line}`));
}

// Chooses the mutants with the smallest hashes: then most chosen mutants stay the same when the sources change.
function chosen(mutants, count, seed) {
	const hash = ({ key }) => createHash('sha256').update(`${seed}:${key}`).digest('hex');

	return mutants.map((mutant) => [hash(mutant), mutant]).sort(([a], [b]) => (a < b ? -1 : 1))
		.slice(0, count).map(([, mutant]) => mutant);
}

// The first of some tests that notices the mutant; tests mostly wait, so several run at a time.
async function oneOf(tree, tests) {
	await build(tree, tests);
	const left = [...tests];
	let failed = null;
	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		for (let test = left.shift(); test !== undefined && failed === null; test = left.shift())
			if (await fails(tree, test)) failed ??= test;
	}));
	return failed;
}

// Linking takes longer than most tests, so each part of the tests is linked only when the parts before it have noticed
// nothing.
async function oneThatNotices(tree, tests) {
	for (let begin = 0, length = PART; begin < tests.length; begin += length, length *= 2) {
		const noticed = await oneOf(tree, tests.slice(begin, begin + length));
		if (noticed !== null) return noticed;
	}
	return null;
}

// As many stories as fit into the time limit.
async function storyThatNotices(tree, stories, left) {
	for (const story of stories) {
		left -= story.ms;
		if (left < 0) return null;
		await build(tree, [story]);
		if (await fails(tree, story)) return story;
	}
	return null;
}

// Whether the change is no mutant: the compiler refuses it, or compiles it to the same code as the source.
async function isNone(tree, mutant, source) {
	const path = join(tree, mutant.file);
	const after = await codeOfFile(tree, mutant.file);

	if (after === null) return true;
	writeFileSync(path, source);
	const before = await codeOfFile(tree, mutant.file);
	writeFileSync(path, mutated(source, mutant));
	return after === before;
}

const nameOf = ({ kind, name }) => `${kind}/${name}`;

// The tests that fail without a mutant; they notice nothing.
const unsound = new Set();

// The test that notices a mutant: null for none, undefined if the change is not a mutant. A change that the
// first test notices certainly is one, so that is checked only afterwards.
async function noticedBy(tree, mutant, lines, storiesMs) {
	const path = join(tree, mutant.file);
	const source = readFileSync(path, 'utf8');
	const all = testsOf(mutant, source, lines);
	const [[first, ...others], stories] = [all.quick, all.stories].map((tests) => tests.filter((test) => !unsound.has(nameOf(test))));

	writeFileSync(path, mutated(source, mutant));
	try {
		if (first && await builds(tree, [first]) && await fails(tree, first)) return first;
		if (await isNone(tree, mutant, source)) return undefined;
		return await oneThatNotices(tree, others) ?? await storyThatNotices(tree, stories, storiesMs);
	} finally {
		writeFileSync(path, source);
	}
}

// Whether the tests that noticed something pass without a mutant, each asked once.
const sound = new Set();

async function findUnsound(tree, tests) {
	const asked = [...new Map(tests.map((test) => [nameOf(test), test])).values()].filter((test) => !sound.has(nameOf(test)));

	await build(tree, asked);
	for (const test of asked) {
		const failed = await fails(tree, test);
		if (failed) console.log(`FAILS WITHOUT A MUTANT ${nameOf(test)}`);
		(failed ? unsound : sound).add(nameOf(test));
	}
}

// Plants mutants in a tree until none is left; plants those again that only an unsound test has noticed.
async function work(tree, take, lines, storiesMs, done) {
	const again = [];
	let next;
	do {
		const noticed = [];
		while (noticed.length < NOTICED_AT_ONCE && (next = again.pop() ?? take()) !== undefined) {
			const test = await noticedBy(tree, next, lines, storiesMs);
			if (test) noticed.push([next, test]);
			else done(next, test);
		}
		await findUnsound(tree, noticed.map(([, test]) => test));
		for (const [mutant, test] of noticed.filter(([, test]) => !unsound.has(nameOf(test)))) done(mutant, test.name);
		again.push(...noticed.filter(([, test]) => unsound.has(nameOf(test))).map(([mutant]) => mutant));
	} while (next !== undefined || again.length > 0);
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

// Reads the verdicts of earlier runs, by the key of their mutant; the latest verdict counts.
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
if (wanted.list) {
	for (const { file, line, kind, from, to, text } of mutants)
		console.log(`${file}:${line} ${kind}: ${plain(from)} -> ${plain(to)}  (${text})`);
	process.exit(0);
}
try {
	const isKnown = ({ key }) => known.has(key) && !(wanted.again === 'survived' && known.get(key) === null);
	for (const mutant of mutants.filter(isKnown)) tell(mutant, known.get(mutant.key), counts);
	const left = mutants.filter((mutant) => !isKnown(mutant));
	const done = (mutant, noticed) => {
		tell(mutant, noticed, counts);
		if (wanted.results)
			appendFileSync(wanted.results, `${JSON.stringify({ key: mutant.key, noticed: noticed === undefined ? 'no mutant' : noticed })}\n`);
	};
	await Promise.all(Array.from({ length: wanted.workers }, async (_, index) =>
		work(await plant(folder, index), () => left.shift(), lines, wanted.stories * 1000, done)));
} finally {
	if (!wanted.folder) rmSync(folder, { recursive: true, force: true });
}
const valid = counts.noticed + counts.survived + counts.reasoned;
console.log(`${counts.noticed} of ${valid} noticed (${(100 * counts.noticed / valid).toFixed(0)} %), ` +
	`${counts.reasoned} left with a reason, ${counts.survived} without; ${counts.none} were no mutants`);
