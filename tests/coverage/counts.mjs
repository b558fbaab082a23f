// Reads which lines the programs of the coverage build executed (tests/support/counts.c).
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const COVER = resolve('build/cover');
const OBJECTS = join(COVER, 'obj');
const COUNTS = '.counts';
const OUTPUT_MAX = 1 << 28;

const found = (folder, suffix) => readdirSync(folder, { recursive: true })
	.filter((path) => path.endsWith(suffix)).map((path) => join(folder, path));

const forget = (suffix) => found(COVER, suffix).forEach((path) => rmSync(path));

export function forgetCounts() {
	forget(COUNTS);
	forget('.gcda');
}

function gcov(counts) {
	const args = ['--branch-probabilities', '--json-format', '--stdout', ...counts.map((path) => relative(OBJECTS, path))];
	const { stdout, status, stderr } = spawnSync('gcov', args, { cwd: OBJECTS, encoding: 'utf8', maxBuffer: OUTPUT_MAX });
	if (status !== 0) throw new Error(`gcov: ${stderr}`);
	return stdout.trim().split('\n').filter(Boolean).flatMap((line) => JSON.parse(line).files);
}

// The counts of all programs that ran since forgetCounts(): { file: { line: { count, branches: [count, …] } } }.
export function takeCounts() {
	for (const counts of found(COVER, COUNTS)) {
		const program = counts.slice(0, -COUNTS.length);
		const { status } = spawnSync(program, [], { cwd: resolve('.'), env: { COUNTS_COLLECT: '1' } });
		if (status !== 0) throw new Error(`${program} does not say what it counted: ${status}`);
	}
	const files = {};
	const counted = found(OBJECTS, '.gcda');
	for (const { file, lines } of counted.length > 0 ? gcov(counted) : []) {
		if (file.startsWith('/')) continue;
		files[file] ??= {};
		add(files[file], Object.fromEntries(lines.map(({ line_number: line, count, branches }) =>
			[line, { count, branches: branches.map((branch) => branch.count) }])));
	}
	forgetCounts();
	return files;
}

// Adds the counts of a file's lines to earlier counts of the same file.
export function add(lines, more) {
	for (const [line, { count, branches }] of Object.entries(more)) {
		const sum = lines[line] ??= { count: 0, branches: branches.map(() => 0) };
		sum.count += count;
		branches.forEach((branch, i) => (sum.branches[i] = (sum.branches[i] ?? 0) + branch));
	}
}
