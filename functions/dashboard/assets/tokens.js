// The tokens of the account: the holder and the rights of each, and a form for a new one.
import { auditLog } from './audit-log.js';
import { fill, h, keyedList } from './dom.js';
import { ask } from './dialog.js';
import { live } from './live.js';
import { busyButton, notice, toast } from './notice.js';
import { shownOnce } from './shown-once.js';
import { badge, factsAcross } from './state.js';
import { forgetToken } from './store.js';
import { count, foreign, plain } from './text.js';
import { at, on, since } from './time.js';
import { deleteToken, domainNames, listTokens } from './token-api.js';
import { tokenForm } from './token-form.js';

const NAMES_SHOWN = 3;

const ONE_OF_SOME =
	'You are logged in with a token of some domains. Log in with one of all domains to see and create tokens.';
const READER = 'You are logged in with a token that only reads. Log in with one that also changes to create or revoke tokens.';

// Loads the tokens, with the names of their domains, for which the service gives ids. Null when the
// token of this page may not list them.
function tokenReader(signal) {
	let names = new Map();
	const isKnown = (id) => names.has(id);
	return async () => {
		try {
			const tokens = await listTokens(signal);
			if (!tokens.every(({ domains }) => domains?.every(isKnown) ?? true))
				names = await domainNames(signal);
			return tokens.map((token) => ({
				...token,
				domains: token.domains?.map((id) => names.get(id) ?? id) ?? null,
				isOver: token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now(),
			}));
		} catch (problem) {
			if (problem.code === 'token-domains') return null;
			throw problem;
		}
	};
}

function domainsText(domains) {
	if (domains === null) return 'all';
	if (domains.length === 0) return 'none: they were deleted';
	const left = domains.length - NAMES_SHOWN;
	return [
		domains.slice(0, NAMES_SHOWN).map((name, i) => [i > 0 && ', ', foreign(name)]),
		left > 0 && ` and ${count(left, 'other')}`,
	];
}

function stateOf({ isOver, current }) {
	if (isOver) return badge('off', 'expired');
	return badge('good', current ? 'this page' : 'valid');
}

function row(token, { mayChange, refresh, gone }) {
	const name = plain(token.name);
	const revoke = async () => {
		const isSure = await ask({
			title: `Revoke ${name}?`,
			body: [
				'Programs that use it are refused from then on. It cannot be made valid again.',
				token.current && 'You are logged in with this token, so you will be logged out.',
			].filter(Boolean),
			action: 'Revoke the token',
			danger: true,
		});
		if (!isSure) return;
		try {
			await deleteToken(token);
			if (token.current) return forgetToken();
			toast.say('good', `${name} is revoked.`);
			gone();
			await refresh();
		} catch (problem) {
			toast.problem(problem);
		}
	};
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, foreign(token.name))),
		h('p', { class: 'log-numbers' }, token.access),
		stateOf(token),
		h(
			'div',
			{ class: 'log-more' },
			factsAcross(
				['Domains', domainsText(token.domains)],
				['Made', on(token.createdAt)],
				['Expires', token.expiresAt === null ? 'never' : at(token.expiresAt)],
				['Last used', token.lastUsedAt === null ? 'never' : since(token.lastUsedAt)],
			),
			mayChange &&
				h(
					'div',
					{ class: 'actions' },
					busyButton({ class: 'small', 'aria-label': `Revoke ${name}` }, 'Revoke', revoke),
				),
		),
	);
}

const madeCard = ({ token, name, access }) =>
	shownOnce(
		{
			title: 'Copy the token now',
			label: `The new token ${plain(name)}`,
			what: 'the token',
			secret: token,
		},
		h('strong', null, foreign(name)),
		`: access ${access}. The token is not shown again.`,
	);

function tokenList(signal) {
	const list = h('ul', { class: 'log tokens' });
	const heading = h('h2', { tabindex: -1 });
	const head = h('div');
	const shown = h('div');
	let follow;
	let mayChange = null;
	const made = async (token) => {
		const card = madeCard(token);
		fill(shown, card);
		await follow.refresh();
		card.focus();
	};
	const update = keyedList(
		list,
		({ tokenId }) => tokenId,
		(token) =>
			row(token, { mayChange, refresh: () => follow.refresh(), gone: () => heading.focus() }),
	);
	const log = auditLog(signal);
	const body = h('div', null, head, shown, h('section', null, heading, list), log.node);
	const show = (tokens) => {
		if (tokens === null) return fill(body, notice('unknown', ONE_OF_SOME));
		if (mayChange === null) {
			mayChange = tokens.find(({ current }) => current)?.access !== 'read';
			fill(head, mayChange ? tokenForm(made, signal) : notice('unknown', READER));
		}
		heading.textContent = count(tokens.length, 'token');
		update(tokens);
		return log.refresh();
	};
	follow = live({ load: tokenReader(signal), show, body, signal });
	return follow.node;
}

/** @type {import('./app.js').View} */
export function tokensView(params, signal) {
	const node = h(
		'div',
		{ class: 'view' },
		h('h1', { tabindex: -1 }, 'API tokens'),
		h(
			'p',
			{ class: 'lead' },
			'Programs and people use the service in the name of your account, each with a token that you can revoke.',
		),
		tokenList(signal),
	);
	return { title: 'API tokens', node };
}
