// The audit log: which token made which change.
import { fill, h } from './dom.js';
import { busyButton, problemBox } from './notice.js';
import { foreign } from './text.js';
import { at } from './time.js';
import { listEntries } from './token-api.js';

const ALERTS = {
	create: 'added the alert',
	update: 'changed the alert',
	delete: 'removed the alert',
	test: 'tested the alert',
	send: 'sent again to',
};
const ACTIONS = {
	createDomain: 'added the domain',
	deleteDomain: 'removed the domain',
	registerSelector: 'added the selector',
	deleteSelector: 'deleted the selector',
	checkSelector: 'checked the selector',
	checkPosture: 'checked the DNS of',
	updateMtaSts: 'changed MTA-STS of',
	checkMtaSts: 'checked MTA-STS of',
	uploadReports: 'handed in reports about',
	decideReporter: 'decided about the reporter',
	createToken: 'made the token',
	deleteToken: 'revoked the token',
};

function verb(action) {
	const [, what] = /^([a-z]+)(?:Domain|Account)Alert(?:Delivery)?$/.exec(action) ?? [];
	return ACTIONS[action] ?? ALERTS[what] ?? foreign(action);
}

function line({ at: when, tokenName, action, domain, subject }) {
	return h(
		'li',
		null,
		at(when),
		h(
			'span',
			null,
			h('strong', null, foreign(tokenName)),
			' ',
			verb(action),
			subject && [' ', foreign(subject)],
			domain && [subject ? ' of ' : ' ', foreign(domain)],
		),
	);
}

/**
 * @returns {{node: Node, refresh: () => Promise<void>}} refresh loads the log again, but only while
 * its first page is shown
 */
export function auditLog(signal) {
	const list = h('ul');
	const foot = h('div', { class: 'actions' });
	const node = h('section', null, h('h2', null, 'Changes in 180 days'), h('div', { class: 'history' }, list), foot);
	let isFirst = true;

	const show = ({ data, next }) => {
		list.append(...data.map(line));
		const more = async () => {
			try {
				const page = await listEntries(signal, next);
				isFirst = false;
				show(page);
			} catch (problem) {
				if (!signal.aborted) fill(foot, problemBox(problem, more));
			}
		};
		fill(foot, next && busyButton({}, 'Show more changes', more));
	};
	const refresh = async () => {
		if (!isFirst) return;
		try {
			const page = await listEntries(signal);
			if (!isFirst) return;
			fill(list, page.data.length === 0 && h('li', { class: 'muted' }, 'Nothing was changed over the API.'));
			show(page);
		} catch (problem) {
			if (!signal.aborted) fill(foot, problemBox(problem, refresh));
		}
	};
	return { node, refresh };
}
