// The small wrong changes that can be made to a C source. A change is { kind, line, at, from, to }:
// `from` is at octet `at` of the source, in that line.

// The source with comments, text and preprocessor lines blanked out: every octet keeps its place.
export function codeOf(source) {
	const blank = (text) => text.replace(/[^\n]/g, ' ');
	const skipped = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:.*\\\n)*.*$/gm;

	return source.replace(skipped, blank);
}

// The place where the parenthesis that opens at `open` is closed.
function closing(code, open) {
	let depth = 0;

	for (let at = open; at < code.length; at++) {
		if (code[at] === '(') depth++;
		if (code[at] === ')' && --depth === 0) return at;
	}
	return -1;
}

const swapped = (pairs) => (found) => pairs[found];

const TIME = /_(?:ms|MS|US|NS|S|SECONDS)\b|\b1000(?:000)*\b/;

// One more than the number; for a time, twice the number, because nobody notices a hundredth of it. An octal number
// stays octal.
function more(found, line) {
	if (/^0[0-7]+$/.test(found)) return `0${(parseInt(found, 8) + 1).toString(8)}`;
	return String(Number(found) >= 100 && TIME.test(line) ? Number(found) * 2 : Number(found) + 1);
}

// Each kind of change: { pattern, to(text, line) }. to() replaces the match; if the pattern has two
// groups, only the second group.
const REPLACED = {
	bound: { pattern: /(?<= )(<=?|>=?)(?= )/g, to: swapped({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }) },
	equality: { pattern: /(?<= )(==|!=)(?= )/g, to: swapped({ '==': '!=', '!=': '==' }) },
	logic: { pattern: /(?<= )(&&|\|\|)(?=\s)/g, to: swapped({ '&&': '||', '||': '&&' }) },
	sign: { pattern: /(?<=[\w)\]] )[+-](?= [\w(])/g, to: swapped({ '+': '-', '-': '+' }) },
	constant: { pattern: /(?<![\w.])(?:0x[0-9a-f]+|\d+)(?![\w.])/g, to: more },
	boolean: { pattern: /\b(?:true|false)\b/g, to: swapped({ true: 'false', false: 'true' }) },
	statement: { pattern: /(?<=(?:[;{}):]|\belse|\bdo)\s*\n\t+)(?!return\b)\*?[a-z_][\w>.[\]-]*(?:\(.*\)| [-+|&]?= .*|\+\+|--);$/gm,
		to: () => ';' },
};

function replacements(source, code) {
	return Object.entries(REPLACED).flatMap(([kind, { pattern, to }]) =>
		[...code.matchAll(pattern)].map(({ 0: found, index }) => {
			const from = source.slice(index, index + found.length);
			const line = code.slice(code.lastIndexOf('\n', index) + 1, code.indexOf('\n', index));
			return { kind, at: index, from, to: to(from, line) };
		}));
}

// Two changes for each if: its condition is negated; and if its branch returns, the condition is made always false.
function conditions(source, code) {
	return [...code.matchAll(/\bif \(/g)].flatMap(({ index }) => {
		const open = index + 'if '.length;
		const close = closing(code, open);
		if (close < 0) return [];
		const from = source.slice(open, close + 1);
		const negated = { kind: 'condition', at: open, from, to: `(!${from})` };
		const returns = /^\s*\{?\s*return\b/.test(code.slice(close + 1));
		return returns ? [negated, { kind: 'branch', at: open, from, to: `(0 && ${from})` }] : [negated];
	});
}

// Removes RT_TRY() around a call, so that its failure is ignored.
function failures(source, code) {
	return [...code.matchAll(/\bRT_TRY\(/g)].flatMap(({ index }) => {
		const close = closing(code, index + 'RT_TRY'.length);
		if (close < 0) return [];
		const from = source.slice(index, close + 1);
		return [{ kind: 'failure', at: index, from, to: `(void)!${from.slice('RT_TRY'.length)}` }];
	});
}

// Forms of code in which nobody can notice a change of these kinds; the group `changed` of the pattern is the part that is
// not changed.
const UNNOTICED = [
	// the condition of an assert(), which no caller breaks
	{ kinds: /./, pattern: /\b(?:static_)?assert(?<changed>\(.*?\));/gs },
	// a choice of the smaller or greater of two values: if they are equal, either choice has the same result
	{ kinds: /bound/, pattern: /(?<=[\s(])(?<a>[\w>.[\]-]+)(?<changed> [<>]=? )(?<b>[\w>.[\]-]+)\s\?\s+(?:\k<a>\s:\s+\k<b>|\k<b>\s:\s+\k<a>)(?=[;,)])/g },
	{ kinds: /bound/, pattern: /\bif \((?<a>[\w>.[\]-]+)(?<changed> [<>]=? )(?<b>[\w>.[\]-]+)\)\s+(?:\k<a> = \k<b>|\k<b> = \k<a>);/g },
	// a number above 0, or a part or multiple of it, and otherwise 0: for the number 0 both choices are 0
	{ kinds: /bound/, pattern: /(?<=[\s(])(?<a>[\w>.[\]-]+)(?<changed> >=? )0\s\?\s+(?:\(\w+\))?\k<a>(?: [*\/] \w+)?\s:\s+0(?=[;,)])/g },
	// a comparison that gives the order of two values, which were found to differ before
	{ kinds: /bound/, pattern: /\bif \((?<a>[\w>.[\]-]+) != (?<b>[\w>.[\]-]+)\)\s+return \k<a>(?<changed> [<>]=? )\k<b> \?/g },
	// -1 for "none", for which any other number below 0 does as well
	{ kinds: /constant/, pattern: /(?:return|[:,]|[^=!<>]=|return [^;?]*\?|\?(?! -1 : 1\b)) -(?<changed>1)\b/g },
	// 1 as the result of a comparison for sorting, for which any other number above 0 does as well
	{ kinds: /constant/, pattern: /return [^;?]*\?\s+(?:-1\s:\s+(?<changed>1);|(?<changed2>1)\s:\s+-1;)/g },
	// a comparison of a descriptor with 0, which is the standard input and never another file
	{ kinds: /bound|constant/, pattern: /(?:\bfd|_fd|->(?:signal|lock|listener))(?<changed> (?:<|>=) 0)\b/g },
	// the 1 in the size of an allocation: a larger number makes it an octet longer than is needed
	{ kinds: /constant/, pattern: /\b(?:rt_alloc|malloc|realloc)\([^;]*? \+ (?<changed>1)\)/g },
	// the number by which the size of an allocation is multiplied: a larger number makes it longer than is needed
	{ kinds: /constant/, pattern: /\b(?:rt_alloc|malloc|realloc)\([^;]*? \* (?<changed>\d+)\b/g },
];

// The places of these changes in a source: [{ kinds, from, to }, …].
function unnoticed(code) {
	return UNNOTICED.flatMap(({ kinds, pattern }) => [...code.matchAll(new RegExp(pattern, `${pattern.flags}d`))]
		.map(({ indices: { groups: { changed, changed2 } } }) => changed ?? changed2)
		.map(([from, to]) => ({ kinds, from, to })));
}

export function mutantsOf(source) {
	const code = codeOf(source);
	const all = [...replacements(source, code), ...conditions(source, code), ...failures(source, code)];
	const left = unnoticed(code);
	const isLeft = ({ kind, at }) => left.some(({ kinds, from, to }) => kinds.test(kind) && at >= from && at < to);

	return all.filter((mutant) => mutant.from !== mutant.to && !isLeft(mutant))
		.map((mutant) => ({ ...mutant, line: source.slice(0, mutant.at).split('\n').length }))
		.sort((a, b) => a.at - b.at || a.kind.localeCompare(b.kind));
}

export const mutated = (source, { at, from, to }) => source.slice(0, at) + to + source.slice(at + from.length);
