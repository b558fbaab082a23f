// Switches between testing and enforce, after showing the conditions that should hold.
import { ask } from './dialog.js';
import { fill, h } from './dom.js';
import { share } from './glance.js';
import { busyButton, toast } from './notice.js';
import { badge, disc } from './state.js';
import { count, plain, sentence } from './text.js';
import { span } from './time.js';

/** @typedef {{kind: import('./state.js').Kind, text: string}} Condition */

function tlsCondition({ reports: { days, count: reports, successful, failed } }) {
	const total = successful + failed;
	if (total === 0)
		return {
			kind: 'unknown',
			text:
				`No TLS report has arrived in ${days} days, so it is not known whether senders would ` +
				'fail. Publish the record that requests reports, and wait some days.',
		};
	const what = `${count(reports, 'TLS report')} of ${days} days`;
	return failed === 0
		? { kind: 'good', text: `${what}: every session was secured.` }
		: {
				kind: 'warn',
				text: `${what}: ${share(successful, total)} of the sessions were secured, ${failed.toLocaleString()} failed.`,
			};
}

// A condition that has not been checked yet is unknown, not bad.
function seen(observed, is, { yes, no, question }) {
	if (observed === null) return { kind: 'unknown', text: `Not checked yet: ${question}` };
	return { kind: is ? 'good' : 'bad', text: is ? yes : no };
}

const about = (items, pattern) => items.filter(({ code }) => pattern.test(code));

// The conditions about mail servers: the policy names each, and each supports STARTTLS.
function serverConditions({ enabled, observed, advice: { items } }) {
	if (!enabled)
		return [
			{
				kind: 'unknown',
				text: 'The mail servers are checked only while MTA-STS is switched on.',
			},
		];
	const wrong = about(items, /^(mx-uncovered|mx-null|starttls-missing)$/).map(({ message }) => ({
		kind: 'bad',
		text: message,
	}));
	const open = about(items, /^(mx-unknown|starttls-unknown)$/).map(({ message }) => ({
		kind: 'unknown',
		text: message,
	}));
	if (wrong.length + open.length > 0) return [...wrong, ...open];
	return [
		seen(observed, true, {
			yes: 'The policy names every mail server in use, and each takes mail over TLS.',
			question: 'does the policy name every mail server in use, and does each take mail over TLS?',
		}),
	];
}

/** The conditions that must hold before senders refuse to deliver without TLS. @returns {Condition[]} */
function conditions(config) {
	const { enabled, mxPatterns, observed } = config;
	const holds = (is, yes, no) => ({ kind: is ? 'good' : 'bad', text: is ? yes : no });
	return [
		holds(enabled, 'MTA-STS is switched on.', 'MTA-STS is switched off.'),
		holds(
			mxPatterns.length > 0,
			'The policy names mail servers.',
			'The policy names no mail server: in the mode enforce it would stop all mail.',
		),
		seen(observed, observed?.policyFetched, {
			yes: 'The policy was fetched over HTTPS.',
			no: 'The policy has not been fetched over HTTPS.',
			question: 'is the policy reachable over HTTPS?',
		}),
		seen(observed, observed?.policyIdInSync, {
			yes: 'The policy id in DNS is the current one.',
			no: 'The policy id in DNS is not the current one.',
			question: 'is the policy id in DNS the current one?',
		}),
		seen(observed, observed?.valid, {
			yes: 'The record and the policy are valid.',
			no: 'The last check found errors; see State above.',
			question: 'are record and policy valid?',
		}),
		...serverConditions(config),
		tlsCondition(config),
	];
}

const conditionList = (items) =>
	h(
		'ul',
		{ class: 'findings' },
		items.map(({ kind, text }) => h('li', null, disc(kind), h('p', null, sentence(text)))),
	);

function askToEnforce(domain, config) {
	const open = conditions(config).filter(({ kind }) => kind !== 'good');
	const isSafe = config.advice.readyToEnforce;
	return ask({
		title: `Enforce TLS for mail to ${plain(domain.name)}?`,
		body: [
			'Senders that follow the policy will then refuse to deliver without a valid certificate of a server that it names.',
			open.length > 0 &&
				h('p', null, h('strong', null, isSafe ? 'Before that, know:' : 'Not ready:')),
			open.length > 0 && conditionList(open),
		].filter(Boolean),
		action: isSafe ? 'Enforce' : 'Enforce all the same',
		danger: !isSafe,
		tick: isSafe ? undefined : 'I accept that mail may be held up or lost.',
	});
}

function askToTest(config) {
	return ask({
		title: 'Go back to testing?',
		body: [
			'Failures are then only reported. Senders that have stored the enforced policy follow it until it expires ' +
				`(max_age is ${config.maxAge} seconds) or they see the new id.`,
		],
		action: 'Back to testing',
	});
}

function askToEnd({ maxAge }) {
	return ask({
		title: 'End MTA-STS?',
		body: [
			'The policy then says that the domain has no policy any more, and senders that see it forget the previous one. Publish the record ' +
				`with the new id, and keep the record and the policy for as long as senders may store the previous one: ${span(maxAge)}.`,
			'This page says when the records can be removed.',
		],
		action: 'Switch to none',
	});
}

// The behavior of senders is only certain for a policy without errors in the last check.
const isInOrder = ({ observed }) => observed?.valid === true && observed.policyFetched && observed.policyIdInSync;

function enforceEffect(config) {
	const { observed } = config;
	if (observed === null) return 'Senders will deliver only over TLS once they see the policy. It has not been checked yet.';
	if (observed.dnsId === null && !observed.policyFetched)
		return 'The mode enforce is set, but no sender can see the policy yet.';
	return isInOrder(config)
		? 'Senders deliver only over TLS with a valid certificate of a server that the policy names.'
		: 'Senders that have stored the policy deliver only over TLS, but the last check found errors.';
}

function modeKind(config) {
	if (config.mode !== 'enforce' || !config.enabled) return 'off';
	if (config.observed === null) return 'unknown';
	return isInOrder(config) ? 'good' : 'warn';
}

function effect(config) {
	const { enabled, mode } = config;
	if (!enabled) return 'MTA-STS is switched off: no policy is served, in whatever mode.';
	if (mode === 'none')
		return 'The policy says that the domain has no policy any more, so that senders forget the previous one. No mail is held up.';
	return mode === 'enforce'
		? enforceEffect(config)
		: 'Failures are reported, and no mail is held up.';
}

/**
 * @param {(change: object) => Promise<object>} save sends a PATCH
 * @returns {{element: Node, show: (config: import('./domain-api.js').MtaSts) => void}}
 */
export function modeCard(domain, save) {
	const content = h('div');
	let config = null;

	const questions = {
		enforce: () => askToEnforce(domain, config),
		testing: () => askToTest(config),
		none: () => askToEnd(config),
	};
	const change = async (mode) => {
		if (!(await questions[mode]())) return;
		try {
			await save({ mode });
			// The pressed button is gone, so the focus moves to the one that replaces
			// it.
			(mode === 'testing' ? enforce : testing).focus();
			toast.say(
				'good',
				`The mode is ${mode} now. Publish the record with the new policy id.`,
			);
		} catch (problem) {
			toast.problem(problem);
		}
	};
	const enforce = busyButton({}, 'Switch to enforce …', () => change('enforce'));
	const testing = busyButton({}, 'Back to testing …', () => change('testing'));
	const none = busyButton({ class: 'quiet' }, 'End MTA-STS …', () => change('none'));
	const element = h(
		'section',
		{ class: 'card' },
		content,
		h('div', { class: 'actions' }, enforce, testing, none),
	);

	return {
		element,
		show: (next) => {
			const isEnforced = next.mode === 'enforce';
			const isEnded = next.mode === 'none';
			const isReady = next.advice.readyToEnforce;
			config = next;
			fill(
				content,
				h(
					'div',
					{ class: 'card-head' },
					h('h2', null, 'Mode'),
					badge(modeKind(next), next.mode),
					!isEnforced &&
						!isEnded &&
						badge(
							isReady ? 'good' : 'warn',
							isReady ? 'ready to enforce' : 'not ready to enforce',
						),
				),
				h(
					'p',
					null,
					effect(next),
				),
				!isEnded && conditionList(conditions(next)),
			);
			enforce.hidden = isEnforced;
			enforce.className = isReady ? 'primary' : '';
			enforce.disabled = next.mxPatterns.length === 0;
			testing.hidden = next.mode === 'testing';
			none.hidden = isEnded || !next.enabled;
		},
	};
}
