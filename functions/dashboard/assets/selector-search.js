// Searches a long list of selectors, and shows the found ones some at a time.
import { h } from './dom.js';
import { field } from './field.js';

const FEW = 10; // lists up to this length need no search
const SOME = 50;

const number = new Intl.NumberFormat('en');

/**
 * @param {(selectors: import('./domain-api.js').Selector[]) => void} update shows these in the list
 * @param {HTMLElement} list
 * @returns {{element: Node, more: Node, show: (selectors: object[]) => void}} show gets all
 *   selectors of the domain
 */
export function selectorSearch(update, list) {
	let all = [];
	let room = SOME;
	const search = field({
		label: 'Search selectors',
		hint: 'A part of the name, or a state: active, unused, revoked, invalid, unknown.',
		input: h('input', { type: 'search', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }),
	});
	const found = h('p', { class: 'muted', role: 'status' });
	const button = h('button', { type: 'button' });
	const more = h('p', { class: 'more' }, button);
	const element = h('div', { class: 'search' }, search.element, found);

	const matches = (wanted) => ({ selector, state }) =>
		selector.toLowerCase().includes(wanted) || state === wanted;
	const draw = () => {
		const wanted = search.input.value.trim().toLowerCase();
		const matching = wanted === '' ? all : all.filter(matches(wanted));
		const left = Math.max(0, matching.length - room);
		update(matching.slice(0, room));
		element.hidden = all.length <= FEW;
		more.hidden = left === 0;
		button.textContent = `Show ${Math.min(SOME, left)} more`;
		found.textContent = wanted === '' ? '' : `${number.format(matching.length)} of ${number.format(all.length)} match.`;
	};
	search.input.addEventListener('input', () => {
		room = SOME;
		draw();
	});
	button.addEventListener('click', () => {
		const first = room;
		room += SOME;
		draw();
		list.children[first]?.querySelector('button')?.focus();
	});
	return {
		element,
		more,
		show: (selectors) => {
			all = selectors;
			draw();
		},
	};
}
