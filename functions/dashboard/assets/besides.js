// Parts of the result that give no points: the shape of the message, and a second opinion.
import { h } from './dom.js';
import { icon } from './icons.js';
import { notice } from './notice.js';
import { badge, disc, facts } from './state.js';
import { table } from './table.js';
import { count, foreign, plain, sentence } from './text.js';

function card(title, word, text, body) {
	return h(
		'details',
		{ class: 'card analysis' },
		h(
			'summary',
			null,
			disc('off'),
			h('strong', null, title),
			badge('off', word),
			h('span', { class: 'summary-text' }, text),
			icon('next'),
		),
		h('div', { class: 'details-body' }, body),
	);
}

/** Formats a size: 999 as "999 octets", 1200 as "1.2 kB". */
function size(bytes) {
	if (bytes < 1000) return count(bytes, 'octet');
	return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const ALTERNATIVES = {
	present: 'HTML with plain text beside it',
	missing: 'HTML without plain text beside it',
	'not-applicable': 'no HTML',
};

const partRow = ({ level, type, file, attached, bytes }) => [
	h('span', { class: `depth-${Math.min(level, 6)}` }, h('code', null, foreign(type, 100))),
	[file && foreign(file, 100), file && attached && ', ', attached && 'attached'],
	bytes === null ? '' : bytes,
];

function shapeBody({ parts, otherParts, textAlternative, attachments, links, images }) {
	return [
		facts(
			['Text', ALTERNATIVES[textAlternative]],
			['Attachments', String(attachments)],
			['Pictures', `${images.attached} in the message, ${images.remote} from the web`],
			['Links', String(links.count)],
			[
				'They lead to',
				links.domains.length > 0 && [
					links.domains.map((domain) => [h('code', null, foreign(domain)), ' ']),
					!links.whole && 'and more',
				],
			],
		),
		table(['Part', 'File'], ['Octets'], parts.map(partRow)),
		otherParts > 0 && h('p', { class: 'muted' }, `${count(otherParts, 'more part')}.`),
	];
}

function shapeCard(shape) {
	if (!shape) return null;
	if (shape.state !== 'read')
		return card('Shape of the message', size(shape.bytes), 'Its parts could not be read.', notice('off', sentence(shape.reason)));
	const all = shape.parts.length + shape.otherParts;
	const words = [ALTERNATIVES[shape.textAlternative], count(shape.links.count, 'link')];
	if (shape.attachments > 0) words.push(count(shape.attachments, 'attachment'));
	return card('Shape of the message', size(shape.bytes), `${count(all, 'part')}: ${words.join(', ')}.`, shapeBody(shape));
}

const number = (score) => score.toFixed(2).replace('-', '\u2212');

function opinionBody({ score, required, action, symbols, otherSymbols }) {
	return [
		facts(
			['Score', `${number(score)}; rspamd would reject from ${number(required)}`],
			['Action of rspamd', foreign(action)],
		),
		table(
			['Symbol', 'Meaning'],
			['Score'],
			symbols.map(({ name, score: own, description }) => [
				h('code', null, foreign(name)),
				description ? foreign(description) : '',
				h('span', { class: 'number' }, number(own)),
			]),
		),
		otherSymbols > 0 && h('p', { class: 'muted' }, `${count(otherSymbols, 'more symbol')} of less weight.`),
		h('p', { class: 'muted' }, 'rspamd is another filter with its own rules. It does not change the score above.'),
	];
}

function opinionCard(opinion) {
	if (!opinion) return null;
	if (opinion.state !== 'given')
		return card('Second opinion: rspamd', 'unknown', 'rspamd gave no result. The score does not depend on it.', notice('off', sentence(opinion.reason)));
	return card('Second opinion: rspamd', `${number(opinion.score)} of ${number(opinion.required)}`, `Its action would be: ${plain(opinion.action)}.`, opinionBody(opinion));
}

/** @param {object} results those of earlier versions of the service lack some members */
export function besides({ shape, secondOpinion }) {
	const cards = [shapeCard(shape), opinionCard(secondOpinion)].filter(Boolean);
	if (cards.length === 0) return null;
	return h('section', { class: 'besides' }, h('h2', null, 'Without effect on the score'), h('div', { class: 'analyses' }, cards));
}
