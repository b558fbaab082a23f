// A DNS record to publish, part by part, as the forms of DNS providers ask for it.
import { copyButton } from './copy.js';
import { h } from './dom.js';
import { foreign, plain } from './text.js';

const RECORD_MAX = 2000;

function part(name, value, copyable) {
	return h(
		'div',
		{ class: `record-${name.toLowerCase()}` },
		h('dt', null, name),
		h('dd', null, h('code', null, foreign(value, RECORD_MAX)), copyable),
	);
}

/**
 * @param {{name: string, type: string, value: string | null}} record value: null when only its owner
 *   knows it
 * @param {...Node} beside what stands below it, as what was observed
 */
export function recordCard({ name, type, value }, ...beside) {
	const of = `of the ${type} record at ${plain(name)}`;
	return h(
		'div',
		{ class: 'record' },
		h(
			'dl',
			null,
			part('Type', type),
			part('Name', name, copyButton(name, { what: `the name ${of}` })),
			value === null
				? h(
						'div',
						{ class: 'record-value' },
						h('dt', null, 'Value'),
						h('dd', { class: 'muted' }, 'as your server or provider names it'),
					)
				: part('Value', value, copyButton(value, { what: `the value ${of}` })),
		),
		beside,
	);
}
