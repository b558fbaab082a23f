// Saves files that the page makes.
import { h } from './dom.js';

const KEPT_MS = 1000; // after this time the browser has begun to read the file

/** Makes the browser save a file of these parts. */
export function save(name, type, parts) {
	const url = URL.createObjectURL(new Blob(parts, { type }));
	h('a', { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
