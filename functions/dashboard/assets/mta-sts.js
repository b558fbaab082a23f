// MTA-STS of a domain: its configuration, the published records, the observed state, and the switch to
// enforce.
import { changeMtaSts, checkMtaSts, getMtaSts } from './domain-api.js';
import { fill, h } from './dom.js';
import { live } from './live.js';
import { modeCard } from './mta-sts-mode.js';
import { mtaStsForm } from './mta-sts-form.js';
import { announce, busyButton, notice, toast } from './notice.js';
import { recordCard } from './record.js';
import { badge, disc, facts } from './state.js';
import { foreign, sentence } from './text.js';
import { at, since } from './time.js';
import { mtaStsGlance } from './glance.js';

function hostSeen({ observed, advice: { items } }) {
	const alias = items.find(({ code }) => code === 'alias-missing' || code === 'alias-wrong');
	if (observed.policyFetched && !alias)
		return [
			'good',
			'The policy was fetched over HTTPS from this name, with a certificate that is valid for it.',
		];
	return alias
		? ['warn', sentence(alias.message)]
		: ['bad', 'The policy could not be fetched from this name.'];
}

function idSeen({ observed }) {
	if (observed.dnsId === null) return ['bad', 'No policy id was found in DNS.'];
	if (observed.policyIdInSync) return ['good', 'DNS has this record.'];
	const dnsId = h('code', null, foreign(`v=STSv1; id=${observed.dnsId}`));
	return ['warn', ['DNS has ', dnsId, '. Replace it: senders fetch the new policy only then.']];
}

/** For an expected record: [kind, observation] */
function seen({ purpose }, config) {
	if (config.observed === null) return ['unknown', 'Not checked yet.'];
	return purpose === 'mta-sts-policy-host' ? hostSeen(config) : idSeen(config);
}

function recordWithSeen(record, config) {
	const [kind, text] = seen(record, config);
	return recordCard(record, h('p', { class: 'seen' }, disc(kind), h('span', null, text)));
}

function errorList({ observed }) {
	if (!observed || observed.errors.length === 0) return null;
	return h(
		'ul',
		{ class: 'findings' },
		observed.errors.map(({ message }) =>
			h('li', null, disc('bad'), h('p', null, sentence(message))),
		),
	);
}

const SEVERITY = { action: 'warn', note: 'off', good: 'good' };

// Advice that other parts of the page show: the errors, the records and the mode.
const ELSEWHERE =
	/^(setup-invalid|id-out-of-sync|alias-|mx-|starttls-|not-checked|patterns-missing|enforce-ready)/;

function adviceList({ advice }) {
	const items = advice.items
		.filter(({ code }) => !ELSEWHERE.test(code))
		.map((item) => {
			return h(
				'li',
				null,
				h(
					'p',
					{ class: 'said' },
					disc(SEVERITY[item.severity] ?? 'off'),
					h('span', null, sentence(item.message)),
				),
				item.record && recordCard(item.record),
			);
		});
	return items.length > 0 && h('ul', { class: 'advice' }, items);
}

function observedCard(domain, config, check) {
	const { observed, policyUrl } = config;
	const { kind, text } = mtaStsGlance(config);
	return [
		h('div', { class: 'card-head' }, h('h2', null, 'State'), badge(kind, text), check),
		facts(
			[
				'Last check',
				observed === null
					? 'not yet; the first follows within a minute'
					: since(observed.checkedAt),
			],
			['Policy in force', observed?.policyMode && foreign(observed.policyMode)],
			['Policy file', h('code', null, foreign(policyUrl))],
			['Changed', at(config.updatedAt)],
		),
		errorList(config),
		adviceList(config),
	];
}

// Created once, so that the details stay open or closed as the user left them.
function policyDetails() {
	const file = h('pre', { tabindex: 0, 'aria-label': 'Policy file' });
	return {
		element: h(
			'details',
			{ class: 'policy' },
			h('summary', null, 'The policy file'),
			file,
		),
		show: ({ policyContent }) => (file.textContent = policyContent),
	};
}

function recordsCard(config, policy) {
	return [
		h('h2', null, 'Records to publish'),
		!config.enabled &&
			notice(
				'warn',
				'Switch MTA-STS on first: no certificate is issued for a domain that is ' +
					'switched off.',
			),
		config.expectedRecords.map((record) => recordWithSeen(record, config)),
		!config.hosted &&
			h(
				'p',
				{ class: 'muted' },
				'The policy is not hosted here: let the name point to your own ' +
					'server, and serve this file at the address above.',
			),
		policy,
	];
}

function checkButton(domain, refresh) {
	return busyButton({ class: 'small' }, 'Check now', async () => {
		announce('Querying DNS and fetching the policy.');
		try {
			await checkMtaSts(domain.id);
			await refresh();
			toast.say('off', 'Checked just now.');
		} catch (problem) {
			toast.problem(problem);
		}
	});
}

/** @type {import('./domain.js').Part} */
export function mtaStsPart(domain, signal) {
	let follow;
	const refresh = () => follow.refresh();
	const save = async (change) => {
		const config = await changeMtaSts(domain.id, change);
		await refresh();
		return config;
	};
	const form = mtaStsForm(domain, save);
	const mode = modeCard(domain, save);
	const state = h('section', { class: 'card' });
	const records = h('section', { class: 'card' });
	const policy = policyDetails();
	const check = checkButton(domain, refresh);

	const show = (config) => {
		fill(state, observedCard(domain, config, check));
		policy.show(config);
		fill(records, recordsCard(config, policy.element));
		form.show(config);
		mode.show(config);
	};
	const body = h('div', { class: 'mta-sts' }, state, form.element, records, mode.element);
	follow = live({ load: () => getMtaSts(domain.id, signal), show, body, signal });
	return follow.node;
}
