// Times: in the reader's zone, with UTC on hover.
import { h } from './dom.js';
import { count } from './text.js';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dayOfReports = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const UNITS = [
	['day', 86400],
	['hour', 3600],
	['minute', 60],
];
const TICK_MS = 10000;

const utc = (iso) => `${iso.replace('T', ' ').replace('Z', '')} UTC`;

function ago(iso) {
	const seconds = (Date.parse(iso) - Date.now()) / 1000;
	const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
	if (unit === 'second') return 'just now';
	return relative.format(Math.trunc(seconds / size), unit);
}

function timeElement(iso, text, attributes) {
	return h('time', { datetime: iso, title: utc(iso), ...attributes }, text);
}

/** Date and time. */
export const at = (iso) => timeElement(iso, moment.format(new Date(iso)));

/** The date alone. */
export const on = (iso) => timeElement(iso, day.format(new Date(iso)));

/**
 * The days that reports cover, which begin and end in UTC: "23 Nov 2026", or the first "to" the last.
 * Some receivers give midnight as the end, which is the end of the day before.
 */
export function days(begin, end) {
	const text = (ms) => dayOfReports.format(new Date(ms));
	const [first, last] = [text(Date.parse(begin)), text(Math.max(Date.parse(begin), Date.parse(end) - 1))];
	const title = `${utc(begin)} to ${utc(end)}`;
	if (first === last) return timeElement(begin, first, { title });
	return [timeElement(begin, first, { title }), ' to ', timeElement(end, last, { title })];
}

/** "5 minutes ago", kept up to date, with the time itself on hover. */
export function since(iso) {
	const title = `${moment.format(new Date(iso))} (${utc(iso)})`;
	return timeElement(iso, ago(iso), { title, 'data-since': '' });
}

/** "47 h 59 min", "9 min 5 s" */
export function duration(ms) {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const minutes = Math.floor(seconds / 60);
	if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
	return minutes >= 10 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** "1 week", for a number of seconds that the user entered. */
export function span(seconds) {
	for (const [unit, size] of [['week', 604800], ...UNITS])
		if (seconds >= size && seconds % size === 0) return count(seconds / size, unit);
	const days = Math.round(seconds / 86400);
	return days >= 1 ? `about ${count(days, 'day')}` : count(seconds, 'second');
}

/**
 * An element that counts down to a time, and calls over() once when it is reached.
 */
export function countdown(iso, signal, over) {
	const text = () => duration(Date.parse(iso) - Date.now());
	const element = timeElement(iso, text(), { class: 'countdown' });
	const timer = setInterval(() => {
		element.textContent = text();
		if (Date.parse(iso) > Date.now()) return;
		clearInterval(timer);
		over();
	}, 1000);
	signal.addEventListener('abort', () => clearInterval(timer));
	return element;
}

setInterval(() => {
	for (const element of document.querySelectorAll('time[data-since]')) {
		const text = ago(element.dateTime);
		if (element.textContent !== text) element.textContent = text;
	}
}, TICK_MS);
