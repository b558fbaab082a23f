// Converts a name in A-labels to the letters of its language (RFC 5891 section 5.2, RFC 3492).
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 128;
const CODE_MAX = 0x10ffff;

const digitOf = (character) => '0123456789'.includes(character) ? 26 + Number(character) : character.charCodeAt(0) - 97;

function adapt(delta, length, isFirst) {
	let left = Math.floor(delta / (isFirst ? DAMP : 2));
	left += Math.floor(left / length);
	let k = 0;
	for (; left > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) left = Math.floor(left / (BASE - T_MIN));
	return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}

// Decodes the text after "xn--"; null when it is not valid Punycode.
function decode(text) {
	const end = text.lastIndexOf('-');
	const out = Array.from(text.slice(0, Math.max(end, 0)), (one) => one.codePointAt(0));
	let [code, bias, at] = [FIRST_CODE, FIRST_BIAS, 0];
	for (let next = end + 1; next < text.length; at += 1) {
		const before = at;
		for (let [weight, k] = [1, BASE]; ; k += BASE) {
			if (next >= text.length) return null;
			const digit = digitOf(text[next++]);
			at += digit * weight;
			const t = Math.min(Math.max(k - bias, T_MIN), T_MAX);
			if (digit < t) break;
			weight *= BASE - t;
		}
		bias = adapt(at - before, out.length + 1, before === 0);
		code += Math.floor(at / (out.length + 1));
		at %= out.length + 1;
		if (code > CODE_MAX) return null;
		out.splice(at, 0, code);
	}
	return String.fromCodePoint(...out);
}

/** "bücher.example" for "xn--bcher-kva.example"; null for a name that has no other form. */
export function unicodeName(name) {
	if (!/(^|\.)xn--[a-z0-9-]+(\.|$)/.test(name) || !/^[a-z0-9.-]+$/.test(name)) return null;
	const labels = name.split('.').map((label) => (label.startsWith('xn--') ? decode(label.slice(4)) : label));
	return labels.includes(null) ? null : labels.join('.');
}
