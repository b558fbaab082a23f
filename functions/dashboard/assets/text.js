// Untrusted text: isolated from the text around it, with its invisible characters made visible, and
// cut to a readable length.
import { h } from './dom.js';
import { unicodeName } from './punycode.js';

const LINE_MAX = 300;

// Control characters, marks of direction, and invisible or unassigned characters that hide text or
// change its order.
const ODD =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

// More marks on one letter than any language needs would be drawn over the lines above and below.
const PILES = /(\p{M}{4})\p{M}+/gu;

function shown(character) {
	const code = character.codePointAt(0);
	if (code < 0x20) return String.fromCodePoint(0x2400 + code);
	if (code === 0x7f) return '\u2421';
	return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

// Returns { text, left }: at most max characters, and the number of those that were left out.
function cut(text, max) {
	if (text.length <= max) return { text, left: 0 };
	const characters = Array.from(text.slice(0, 2 * max));
	const kept = characters.slice(0, max).join('');
	return { text: kept, left: text.length - kept.length };
}

function parts(text, isOdd) {
	const out = [];
	let at = 0;
	for (const match of text.matchAll(ODD)) {
		if (!isOdd(match[0])) continue;
		out.push(text.slice(at, match.index));
		out.push(
			h('span', { class: 'odd', title: 'A character that is not visible' }, shown(match[0])),
		);
		at = match.index + match[0].length;
	}
	return [...out, text.slice(at)].filter((part) => part !== '');
}

const isOddInLine = () => true;
const isOddInLines = (character) => character !== '\n' && character !== '\t';

function isolated(tag, text, max, isOdd) {
	const { text: kept, left } = cut(String(text), max);
	const tail =
		left > 0 && h('span', { class: 'cut' }, `… ${left.toLocaleString()} more characters`);
	return h(tag, { class: 'foreign' }, parts(kept.replace(PILES, '$1'), isOdd), tail);
}

/** One line of foreign text. */
export function foreign(text, max = LINE_MAX) {
	return isolated('bdi', text, max, isOddInLine);
}

/** Foreign text with its line breaks and tabs. */
export function foreignLines(text, max) {
	return isolated('bdi', text.replace(/\r\n/g, '\n'), max, isOddInLines);
}

/**
 * The name of a domain: if it has letters outside ASCII, it is shown in these, with its A-label
 * beside it.
 */
export function domainName(name) {
	const unicode = unicodeName(name);
	if (unicode === null) return foreign(name);
	return [foreign(unicode), ' ', h('span', { class: 'a-label muted' }, foreign(name))];
}

/** The name of a domain as a plain string. */
export function plainName(name) {
	const unicode = unicodeName(name);
	return unicode === null ? plain(name) : `${plain(unicode)} (${plain(name)})`;
}

/** Foreign text as a plain string, for titles, labels and announcements. */
export function plain(text, max = 80) {
	const { text: kept, left } = cut(String(text), max);
	return kept.replace(PILES, '$1').replace(ODD, shown) + (left > 0 ? '…' : '');
}

/**
 * The text that may be copied to the clipboard: no hidden characters, and no line end that would
 * run a pasted command.
 */
export function clean(text) {
	return String(text).replace(ODD, '');
}

/** Like clean(), but keeps line breaks and tabs. */
export function cleanLines(text) {
	return text
		.replace(/\r\n/g, '\n')
		.replace(ODD, (character) => (isOddInLines(character) ? '' : character));
}

/** Extracts the domain from a pasted mail address, link or record value. */
export function nameIn(text) {
	return clean(text)
		.replace(/^[\s"'<]*([a-z]+:\/\/)?|[\s"'>]+$/gi, '')
		.replace(/[/?#].*$/, '')
		.replace(/^.*@/, '')
		.replace(/:\d*$/, '')
		.replace(/\.$/, '');
}

// The text with a capital letter at its start and a full stop at its end.
function asSentence(text) {
	const whole = /[.!?:]$/.test(text) ? text : `${text}.`;
	// "p= is empty" and "example.com has no record" stay as they are written
	const isWritten = /^\w+=|^[^\s.]+\.[^\s.]/.test(whole);
	return isWritten ? whole : whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** A sentence of the service, which may quote foreign text. */
export const sentence = (text) => foreign(asSentence(text), 1000);

/** A sentence of the service as a plain string. */
export const plainSentence = (text, max = 300) => plain(asSentence(text), max);

/** "1 change", "2 changes" */
export function count(number, one, many = `${one}s`) {
	return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}
