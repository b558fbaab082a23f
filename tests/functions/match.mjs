// Compares an answer with the expected one: only the members that the latter names are compared.
//
//   "*"            any value          "~^a+$"   a string (or number) that matches
//   "!"            no such member     {"$keys": ["a", "b"]}   exactly these members
//   {…} for a string                  the string is read as JSON first
//   anything else                     exactly this; arrays have the same length

export function mismatch(expected, actual, place = 'answer') {
	if (expected === '!')
		return actual === undefined ? null : `${place} should not be there`;
	if (actual === undefined)
		return `${place} is missing`;
	if (expected === '*')
		return null;
	if (typeof expected === 'string' && expected.startsWith('~'))
		return new RegExp(expected.slice(1)).test(String(actual)) ? null :
			`${place} is ${show(actual)}, which does not match ${expected.slice(1)}`;
	if (Array.isArray(expected))
		return mismatchArray(expected, actual, place);
	if (expected !== null && typeof expected === 'object')
		return mismatchObject(expected, actual, place);
	return expected === actual ? null : `${place} is ${show(actual)}, not ${show(expected)}`;
}

function mismatchArray(expected, actual, place) {
	if (!Array.isArray(actual) || actual.length !== expected.length)
		return `${place} is ${show(actual)}, not ${expected.length} elements`;
	return first(expected.map((item, i) => () => mismatch(item, actual[i], `${place}[${i}]`)));
}

function mismatchObject(expected, actual, place) {
	if (typeof actual === 'string')
		actual = readJson(actual);
	if (actual === null || typeof actual !== 'object')
		return `${place} is ${show(actual)}, not an object`;
	const { $keys: keys, ...members } = expected;
	if (keys && keys.sort().join() !== Object.keys(actual).sort().join())
		return `${place} has the members ${Object.keys(actual)}, not ${keys}`;
	return first(Object.keys(members).map(
		key => () => mismatch(members[key], actual[key], `${place}.${key}`)));
}

function first(checks) {
	for (const check of checks) {
		const found = check();
		if (found)
			return found;
	}
	return null;
}

export function readJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function show(value) {
	const text = JSON.stringify(value) ?? 'undefined';
	return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
