// The DKIM selectors of a domain: registered by the owner or found in reports, with their checks.
import { checkSelector, deleteSelector, listSelectors, registerSelector } from './domain-api.js';
import { ask } from './dialog.js';
import { h, keyedList } from './dom.js';
import { field } from './field.js';
import { live } from './live.js';
import { announce, empty, toast } from './notice.js';
import { selectorDays } from './selector-days.js';
import { selectorRow } from './selector-row.js';
import { selectorSearch } from './selector-search.js';
import { count, foreign, plain } from './text.js';

const NAME = /^[A-Za-z0-9_-]{1,63}$/;

/** Extracts the selector when the user pastes the name of the whole record. */
const alone = (text) => text.trim().replace(/\._domainkey(\..*)?$/i, '');

function whatWasFound({ selector, valid, errors }) {
	return valid
		? `${selector} is registered, and its key is valid.`
		: `${selector} is registered. Its key is not valid: ${errors[0].message}`;
}

function addForm(domain, refresh) {
	const name = field({
		label: 'Add a selector',
		hint: [
			'The name alone: ',
			h('code', null, 's1'),
			' of ',
			h('code', null, 's1._domainkey.', foreign(domain.name)),
		],
		input: h('input', {
			type: 'text',
			name: 'selector',
			autocomplete: 'off',
			autocapitalize: 'none',
			spellcheck: 'false',
		}),
	});
	const button = h('button', { type: 'submit', class: 'primary' }, 'Add and check');

	const add = async (selector) => {
		try {
			const made = await registerSelector(domain.id, selector);
			if (alone(name.input.value) === selector) name.input.value = '';
			toast.say(made.valid ? 'good' : 'warn', plain(whatWasFound(made), 300));
			await refresh();
		} catch (problem) {
			if (problem.status === 400 || problem.status === 409)
				name.refuse(`${plain(problem.message)}.`);
			else toast.problem(problem);
		}
	};
	// The user may enter the next selector while the previous one is still being checked.
	const underWay = new Set();
	let last = Promise.resolve();
	const submit = (event) => {
		event.preventDefault();
		const selector = alone(name.input.value);
		toast.clear();
		if (!NAME.test(selector))
			return name.refuse('1 to 63 letters, digits, hyphens and underscores.');
		name.accept();
		if (underWay.has(selector)) return undefined;
		underWay.add(selector);
		button.setAttribute('aria-busy', 'true');
		last = last.then(() => add(selector)).finally(() => {
			underWay.delete(selector);
			if (underWay.size === 0) button.removeAttribute('aria-busy');
		});
		return last;
	};
	return h(
		'form',
		{ class: 'card one-line', novalidate: true, onsubmit: submit },
		name.element,
		button,
	);
}

const nothingYet = () =>
	empty(
		'No selector yet',
		h(
			'p',
			null,
			'Either no report that names one has arrived, or the domain does not sign its mail. Add a selector ' +
				'you know: an answer that it does not resolve tells the two apart.',
		),
	);

/** The actions on a selector. Each returns the message to show, or throws. */
function actionsOf(domain, refresh) {
	return {
		check: async ({ selector }) => {
			const entry = await checkSelector(domain.id, selector);
			await refresh();
			return entry.valid
				? `${selector} was checked just now: valid.`
				: `${selector} was checked just now: ${entry.errors[0]?.message ?? 'not known.'}`;
		},
		remove: async ({ selector, evidence }) => {
			const isSure = await ask({
				title: `Delete the selector ${plain(selector)}?`,
				body: [
					'Its history is deleted, too.',
					evidence.lastSeen !== null &&
						'It was seen in reports: if mail is still signed with it, the next report adds it again.',
				].filter(Boolean),
				action: 'Delete it',
				danger: true,
			});
			if (!isSure) return null;
			await deleteSelector(domain.id, selector);
			await refresh();
			return `${selector} is deleted.`;
		},
	};
}

/** @type {import('./domain.js').Part} */
export function selectorsPart(domain, signal) {
	const list = h('ul', { class: 'selector-list' });
	const heading = h('h2', { tabindex: -1 });
	const none = nothingYet();
	let follow;
	const refresh = () => follow.refresh();
	const actions = actionsOf(domain, refresh);
	const gone = () => heading.focus();
	const update = keyedList(
		list,
		({ selector }) => selector,
		(item, old) => selectorRow(domain, item, actions, { old, gone }),
	);
	const search = selectorSearch(update, list);
	const days = selectorDays(domain, signal);
	const body = h(
		'div',
		null,
		addForm(domain, refresh),
		h('section', null, heading, none, search.element, list, search.more),
		days.node,
	);

	let before = null;
	const show = (selectors) => {
		heading.textContent = count(selectors.length, 'selector');
		none.hidden = selectors.length > 0;
		search.show(selectors);
		days.load();
		if (before !== null && selectors.length > before)
			announce(`There are ${count(selectors.length, 'selector')} now.`);
		before = selectors.length;
	};
	follow = live({ load: () => listSelectors(domain.id, signal), show, body, signal });
	return follow.node;
}
