// A section for each analysis: its state, what was seen, and what to publish.
import { h } from './dom.js';
import { blocklists, headers, mx, reverseDns, transport } from './findings-server.js';
import { dkim, dmarc, spf } from './findings-sender.js';
import { icon } from './icons.js';
import { recordCard } from './record.js';
import { badge, disc } from './state.js';
import { count, foreign, sentence } from './text.js';

/**
 * What one analysis found.
 *
 * @typedef {object} Finding
 * @property {import('./state.js').Kind} kind
 * @property {string} word       the state in a word or two
 * @property {string} text       the state in a sentence
 * @property {Node[]} evidence
 */

/** @type {{title: string, find: (session: object) => Finding, advice: RegExp}[]} */
const ANALYSES = [
	{ title: 'SPF', find: spf, advice: /^spf-/ },
	{ title: 'DKIM', find: dkim, advice: /^(dkim|key|signature|body)-|^from-(?!domain)/ },
	{ title: 'DMARC', find: dmarc, advice: /^(dmarc-|from-domain-|receivers-reject$)/ },
	{ title: 'Reverse DNS', find: reverseDns, advice: /^(ptr|client)-/ },
	{ title: 'MX records', find: mx, advice: /^mx-/ },
	{ title: 'Blocklists', find: blocklists, advice: /^blocklist-/ },
	{ title: 'Headers', find: headers, advice: /^(message|date|header|list|recipient)-/ },
	{ title: 'Encryption', find: transport, advice: /^tls-/ },
];

/** The titles of the analyses that gave no result; the verdict does not include them. */
export const unjudged = (session) =>
	ANALYSES.filter(({ find }) => find(session).kind === 'unknown').map(({ title }) => title);

const KINDS = { urgent: 'bad', action: 'warn', note: 'off', good: 'good' };

// The state of a term of an SPF record: it decided, is over a limit, or found nothing. Results of
// earlier versions do not say which terms were reached.
const termKind = ({ matched, over, void: isVoid }) =>
	(matched ? 'good' : over ? 'bad' : isVoid ? 'warn' : 'off');

function termWords({ lookup, void: isVoid, matched, over, reached = true }) {
	if (matched) return ' decides';
	if (over) return isVoid ? ' finds nothing and is one too many' : ' is one lookup too many';
	if (!reached) return ' not reached';
	return isVoid ? ' finds nothing' : lookup && ' asks DNS';
}

function spfTerms(terms) {
	return h(
		'p',
		{ class: 'terms' },
		terms.map((one) => [
			h('span', { class: `term ${termKind(one)}` }, h('code', null, foreign(one.term, 120)), termWords(one)),
			' ',
		]),
	);
}

function spfEvaluation({ record, matched, voidLookups, tree }) {
	return h(
		'div',
		{ class: 'evaluation' },
		record && h('pre', { tabindex: 0, 'aria-label': 'SPF record' }, foreign(record, 2000)),
		matched && h('p', null, 'Decided by ', h('code', null, foreign(matched)), '.'),
		voidLookups > 0 &&
			h('p', null, `${count(voidLookups, 'lookup')} found nothing; 2 at most are allowed.`),
		(tree.length > 1 || tree[0]?.terms?.length > 0) &&
			h(
				'ul',
				{ class: 'tree' },
				tree.map((node) =>
					h(
						'li',
						{ class: `depth-${Math.min(node.depth, 6)}` },
						node.via && `${node.via} `,
						h('code', null, foreign(node.domain)),
						node.lookups !== undefined && `: ${count(node.lookups, 'lookup')} of its own`,
						node.terms ? spfTerms(node.terms) : h('p', { class: 'muted' }, foreign(node.record, 160)),
					),
				),
			),
	);
}

function adviceItem({ severity, code, message, record, evidence }) {
	return h(
		'li',
		null,
		h('p', null, disc(KINDS[severity] ?? 'off'), sentence(message)),
		record && recordCard(record),
		evidence && code === 'spf-evaluation' && spfEvaluation(evidence),
	);
}

function analysis({ title, find, advice }, session) {
	const { kind, word, text, evidence } = find(session);
	const own = session.results.advice.filter(({ code }) => advice.test(code));
	return h(
		'details',
		{ class: 'card analysis', open: kind === 'bad' || kind === 'warn' },
		h(
			'summary',
			null,
			disc(kind),
			h('strong', null, title),
			badge(kind, word),
			h('span', { class: 'summary-text' }, text),
			icon('next'),
		),
		h(
			'div',
			{ class: 'details-body' },
			evidence,
			own.length > 0 && h('ul', { class: 'advice' }, own.map(adviceItem)),
		),
	);
}

/** @param {import('./sessions.js').Session} session */
export function analyses(session) {
	return h(
		'div',
		{ class: 'analyses' },
		ANALYSES.map((one) => analysis(one, session)),
	);
}
