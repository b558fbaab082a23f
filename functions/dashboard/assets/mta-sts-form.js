// The configuration of MTA-STS as a form. A refresh never overwrites input that is not saved.
import { ask } from './dialog.js';
import { h } from './dom.js';
import { field, tick } from './field.js';
import { busy, toast } from './notice.js';
import { onSession } from './store.js';
import { clean, plain } from './text.js';
import { span } from './time.js';

const MAX_AGE = { min: 86400, max: 31557600 };
const PATTERNS_MAX = 100;

// The service decides (it accepts U-labels too); this check only saves a request that is certain to be
// refused.
const PATTERN = /^(\*\.)?[^\s*.,;:/@]+(\.[^\s*.,;:/@]+)+\.?$/;

const linesOf = (text) => text.split(/[\s,]+/).filter(Boolean);

/** @returns {string | null} the error in the patterns */
function patternFault(patterns) {
	const wrong = patterns.find((pattern) => !PATTERN.test(pattern));
	const twice = patterns.find((pattern, i) => patterns.indexOf(pattern) < i);
	if (wrong)
		return `“${plain(wrong, 60)}” is not a host name like mail.example.com, with or without *. before it.`;
	if (twice) return `“${plain(twice, 60)}” is in the list twice.`;
	return patterns.length > PATTERNS_MAX ? `At most ${PATTERNS_MAX} are possible.` : null;
}

function maxAgeFault(text) {
	const seconds = Number(text);
	const isRight = /^\d+$/.test(text) && seconds >= MAX_AGE.min && seconds <= MAX_AGE.max;
	return isRight
		? null
		: `A whole number of seconds from ${MAX_AGE.min} to ${MAX_AGE.max} (a day to a year).`;
}

function fieldsOf(domain) {
	const maxAgeHint = h('span', null);
	const fields = {
		enabled: tick(
			`MTA-STS is switched on for ${plain(domain.name)}`,
			'Senders then look for a policy. In the mode testing nothing is held up.',
		),
		hosted: tick(
			'Host the policy file here',
			'With a certificate of its own; you publish only two DNS records.',
		),
		mxPatterns: field({
			label: 'Mail servers (MX)',
			hint: [
				'One a line, as your MX records name them: ',
				h('code', null, 'mail.example.com'),
				' or ',
				h('code', null, '*.example.com'),
				', which stands for exactly one label.',
			],
			input: h('textarea', {
				rows: 4,
				spellcheck: 'false',
				autocapitalize: 'none',
				name: 'mxPatterns',
			}),
		}),
		maxAge: field({
			label: 'Senders keep the policy for (seconds)',
			hint: maxAgeHint,
			input: h('input', {
				type: 'text',
				inputmode: 'numeric',
				name: 'maxAge',
				autocomplete: 'off',
			}),
		}),
	};
	const tell = () => {
		const text = fields.maxAge.input.value.trim();
		maxAgeHint.textContent = maxAgeFault(text)
			? '604800 is a week.'
			: `That is ${span(Number(text))}.`;
	};
	fields.maxAge.input.addEventListener('input', tell);
	return { ...fields, tell };
}

const hasSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function askToStop({ maxAge }) {
	return ask({
		title: 'Switch off a policy that is enforced?',
		body: [
			`Senders that have stored it follow it for up to ${span(maxAge)}, and cannot learn ` +
				'of a change: a mail server that is replaced in that time gets no mail from them.',
			'It is safer to go back to testing first, and to switch off when that time is over.',
		],
		action: 'Switch it off',
		danger: true,
	});
}

// Input that is not saved, by domain: the form shows it again when the user comes back, until the tab is
// closed or another user logs in.
const drafts = new Map();
onSession(() => drafts.clear());

/**
 * @param {(change: object) => Promise<object>} save sends a PATCH
 * @returns {{element: Node, show: (config: import('./domain-api.js').MtaSts) => void}}
 */
export function mtaStsForm(domain, save) {
	const fields = fieldsOf(domain);
	const button = h('button', { type: 'submit', class: 'primary' }, 'Save');
	let stored = null;

	const entered = () => ({
		enabled: fields.enabled.input.checked,
		hosted: fields.hosted.input.checked,
		mxPatterns: linesOf(fields.mxPatterns.input.value),
		maxAge: Number(fields.maxAge.input.value.trim()),
	});
	const changed = () =>
		Object.fromEntries(
			Object.entries(entered()).filter(([name, value]) => !hasSame(value, stored[name])),
		);
	const enter = (config) => {
		fields.enabled.input.checked = config.enabled;
		fields.hosted.input.checked = config.hosted;
		fields.mxPatterns.input.value = config.mxPatterns.join('\n');
		fields.maxAge.input.value = Number.isNaN(config.maxAge) ? '' : String(config.maxAge);
		fields.tell();
	};
	const put = (config) => {
		stored = config;
		drafts.delete(domain.id);
		enter(config);
	};
	const begin = (config) => {
		const draft = drafts.get(domain.id);
		put(config);
		if (!draft) return;
		drafts.set(domain.id, draft);
		enter({ ...config, ...draft });
	};
	const remember = () => {
		if (Object.keys(changed()).length > 0) drafts.set(domain.id, changed());
		else drafts.delete(domain.id);
	};

	const refuse = ({ code, fields: wrong, message: said }) => {
		const about = (name) => wrong.filter((one) => one.field.startsWith(name));
		const line = about('mxPatterns')[0];
		const number = /\[(\d+)\]/.exec(line?.field ?? '');
		if (line)
			fields.mxPatterns.refuse(
				`${number ? `Line ${Number(number[1]) + 1}: ` : ''}${plain(line.detail, 200)}.`,
			);
		else if (about('maxAge')[0])
			fields.maxAge.refuse(`${plain(about('maxAge')[0].detail, 200)}.`);
		else
			toast.say(
				'bad',
				code === 'hosting-not-in-plan'
					? 'Your plan does not include hosting the policy. Untick it and serve the file yourself.'
					: `${plain(said, 200)}.`,
			);
	};
	const send = async () => {
		const change = changed();
		if (Object.keys(change).length === 0) return toast.say('off', 'Nothing was changed.');
		if (change.enabled === false && stored.mode === 'enforce' && !(await askToStop(stored)))
			return undefined;
		try {
			const { policyId } = stored;
			const config = await save(change);
			put(config);
			return toast.say(
				'good',
				config.policyId === policyId
					? 'Saved.'
					: 'Saved. There is a new policy id: publish its record.',
			);
		} catch (problem) {
			return [400, 403].includes(problem.status) ? refuse(problem) : toast.problem(problem);
		}
	};
	const submit = (event) => {
		event.preventDefault();
		toast.clear();
		const ageFault = maxAgeFault(fields.maxAge.input.value.trim());
		const fault = patternFault(
			linesOf(clean(fields.mxPatterns.input.value.replace(/\s+/g, ' '))),
		);
		if (fault) return fields.mxPatterns.refuse(fault);
		if (ageFault) return fields.maxAge.refuse(ageFault);
		return busy(button, send);
	};

	const element = h(
		'form',
		{ class: 'card', novalidate: true, onsubmit: submit, oninput: () => stored && remember() },
		h('h2', null, 'Configuration'),
		h(
			'fieldset',
			null,
			h('legend', { class: 'unseen' }, 'Switches'),
			fields.enabled.element,
			fields.hosted.element,
		),
		fields.mxPatterns.element,
		fields.maxAge.element,
		h(
			'div',
			{ class: 'actions' },
			button,
			h(
				'span',
				{ class: 'muted' },
				'A change of the mail servers or of the time makes a new policy id, ' +
					'which has to be published again.',
			),
		),
	);
	return {
		element,
		show: (config) => {
			if (stored === null) begin(config);
			else if (Object.keys(changed()).length > 0) stored = config;
			else put(config);
		},
	};
}
