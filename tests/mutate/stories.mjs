// Records in stories.json which stories execute the sources of local/ and runtime/, for mutants that are planted
// without the record of `make coverage`, and for the order in which the stories are run.
//
//     node tests/mutate/stories.mjs [LINES]
//
// LINES is build/cover/lines.json by default. Of each source, the stories that execute most of its lines in the least
// time come first; a story is listed if it executes a line that no story before it executes. A source that the record
// does not have keeps its stories.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = 'tests/mutate/stories.json';
const SOURCE = /^(?:local|runtime)\/.*\.c$/;
const START_MS = 3000; // a story costs this much besides its own time
const MOST_MS = 300_000; // a story that took longer did not end by itself

const [, , lines = 'build/cover/lines.json'] = process.argv;
const stories = Object.entries(JSON.parse(readFileSync(lines, 'utf8')))
	.filter(([name, { ms }]) => name.startsWith('story/') && ms < MOST_MS)
	.map(([name, { ms, files }]) => ({ name: name.replace('story/', ''), ms, files }));

function ofSource(source) {
	const left = new Set(stories.flatMap(({ files }) => files[source] ?? []));
	const chosen = [];
	const more = ({ files }) => (files[source] ?? []).filter((line) => left.has(line));
	const worth = (story) => more(story).length / (START_MS + story.ms);

	while (left.size > 0) {
		const best = stories.reduce((a, b) => (worth(b) > worth(a) ? b : a));
		more(best).forEach((line) => left.delete(line));
		chosen.push(best.name);
	}
	return chosen;
}

const sources = [...new Set(stories.flatMap(({ files }) => Object.keys(files)))].filter((file) => SOURCE.test(file));
const recorded = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
for (const source of sources) recorded[source] = ofSource(source);
const rows = Object.keys(recorded).filter((source) => existsSync(source) && recorded[source].length > 0).sort()
	.map((source) => `\t${JSON.stringify(source)}: ${JSON.stringify(recorded[source])}`);
writeFileSync(FILE, `{\n${rows.join(',\n')}\n}\n`);
