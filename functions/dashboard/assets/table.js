// Tables of words and numbers.
import { h } from './dom.js';

const cell = (content) =>
	typeof content === 'number'
		? h('td', { class: 'number' }, content.toLocaleString())
		: h('td', null, content);

/**
 * @param {string[]} words titles of the columns with words
 * @param {string[]} numbers titles of the columns with numbers, which come after them
 * @param {(Node | string | number)[][]} rows
 */
export function table(words, numbers, rows) {
	const head = (className) => (title) => h('th', { scope: 'col', class: className }, title);
	return h(
		'table',
		{ class: 'plain-table' },
		h('thead', null, h('tr', null, words.map(head(null)), numbers.map(head('number')))),
		h(
			'tbody',
			null,
			rows.map((cells) => h('tr', null, cells.map(cell))),
		),
	);
}
