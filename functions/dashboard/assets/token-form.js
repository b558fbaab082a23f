// The form for a new token: what it may do, and for how long.
import { fill, h, newId } from './dom.js';
import { field, tick } from './field.js';
import { busy, problemBox, toast } from './notice.js';
import { createToken, domainNames } from './token-api.js';
import { foreign, plain, plainSentence } from './text.js';

const DAY_MS = 86400000;
const LIFETIMES = [
	['7', 'in 7 days'],
	['30', 'in 30 days'],
	['90', 'in 90 days'],
	['365', 'in a year'],
	['', 'never'],
];

/**
 * Radio buttons, each with a line of its own.
 * @param {[string, string][]} options value and meaning; the first is chosen
 */
function choice(legend, options, more) {
	const name = newId('choice');
	const boxes = options.map(([value]) => h('input', { type: 'radio', name, value }));
	boxes[0].checked = true;
	return {
		element: h(
			'fieldset',
			null,
			h('legend', null, legend),
			options.map(([, meaning], i) => h('label', { class: 'choice' }, boxes[i], meaning)),
			more,
		),
		value: () => boxes.find(({ checked }) => checked).value,
		reset: () => (boxes[0].checked = true),
	};
}

/**
 * A choice between all domains and the ticked ones; their names are loaded when the user chooses
 * the latter.
 */
function domainChoice(signal) {
	let ticks = [];
	const box = h('div', { class: 'some-domains', hidden: true });
	const load = async () => {
		fill(box, h('p', { class: 'muted loading' }, 'Loading …'));
		try {
			const names = await domainNames(signal);
			ticks = [...names].map(([id, name]) => ({ id, ...tick(foreign(name)) }));
			fill(
				box,
				ticks.length > 0
					? ticks.map(({ element }) => element)
					: h('p', { class: 'muted' }, 'The account has no domain yet.'),
			);
		} catch (problem) {
			if (!signal.aborted) fill(box, problemBox(problem, load));
		}
	};
	const which = choice(
		'Domains',
		[
			['all', 'All, and those added later'],
			['some', 'Some of them'],
		],
		box,
	);
	const show = () => {
		const isSome = which.value() === 'some';
		if (isSome && box.hidden) load();
		box.hidden = !isSome;
	};
	which.element.addEventListener('change', show);
	return {
		element: which.element,
		/** @returns {string[] | null} ids; null: all */
		chosen: () =>
			which.value() === 'all'
				? null
				: ticks.filter(({ input }) => input.checked).map(({ id }) => id),
		reset: () => {
			which.reset();
			show();
		},
	};
}

const wholeSeconds = (ms) => new Date(ms).toISOString().replace(/\.\d+/, '');
const expiryOf = (days) => (days === '' ? null : wholeSeconds(Date.now() + days * DAY_MS));

function fieldsOf(signal) {
	return {
		name: field({
			label: 'Name',
			hint: 'What will use it, like monitoring or backup.',
			input: h('input', { type: 'text', name: 'name', autocomplete: 'off', maxlength: 100 }),
		}),
		access: choice('Access', [
			['read', 'read: only look'],
			['full', 'full: look and change'],
		]),
		domains: domainChoice(signal),
		expiry: field({
			label: 'Expires',
			hint: 'Afterwards it is refused.',
			input: h(
				'select',
				{ name: 'expires' },
				LIFETIMES.map(([days, text]) =>
					h('option', { value: days, selected: days === '90' }, text),
				),
			),
		}),
	};
}

// The service's reason for refusing the token, beside the field that it is about.
function refuse(problem, { name, expiry }) {
	const why = problem.fields?.find((each) => each.field === 'name');
	if (why) name.refuse(`It ${plain(why.detail)}.`);
	else if (problem.code === 'token-outlives') expiry.refuse(plainSentence(problem.message));
	else toast.problem(problem);
}

/** @param {(token: import('./token-api.js').Token) => Promise<void>} made */
export function tokenForm(made, signal) {
	const fields = fieldsOf(signal);
	const { name, access, domains, expiry } = fields;
	const button = h('button', { type: 'submit', class: 'primary' }, 'Make the token');

	const make = async () => {
		const wanted = { name: name.input.value.trim(), access: access.value(), domains: domains.chosen() };
		if (wanted.name === '') return name.refuse('Enter a name by which you recognize the token later.');
		if (wanted.domains?.length === 0)
			return toast.say('warn', 'Choose one domain at least, or all.');
		try {
			const token = await createToken({ ...wanted, expiresAt: expiryOf(expiry.input.value) });
			name.input.value = '';
			access.reset();
			domains.reset();
			await made(token);
		} catch (problem) {
			refuse(problem, fields);
		}
	};
	const submit = (event) => {
		event.preventDefault();
		toast.clear();
		name.accept();
		expiry.accept();
		busy(button, make);
	};
	return h(
		'form',
		{ class: 'card', novalidate: true, onsubmit: submit },
		h('h2', null, 'Make a token'),
		Object.values(fields).map(({ element }) => element),
		h('div', { class: 'actions' }, button),
	);
}
