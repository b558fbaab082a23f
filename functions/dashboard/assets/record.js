// A DNS record to publish, in the parts that the forms of DNS providers ask for.
import { copyButton } from './copy.js';
import { h } from './dom.js';
import { foreign, plain } from './text.js';

const RECORD_MAX = 2000;

/**
 * @typedef {{name: string, type: string, value: string | null, change?: 'add' | 'change' | 'ok', old?: string | null}} Change
 *   a record to publish; change says whether it replaces a published one
 */

function part(name, value, copyable) {
	return h(
		'div',
		{ class: `record-${name.toLowerCase()}` },
		h('dt', null, name),
		h('dd', null, value, copyable),
	);
}

const text = (value) => h('code', null, foreign(value, RECORD_MAX));

// The number of leading characters that two texts share.
function common(one, other) {
	let length = 0;
	while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
	return length;
}

const reversed = (value) => [...value].reverse().join('');

/** The new value, with its new part marked. */
function marked(old, value) {
	const before = common(old, value);
	const after = common(reversed(old.slice(before)), reversed(value.slice(before)));
	const end = value.length - after;
	return h(
		'code',
		null,
		foreign(value.slice(0, before), RECORD_MAX),
		h('mark', null, foreign(value.slice(before, end), RECORD_MAX)),
		foreign(value.slice(end), RECORD_MAX),
	);
}

const DO = {
	add: 'Add this record',
	change: 'Publish this value instead of the present one; additions are marked',
};

/**
 * @param {Change} record value: null when only its owner knows it
 * @param {...Node} beside nodes shown below the record, such as the observed value
 */
export function recordCard({ name, type, value, change, old }, ...beside) {
	const of = `of the ${type} record at ${plain(name)}`;
	return h(
		'div',
		{ class: 'record' },
		h(
			'dl',
			null,
			DO[change] && part('Do', DO[change]),
			part('Type', text(type)),
			part('Name', text(name), copyButton(name, { what: `the name ${of}` })),
			old && part('Now', h('span', null, old.split('\n').map((line) => h('div', null, text(line))))),
			value === null
				? h(
						'div',
						{ class: 'record-value' },
						h('dt', null, 'Value'),
						h('dd', { class: 'muted' }, 'as your server or provider names it'),
					)
				: part(
						'Value',
						old && !old.includes('\n') ? marked(old, value) : text(value),
						copyButton(value, { what: `the value ${of}` }),
					),
		),
		beside,
	);
}
