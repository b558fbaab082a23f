// Small pictures; the text beside each one always says the same.
import { svg } from './dom.js';

const PATHS = {
	good: 'M3.5 8.5 6.500 11.500 12.500 4.500',
	bad: 'M4 4l8 8M12 4l-8 8',
	warn: 'M8 3.500v5.500M8 12.300v.2',
	unknown: 'M5.800 6a2.200 2.200 0 1 1 3.400 1.900c-.8.5-1.200.9-1.200 1.800M8 12.300v.2',
	off: 'M4 8h8',
	copy: 'M5.500 5.500v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M2.500 6.500a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1z',
	down: 'M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10',
	again: 'M13 8a5 5 0 1 1-1.600-3.700M13 2v3h-3',
	link: 'M6.500 9.500 9.500 6.500M7.500 4.500l1.200-1.200a2.800 2.800 0 0 1 4 4l-1.200 1.200M8.500 11.500l-1.200 1.200a2.800 2.800 0 0 1-4-4l1.200-1.200',
	next: 'M6 3.500 10.500 8 6 12.500',
};

export function icon(name) {
	return svg(
		'svg',
		{
			class: `icon icon-${name}`,
			viewBox: '0 0 16 16',
			width: 16,
			height: 16,
			'aria-hidden': 'true',
		},
		svg('path', { d: PATHS[name] }),
	);
}
