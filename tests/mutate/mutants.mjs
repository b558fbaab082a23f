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

// { pattern, to(text) }: a match is replaced as it is; of a pattern with two groups, the second
// group is replaced.
const REPLACED = {
	bound: { pattern: /(?<= )(<=?|>=?)(?= )/g, to: swapped({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }) },
	equality: { pattern: /(?<= )(==|!=)(?= )/g, to: swapped({ '==': '!=', '!=': '==' }) },
	logic: { pattern: /(?<= )(&&|\|\|)(?=\s)/g, to: swapped({ '&&': '||', '||': '&&' }) },
	sign: { pattern: /(?<=[\w)\]] )[+-](?= [\w(])/g, to: swapped({ '+': '-', '-': '+' }) },
	constant: { pattern: /(?<![\w.])(?:0x[0-9a-f]+|\d+)(?![\w.])/g, to: (found) => String(Number(found) + 1) },
	boolean: { pattern: /\b(?:true|false)\b/g, to: swapped({ true: 'false', false: 'true' }) },
	statement: { pattern: /(?<=^\t+)(?!return\b)\*?[a-z_][\w>.[\]-]*(?:\(.*\)| [-+|&]?= .*|\+\+|--);$/gm,
		to: () => ';' },
};

function replacements(source, code) {
	return Object.entries(REPLACED).flatMap(([kind, { pattern, to }]) =>
		[...code.matchAll(pattern)].map(({ 0: found, index }) => {
			const from = source.slice(index, index + found.length);
			return { kind, at: index, from, to: to(from) };
		}));
}

// Negates a condition, and makes a condition before a branch that returns always false.
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

// A call that may fail is treated as if it had succeeded.
function failures(source, code) {
	return [...code.matchAll(/\bRT_TRY\(/g)].flatMap(({ index }) => {
		const close = closing(code, index + 'RT_TRY'.length);
		if (close < 0) return [];
		const from = source.slice(index, close + 1);
		return [{ kind: 'failure', at: index, from, to: `(void)!${from.slice('RT_TRY'.length)}` }];
	});
}

export function mutantsOf(source) {
	const code = codeOf(source);
	const all = [...replacements(source, code), ...conditions(source, code), ...failures(source, code)];

	return all.filter(({ from, to }) => from !== to)
		.map((mutant) => ({ ...mutant, line: source.slice(0, mutant.at).split('\n').length }))
		.sort((a, b) => a.at - b.at || a.kind.localeCompare(b.kind));
}

export const mutated = (source, { at, from, to }) => source.slice(0, at) + to + source.slice(at + from.length);
