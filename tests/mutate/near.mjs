// Finds the tests that may notice a mutant: those that execute its statement, beginning with those whose name is
// most like its file's or that include a header of its folder; and, of the tests that `make coverage` did not run,
// those with a similar name and the stories of stories.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './mutants.mjs';

const HEADER = /#include "([^"]+)"/g;

// The stories that see most of what the sources of a folder do; the first row whose pattern matches the path is used.
// stories.json has those that execute the lines of each source of local/ and runtime/.
const RECORDED = JSON.parse(readFileSync('tests/mutate/stories.json', 'utf8'));
const STORIES = [
	[/^local\/smtp\/|^local\/serve\/intake/, ['smtp', 'memory', 'receiving', 'hostile-mail']],
	[/^local\/serve\/ops/, ['operations', 'refused-calls', 'http']],
	[/^local\/serve\/(carrier|runtime-api)/, ['behind-bootstrap', 'refused-calls']],
	[/^local\/(dispatch\/|spool\/)/, ['smtp', 'memory', 'receiving', 'lifetime', 'fair-turns']],
	[/^local\/eds\//, ['eds-requests', 'eds-answers', 'eds-errors', 'eds-hostile', 'eds-command']],
	[/^local\/(main|commands|invoke|deliver|replay|routes|single-run|event-sample|spool-command)\.c/, ['commands', 'deliver', 'spool', 'only', 'operations', 'smtp', 'receiving']],
	[/^local\/serve\/(again|manifest-watch)/, ['renewal', 'only']],
	[/^local\//, ['commands', 'http', 'operations', 'start', 'receiving']],
	[/^runtime\/adapter\//, ['bootstrap', 'behind-bootstrap']],
	[/^runtime\/host\//, ['http', 'memory', 'slow-clients', 'bootstrap']],
	[/^runtime\/(aws|s3)\//, ['s3', 'secrets']],
	[/^runtime\//, ['http', 'start', 'bootstrap']],
	[/^functions\/lib\/sandbox\//, ['acceptance', 'confinement', 'taken-over', 'hostile-mail']],
	[/^functions\/(tester|lib\/(spf|dkim|dmarc|dnsbl|mail))\//, ['acceptance', 'hostile-mail', 'lifetime']],
	[/^functions\/(dkim|lib\/selector)\//, ['selectors']],
	[/^functions\/(webhooks|lib\/webhook)\//, ['callbacks']],
	[/^functions\/alerts\/|^functions\/lib\/(alert\/|fetch\/relay)/, ['alert-mail', 'alerts', 'report-alerts']],
	[/^functions\/lib\/fetch\//, ['mta-sts-check', 'mta-sts-hostile', 'second-opinion', 'callbacks']],
	[/^functions\/(mta-sts|lib\/mta-sts)\//, ['mta-sts', 'mta-sts-check', 'mta-sts-hostile', 'mta-sts-advice', 'mail-servers']],
	[/^functions\/(lib\/)?reports\//, ['reports']],
	[/^functions\/dashboard\//, ['operator', 'dashboard-manners']],
	[/^functions\/lib\/dnssec\//, ['dnssec', 'name-servers', 'second-opinion']],
	[/^functions\/(lib\/)?posture\//, ['posture', 'domain-check', 'name-servers']],
	[/^functions\/tokens\//, ['tokens', 'audit-log']],
	[/^functions\/lib\/(store|auth)\//, ['accounts', 'instances', 'lifetime', 'reports']],
	[/^functions\//, ['accounts', 'acceptance']],
];

const headersOf = (path) => [...readFileSync(path, 'utf8').matchAll(HEADER)].map(([, header]) => header);
const words = (path) => basename(path, '.c').split(/[-_]/);

// Read at the start, when the trees are copied.
const UNITS = readdirSync('tests/unit').filter((file) => /^test_.*\.c$/.test(file)).map((file) => ({
	name: basename(file, '.c'),
	headers: headersOf(`tests/unit/${file}`),
})).map((unit) => ({ ...unit, folders: new Set(unit.headers.map(dirname)) }));

// The number of words that the names of a source and of a test have in common.
const alike = (path) => ({ name }) => {
	const wanted = [...dirname(path).split('/').slice(-1)[0].split('-'), ...words(path)];
	return words(name).filter((word) => wanted.includes(word)).length;
};

// The function whose main() is in this source; for another source, all functions of its folder.
function functionsOf(path) {
	const [, folder, name] = /^functions\/([^/]+)\/([^/]+)\.c$/.exec(path) ?? [];
	const known = readdirSync('tests/functions').filter((entry) => existsSync(`tests/functions/${entry}/.`));

	if (folder === undefined || folder === 'lib') return [];
	if (known.includes(`${folder}-${name}`)) return [`${folder}-${name}`];
	return known.filter((entry) => entry.startsWith(`${folder}-`));
}

// The programs that a function's cases start.
function programsOf(name) {
	const folder = `tests/functions/${name}`;
	const setups = readdirSync(folder).filter((file) => file.endsWith('.setup.json'));
	const before = setups.flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).before ?? []);

	return [...new Set([name, 'admin', ...before.filter(Array.isArray).map(([other]) => other)])];
}

// The lines of the statement around a place, from 1.
function statementLines(source, at) {
	const code = codeOf(source);
	const lineAt = (place) => source.slice(0, place).split('\n').length;
	let begin = at;
	let end = at;

	while (begin > 0 && !';{}'.includes(code[begin - 1])) begin--;
	while (begin < at && /\s/.test(code[begin])) begin++;
	while (end < code.length && !';{}'.includes(code[end])) end++;
	return [lineAt(begin), lineAt(end)];
}

// Whether gcc generated code for any of these lines.
function hasCode(cover, file, [first, last]) {
	const { stdout } = spawnSync('gcov', ['--json-format', '--stdout', file.replace(/\.c$/, '.gcno')],
		{ cwd: join(cover, 'obj'), encoding: 'utf8', maxBuffer: 1 << 26 });
	const files = stdout.trim().split('\n').filter(Boolean).flatMap((text) => JSON.parse(text).files);
	return files.some((each) => each.file === file &&
		each.lines.some(({ line_number: line }) => line >= first && line <= last));
}

// The names of the tests that execute the statement or, if it is not code (such as the rows of a table),
// the file.
function executing({ file, at }, source, { lines, cover }) {
	const [first, last] = statementLines(source, at);
	const within = (line) => line >= first && line <= last;
	const touching = Object.keys(lines).filter((name) => (lines[name].files[file] ?? []).length > 0);
	const exact = touching.filter((name) => lines[name].files[file].some(within));

	return exact.length > 0 || hasCode(cover, file, [first, last]) ? exact : touching;
}

const PLACES = { unit: ['tests/unit', '.c'], postgres: ['tests/unit', '.c'], functions: ['tests/functions', '/.'], story: ['tests/e2e', '.test.mjs'] };

// Whether a test that existed when the lines were counted still exists.
function isThere([kind, name]) {
	const [folder, ending] = PLACES[kind] ?? [];
	return folder !== undefined && existsSync(join(folder, name + ending));
}

const rank = (names, { name }) => (names.includes(name) ? names.indexOf(name) : names.length);

// The stories for the folder of a source, then those that execute its lines, and then those whose names have most words
// of the source's name.
function storiesOf(path) {
	const score = alike(path);
	const named = readdirSync('tests/e2e').filter((file) => file.endsWith('.test.mjs')).map((file) => basename(file, '.test.mjs'))
		.filter((name) => score({ name }) > 0).sort((a, b) => score({ name: b }) - score({ name: a })).slice(0, ALIKE_MAX);
	const ofFolder = STORIES.find(([prefix]) => prefix.test(path))?.[1] ?? [];

	const recorded = (RECORDED[path] ?? []).filter((name) => isThere(['story', name]));

	return [...new Set([...ofFolder, ...recorded, ...named])];
}

const ALIKE_MAX = 3;
const TORTURED_MAX = 2; // the most functions whose statements are made to fail for a mutant about a failure
const TORTURE_MS = 60_000;
const UNKNOWN_MS = 10_000; // assumed duration of a test that was never measured

// { quick, stories }: the tests that may notice a mutant, nearest and quickest first, each { kind, name, ms }.
// Tests of the store also run on PostgreSQL if the mutant is in code that uses it.
export function testsOf(mutant, source, known) {
	const all = UNITS;
	const score = alike(mutant.file);
	const isNear = (unit) => unit.folders.has(dirname(mutant.file)) || score(unit) > 1;
	const near = all.filter(isNear).sort((a, b) => score(b) - score(a)).map(({ name }) => name);
	const nearStories = storiesOf(mutant.file);
	const names = known === null ? null : executing(mutant, source, known).map((name) => name.split('/')).filter(isThere);
	const isCounted = (kind, name) => names !== null && known.lines[`${kind}/${name}`] !== undefined;
	const executes = (kind) => (names ?? []).filter(([own]) => own === kind).map(([, name]) => name);
	const of = (kind, otherwise) => [...executes(kind), ...otherwise.filter((name) => !isCounted(kind, name))];
	const msOf = (kind, name) => known?.lines[`${kind}/${name}`]?.ms ?? UNKNOWN_MS;
	const first = (names) => (a, b) => names.includes(b.name) - names.includes(a.name) || score(b) - score(a) || a.ms - b.ms;
	const tests = (kind, names) => names.map((name) => ({ kind, name, ms: msOf(kind, name) }));

	const others = known === null ? all.map(({ name }) => name).filter((name) => !near.includes(name)) : [];
	const programs = tests('unit', of('unit', [...near, ...others]));
	const onPostgres = all.filter(({ name, headers }) => /postgres/.test(mutant.file) && headers.includes('tests/unit/store_fixture.h') &&
		!/_(faults|replaced)$/.test(name));
	const cases = tests('functions', of('functions', functionsOf(mutant.file)))
		.map((test) => ({ ...test, programs: programsOf(test.name) }));
	cases.sort(first(functionsOf(mutant.file)));
	const isAboutFailure = mutant.kind === 'failure' || /EDS_DB_/.test(mutant.text);
	const tortured = cases.slice(0, isAboutFailure ? TORTURED_MAX : 0).map((test) => ({ ...test, kind: 'torture', ms: TORTURE_MS }));
	return {
		quick: [...programs.sort(first(near)), ...cases,
			...tests('postgres', of('postgres', onPostgres.map(({ name }) => name))), ...tortured],
		stories: tests('story', of('story', nearStories)).sort((a, b) => rank(nearStories, a) - rank(nearStories, b) || a.ms - b.ms),
	};
}
