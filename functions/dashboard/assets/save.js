// Files that the page makes.
import { h } from './dom.js';

const KEPT_MS = 1000; // the browser has begun to read it by then

/** Has the browser save a file of these parts. */
export function save(name, type, parts) {
	const url = URL.createObjectURL(new Blob(parts, { type }));
	h('a', { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
