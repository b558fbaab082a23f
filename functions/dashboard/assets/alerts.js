// The alerts of a domain and of the account: who receives them, for which events, and what was
// sent.
import {
	askAgain,
	createAlert,
	deleteAlert,
	listAlertDeliveries,
	listAlerts,
	setWeeklySummary,
	switchAlertOn,
	testAlert,
} from './alert-api.js';
import { copyButton } from './copy.js';
import { ask } from './dialog.js';
import { fill, h, keyedList } from './dom.js';
import { field, tick } from './field.js';
import { icon } from './icons.js';
import { live } from './live.js';
import { busy, busyButton, empty, problemBox, toast } from './notice.js';
import { badge } from './state.js';
import { count, foreign, plain, plainSentence, sentence } from './text.js';
import { since } from './time.js';

const EVENTS = [
	['selector-broken', 'A DKIM key is no longer valid'],
	['selector-recovered', 'A DKIM key is valid again'],
	['key-changed', 'A DKIM key has changed'],
	['mta-sts-broken', 'MTA-STS needs attention'],
	['mta-sts-recovered', 'MTA-STS works again'],
	['dmarc-weakened', 'The DMARC policy was weakened or removed'],
	['mx-uncovered', 'A mail server is missing from the MTA-STS policy'],
	['mx-covered', 'The MTA-STS policy covers all mail servers again'],
	['certificate-expiring', 'A certificate is about to expire'],
	['certificate-renewed', 'A certificate is no longer about to expire'],
	['failures-rose', 'More mail fails DMARC than usual'],
	['failures-fell', 'DMARC failures are back to normal'],
	['new-source', 'Mail in the domain\'s name comes from a new source'],
	['reports-stopped', 'DMARC reports have stopped'],
	['reports-resumed', 'DMARC reports arrive again'],
	['posture-changed', 'Anything else in DNS changes'],
];
const TYPES = new Map([
	...EVENTS,
	['test', 'A test'],
	['weekly-summary', 'The weekly summary'],
	['alerts-left-out', 'More alerts were due than are sent in an hour'],
	['confirmation', 'The mail that asks for confirmation'],
]);
const STATES = {
	waiting: ['unknown', 'waiting'],
	delivered: ['good', 'delivered'],
	failed: ['bad', 'failed'],
};

const READ_EVERY_MS = 10000;

/** The name of an alert on the page: the mail address, or the host of the webhook. */
const nameOf = ({ mail, url }) => mail ?? new URL(url).host;

const isMail = (text) => text.includes('@') && !text.includes('://');

/** The secret, which is shown only once. */
function secretCard({ secret, url }) {
	const node = h(
		'section',
		{ class: 'card secret', tabindex: -1, 'aria-label': 'The secret of the new alert' },
		h('h2', null, 'Copy the secret now'),
		h(
			'p',
			null,
			foreign(url, 200),
			' can verify our requests with this secret (“Standard Webhooks”). It is not shown again.',
		),
		h('p', null, h('code', null, secret)),
		h(
			'div',
			{ class: 'actions' },
			copyButton(secret, { what: 'the secret' }),
			h('button', { type: 'button', class: 'small', onclick: () => node.remove() }, 'I have it'),
		),
	);
	return node;
}

/**
 * The service's objection to the address; undefined when it refused the alert for another
 * reason.
 */
function refusalOf(problem) {
	const fault = problem.fields?.find(({ field }) => field === 'url' || field === 'mail');
	if (fault) return `It ${plain(fault.detail)}.`;
	return problem.code === 'mail-unavailable' ? plainSentence(problem.message) : undefined;
}

function eventChoice() {
	const ticks = EVENTS.map(([name, meaning]) => ({ name, ...tick(meaning) }));
	for (const { input } of ticks) input.checked = true;
	return {
		element: h(
			'details',
			{ class: 'events' },
			h('summary', null, icon('next'), ' Choose the events'),
			h('fieldset', null, ticks.map(({ element }) => element)),
		),
		/** The chosen events; null: all, including those that later versions add. */
		chosen: () => {
			const names = ticks.filter(({ input }) => input.checked).map(({ name }) => name);
			return names.length === ticks.length ? null : names;
		},
	};
}

function addForm(domain, made) {
	const address = field({
		label: 'Send alerts to',
		hint: 'A mail address, or the https:// URL of a webhook.',
		input: h('input', {
			type: 'text',
			inputmode: 'url',
			name: 'url',
			autocomplete: 'off',
			autocapitalize: 'none',
			spellcheck: 'false',
		}),
	});
	const all = tick('For all domains of the account');
	const weekly = tick('A summary every Monday, to a mail address');
	const events = eventChoice();
	const button = h('button', { type: 'submit', class: 'primary' }, 'Add the alert');

	const add = async () => {
		const to = address.input.value.trim();
		const wanted = events.chosen();
		if (to === '') return address.refuse('Enter the address of the receiver.');
		if (wanted?.length === 0)
			return toast.say('warn', 'Choose at least one event.');
		try {
			const alert = await createAlert(all.input.checked ? null : domain.id, {
				...(isMail(to) ? { mail: to } : { url: to }),
				events: wanted,
				weeklySummary: weekly.input.checked && isMail(to),
			});
			if (address.input.value.trim() === to) address.input.value = '';
			await made(alert);
		} catch (problem) {
			const refusal = refusalOf(problem);
			if (refusal) address.refuse(refusal);
			else toast.problem(problem);
		}
	};
	const submit = (event) => {
		event.preventDefault();
		toast.clear();
		address.accept();
		busy(button, add);
	};
	return h(
		'form',
		{ class: 'card', novalidate: true, onsubmit: submit },
		address.element,
		all.element,
		weekly.element,
		events.element,
		h('div', { class: 'actions' }, button),
	);
}

/** The HTTP status of a delivery by webhook. For mail, the reason has the SMTP reply. */
const statusOf = (status, mail) => status !== null && mail === null && ` (HTTP ${status})`;

function deliveryLine(mail, { type, createdAt, state, status, reason }) {
	const [kind, word] = STATES[state];
	return h(
		'li',
		null,
		badge(kind, word),
		' ',
		TYPES.get(type) ?? foreign(type),
		', ',
		since(createdAt),
		statusOf(status, mail),
		reason && h('span', { class: 'muted' }, ' ', sentence(reason.message)),
	);
}

/** The log of deliveries: loaded when it is opened, and refreshed while it is open. */
function deliveries(alert, signal) {
	const body = h('div');
	const read = async () => {
		try {
			const lines = await listAlertDeliveries(alert);
			fill(
				body,
				lines.length === 0
					? h('p', { class: 'muted' }, 'Nothing in the last seven days.')
					: h('ul', { class: 'deliveries' }, lines.map((line) => deliveryLine(alert.mail, line))),
			);
		} catch (problem) {
			fill(body, problemBox(problem, read));
		}
	};
	const node = h('details', null, h('summary', null, icon('next'), ' Deliveries'), body);
	const again = () => {
		if (node.open && node.isConnected) read();
	};
	const timer = setInterval(again, READ_EVERY_MS);
	signal.addEventListener('abort', () => clearInterval(timer));
	node.addEventListener('toggle', again);
	return { node, again };
}

const waits = ({ active, mail, confirmedAt }) => active && mail !== null && confirmedAt === null;

function stateOf(alert) {
	const { active, reason } = alert;
	if (waits(alert)) return badge('unknown', 'waits for confirmation');
	if (active) return badge('good', 'on');
	return badge(reason ? 'bad' : 'off', 'switched off');
}

const canBeTold = ({ mail, confirmedAt }) => mail === null || confirmedAt !== null;

const ASKED =
	'No alerts are sent there until the link in the confirmation mail is opened, within two days.';

function row(alert, { signal, refresh, gone }) {
	const name = nameOf(alert);
	const log = deliveries(alert, signal);
	const act = (work, said) => async () => {
		try {
			if ((await work()) === false) return;
			toast.say('good', said);
			await refresh();
		} catch (problem) {
			toast.problem(problem);
		}
	};
	const sendTest = async () => {
		await testAlert(alert);
		log.again();
	};
	const remove = async () => {
		const isSure = await ask({
			title: `Send ${plain(name)} no more alerts?`,
			body: ['Pending alerts are not sent any more.'],
			action: 'Remove the alert',
			danger: true,
		});
		if (!isSure) return false;
		await deleteAlert(alert);
		gone();
	};
	const button = (label, work, said) =>
		busyButton({ class: 'small', 'aria-label': `${label} ${name}` }, label, act(work, said));
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, foreign(alert.mail ?? alert.url, 200))),
		h(
			'p',
			{ class: 'log-numbers' },
			alert.events.length === EVENTS.length
				? 'all events'
				: count(alert.events.length, 'event'),
		),
		stateOf(alert),
		h(
			'div',
			{ class: 'log-more' },
			h(
				'p',
				{ class: 'muted' },
				alert.mail === null ? 'A webhook' : 'A mail address',
				alert.domainId === null
					? ', for all domains of the account.'
					: ', for this domain.',
				alert.weeklySummary && ' A summary is sent every Monday.',
				waits(alert) && ` ${ASKED}`,
				alert.reason && ` Switched off: ${plainSentence(alert.reason.message)}`,
			),
			h(
				'div',
				{ class: 'actions' },
				canBeTold(alert) &&
					button('Test', sendTest, 'A test will be sent within a minute.'),
				waits(alert) &&
					button('Ask again', () => askAgain(alert), 'A mail with a link is on its way.'),
				alert.mail !== null &&
					button(
						alert.weeklySummary ? 'No weekly summary' : 'Weekly summary',
						() => setWeeklySummary(alert, !alert.weeklySummary),
						alert.weeklySummary
							? 'No further summary is sent there.'
							: 'A summary is sent there every Monday.',
					),
				!alert.active &&
					button('Switch on', () => switchAlertOn(alert), 'It is switched on.'),
				button('Remove', remove, 'The alert is removed.'),
			),
			log.node,
		),
	);
}

const nothingYet = () =>
	empty(
		'No alerts yet',
		h(
			'p',
			null,
			'Add a mail address or a webhook above: it gets an alert when a DKIM key, MTA-STS, DMARC or another record changes.',
		),
	);

/** @type {import('./domain.js').Part} */
export function alertsPart(domain, signal) {
	const list = h('ul', { class: 'log alerts' });
	const heading = h('h2', { tabindex: -1 });
	const none = nothingYet();
	const shown = h('div');
	let follow;
	const refresh = () => follow.refresh();
	const update = keyedList(
		list,
		({ alertId }) => alertId,
		(alert) => row(alert, { signal, refresh, gone: () => heading.focus() }),
	);
	const made = async (alert) => {
		if (alert.mail !== null) {
			fill(shown);
			await refresh();
			return toast.say(
				'good',
				`A mail with a link is on its way to ${plain(alert.mail)}: alerts are sent once the link is opened.`,
			);
		}
		const card = secretCard(alert);
		fill(shown, card);
		await refresh();
		card.focus();
	};
	const body = h('div', null, addForm(domain, made), shown, h('section', null, heading, none, list));
	const show = (alerts) => {
		heading.textContent = count(alerts.length, 'alert');
		none.hidden = alerts.length > 0;
		update(alerts);
	};
	follow = live({ load: () => listAlerts(domain.id, signal), show, body, signal });
	return follow.node;
}
