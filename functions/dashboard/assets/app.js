// The page: chooses the view for an address, and replaces one view by the next.
import { fill, h } from './dom.js';
import { onRefusal } from './api.js';
import { checkView } from './check.js';
import { forgetToken, getToken, onSession } from './store.js';
import { compareView } from './compare.js';
import { domainView } from './domain.js';
import { domainsView } from './domains.js';
import { askForToken, loginView } from './login.js';
import { reportView } from './report.js';
import { startView } from './tester.js';
import { setTitle } from './title.js';
import { testView } from './test.js';
import { tokensView } from './tokens.js';

/**
 * A view gets the parts of its address and a signal that is aborted when the user leaves the view.
 * It returns its title and its node at once, and fills in fetched data later.
 *
 * @typedef {(params: string[], signal: AbortSignal) => {title: string, node: Node}} View
 */

/** @type {{pattern: RegExp, section: string, view: View, login?: boolean}[]} */
const ROUTES = [
	{ pattern: /^\/$/, section: 'tester', view: startView },
	{ pattern: /^\/test\/([^/]+)$/, section: 'tester', view: testView },
	{ pattern: /^\/compare\/([^/]+)\/([^/]+)$/, section: 'tester', view: compareView },
	{ pattern: /^\/check(?:\/([^/]+))?$/, section: 'check', view: checkView },
	{ pattern: /^\/domains$/, section: 'domains', view: domainsView, login: true },
	{ pattern: /^\/tokens$/, section: 'tokens', view: tokensView, login: true },
	{
		pattern: /^\/domains\/([^/]+)\/reports\/([^/]+)$/,
		section: 'domains',
		view: reportView,
		login: true,
	},
	{
		pattern: /^\/domains\/([^/]+)(?:\/(selectors|mta-sts|reports|alerts))?$/,
		section: 'domains',
		view: domainView,
		login: true,
	},
];

const main = document.getElementById('main');
const logOut = document.getElementById('log-out');
const ofAccount = [logOut, document.querySelector('nav [data-section=tokens]')];
let leave = new AbortController();

function address() {
	return location.hash.replace(/^#/, '') || '/';
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function unknownView() {
	return {
		title: 'Not found',
		node: h(
			'div',
			{ class: 'view narrow' },
			h('h1', { tabindex: -1 }, 'Page not found'),
			h(
				'p',
				null,
				'The link may be incomplete. ',
				h('a', { href: '#/' }, 'Begin with the mail tester'),
				' or ',
				h('a', { href: '#/domains' }, 'your domains'),
				'.',
			),
		),
	};
}

function find(path) {
	for (const route of ROUTES) {
		const match = route.pattern.exec(path);
		if (match) return { ...route, params: match.slice(1).map((part) => part && decode(part)) };
	}
	return { section: '', view: unknownView, params: [] };
}

function markNavigation(section) {
	for (const link of document.querySelectorAll('nav [data-section]')) {
		if (link.dataset.section === section) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
	}
}

function show(isFirst) {
	const route = find(address());
	const view = route.login && !getToken() ? loginView : route.view;

	leave.abort();
	leave = new AbortController();
	const { title, node } = view(route.params, leave.signal);
	setTitle(title);
	markNavigation(route.section);
	fill(main, node);
	if (isFirst) return;
	scrollTo(0, 0);
	main.querySelector('h1')?.focus({ preventScroll: true });
}

function showWhoIsThere() {
	for (const element of ofAccount) element.hidden = getToken() === null;
}

window.addEventListener('hashchange', () => show(false));
onRefusal(askForToken);
onSession(() => {
	showWhoIsThere();
	show(false);
});
logOut.addEventListener('click', forgetToken);
document.getElementById('skip').addEventListener('click', (event) => {
	event.preventDefault();
	main.focus();
});
showWhoIsThere();
show(true);
