// Searches a long list of domains by a part of the name, and by state. The service does the search, so
// the page sends a request only after the user has stopped typing.
import { h } from './dom.js';
import { field } from './field.js';
import { count } from './text.js';

const FEW = 10; // lists up to this length need no search
const PAUSE_MS = 250;

const STATES = [
	['', 'any'],
	['error', 'error'],
	['warning', 'warning'],
	['ok', 'ok'],
	['unknown', 'unknown'],
];

/**
 * @param {(filter: {search?: string, state?: string}) => void} show
 * @returns {{element: Node, found: (isWhole: boolean, shown: number, isAll: boolean) => void}}
 *   found gets the answer: whether it covers the whole list, the number of domains on its first
 *   page, and whether these are all
 */
export function domainSearch(show) {
	const search = field({
		label: 'Search domains',
		hint: 'A part of the name.',
		input: h('input', {
			type: 'search',
			autocomplete: 'off',
			autocapitalize: 'none',
			spellcheck: 'false',
		}),
	});
	const state = field({
		label: 'DNS',
		hint: 'The state at the latest check.',
		input: h(
			'select',
			null,
			STATES.map(([value, text]) => h('option', { value }, text)),
		),
	});
	const status = h('p', { class: 'muted', role: 'status' });
	const element = h(
		'div',
		{ class: 'search', hidden: true },
		h('div', { class: 'one-line' }, search.element, state.element),
		status,
	);
	let timer = 0;

	const filter = () =>
		Object.fromEntries(
			[
				['search', search.input.value.trim()],
				['state', state.input.value],
			].filter(([, value]) => value !== ''),
		);
	const changed = (ms) => {
		clearTimeout(timer);
		timer = setTimeout(() => element.isConnected && show(filter()), ms);
	};
	search.input.addEventListener('input', () => changed(PAUSE_MS));
	state.input.addEventListener('input', () => changed(0));
	return {
		element,
		found: (isWhole, shown, isAll) => {
			if (isWhole) element.hidden = isAll && shown <= FEW;
			const few = shown === 0 ? 'No domain matches.' : `${count(shown, 'domain')} found.`;
			const many = `The first ${shown} are shown.`;
			status.textContent = isWhole ? '' : isAll ? few : many;
		},
	};
}
