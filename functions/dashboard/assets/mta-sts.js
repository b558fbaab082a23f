// MTA-STS of a domain: what is configured, what is published, what was observed, and the way to enforce.
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

/** Of an expected record: [kind, what was observed] */
function seen({ purpose, value }, { observed }) {
	if (observed === null) return ['unknown', 'Not checked yet.'];
	if (purpose === 'mta-sts-policy-host')
		return observed.policyFetched
			? ['good', 'The policy was fetched over HTTPS from this name, with a certificate that is valid for it.']
			: ['bad', 'The policy could not be fetched from this name.'];
	if (observed.dnsId === null) return ['bad', 'No policy id was found in DNS.'];
	if (observed.policyIdInSync) return ['good', 'This is what DNS holds.'];
	const dnsId = h('code', null, foreign(`v=STSv1; id=${observed.dnsId}`));
	return ['warn', ['DNS holds ', dnsId, '. Replace it: senders fetch the new policy only then.'], value];
}

function recordWithSeen(record, config) {
	const [kind, text] = seen(record, config);
	return recordCard(record, h('p', { class: 'seen' }, disc(kind), h('span', null, text)));
}

function errorList({ observed }) {
	if (!observed || observed.errors.length === 0) return null;
	return h('ul', { class: 'findings' }, observed.errors.map(({ message }) =>
		h('li', null, disc('bad'), h('p', null, sentence(message)))));
}

const SEVERITY = { urgent: 'bad', action: 'warn', note: 'off', good: 'good' };

function adviceList({ advice: { items } }) {
	return items.length > 0 && h('ul', { class: 'advice' }, items.map(({ severity, message, record }) =>
		h('li', null, h('p', { class: 'said' }, disc(SEVERITY[severity] ?? 'off'), h('span', null, sentence(message))),
			record && recordCard(record))));
}

function observedCard(config, check) {
	const { observed, policyUrl } = config;
	const { kind, text } = mtaStsGlance(config);
	return [
		h('div', { class: 'card-head' }, h('h2', null, 'State'), badge(kind, text), check),
		facts(
			['Last check', observed === null ? 'not yet; the first follows within a minute' : since(observed.checkedAt)],
			['Policy in force', observed?.policyMode && foreign(observed.policyMode)],
			['Policy file', h('code', null, foreign(policyUrl))],
			['Changed', at(config.updatedAt)],
		),
		errorList(config),
		adviceList(config),
	];
}

function policyDetails({ policyContent }) {
	return h('details', { class: 'policy' }, h('summary', null, 'The policy file'),
		h('pre', { tabindex: 0, 'aria-label': 'Policy file' }, policyContent));
}

function recordsCard(config) {
	return [
		h('h2', null, 'Records to publish'),
		!config.enabled && notice('warn', 'Switch MTA-STS on first: no certificate is issued for a domain that is ' +
			'switched off.'),
		config.expectedRecords.map((record) => recordWithSeen(record, config)),
		!config.hosted && h('p', { class: 'muted' }, 'The policy is not hosted here: let the name point at your own ' +
			'server, and serve this file at the address above.'),
		policyDetails(config),
	];
}

function checkButton(domain, refresh) {
	return busyButton({ class: 'small' }, 'Check now', async () => {
		announce('Asking DNS and fetching the policy.');
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
	const check = checkButton(domain, refresh);

	const show = (config) => {
		fill(state, observedCard(config, check));
		fill(records, recordsCard(config));
		form.show(config);
		mode.show(config);
	};
	const body = h('div', { class: 'mta-sts' }, state, form.element, records, mode.element);
	follow = live({ load: () => getMtaSts(domain.id, signal), show, body, signal });
	return follow.node;
}
