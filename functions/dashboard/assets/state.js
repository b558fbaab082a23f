// The state of a subject: a picture, a word, a color; "unknown" never looks like "bad".
import { h } from './dom.js';
import { icon } from './icons.js';

/** @typedef {'good' | 'warn' | 'bad' | 'unknown' | 'off'} Kind */

/** Only the picture of a state, for use beside words. */
export function disc(kind) {
	return h('span', { class: `disc ${kind}` }, icon(kind));
}

/** @param {Kind} kind */
export function badge(kind, text) {
	return h('span', { class: `badge ${kind}` }, icon(kind), h('span', null, text));
}

/** A list of names and their values; pairs without a value are left out. */
export const facts = (...pairs) => factList('facts', pairs);

/** Like facts(), but side by side. */
export const factsAcross = (...pairs) => factList('facts across', pairs);

function factList(name, pairs) {
	const known = pairs.filter(
		([, value]) => value !== null && value !== undefined && value !== false,
	);
	return h(
		'dl',
		{ class: name },
		known.map(([term, value]) => h('div', null, h('dt', null, term), h('dd', null, value))),
	);
}
