// Computes possible contents of a disk after a power failure from a record of what a program did to
// its files (tests/support/fault-shim.c). It assumes only what POSIX promises: written bytes are on
// the disk after their file was synced, names after their folder was synced. Any combination of other
// changes may be on the disk or not, and bytes that were not synced may be there in part.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

// A generator of pseudorandom numbers in [0, 1); the same seed gives the same numbers (mulberry32).
export function random(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

// Reads the recorded operations, each with `end`: the length of the log up to its end.
export function readLog(path) {
	const bytes = readFileSync(path);
	const operations = [];
	for (let at = 0; at < bytes.length;) {
		const newline = bytes.indexOf(10, at);
		const operation = JSON.parse(bytes.subarray(at, newline).toString());
		at = newline + 1;
		if (operation.op === 'write') {
			operation.bytes = bytes.subarray(at, at + operation.length);
			at += operation.length;
		}
		operations.push({ ...operation, end: at });
	}
	return operations;
}

class File {
	safe = Buffer.alloc(0);
	changes = []; // changes that are not synced: { offset, bytes } for a write, { length } for a truncation
}

function applyChange(content, { offset, bytes, length }) {
	if (bytes === undefined) {
		const cut = Buffer.alloc(length);
		content.copy(cut);
		return cut;
	}
	const grown = Buffer.alloc(Math.max(content.length, offset + bytes.length));
	content.copy(grown);
	bytes.copy(grown, offset);
	return grown;
}

export class Disk {
	#root;
	#files = new Map(); // inode number -> the File that has the number now
	#folders = new Map(); // path -> { safe: Map of name -> File or 'folder', changes: [Map of name -> …] }
	#syncing = new Map();

	constructor(root) {
		this.#root = root;
		this.#folders.set(root, { safe: new Map(), changes: [] });
	}

	#folder(path) {
		if (!this.#folders.has(path)) this.#folders.set(path, { safe: new Map(), changes: [] });
		return this.#folders.get(path);
	}

	#now(path) {
		const folder = this.#folder(dirname(path));
		const name = path.slice(path.lastIndexOf('/') + 1);
		return folder.changes.findLast((change) => change.has(name))?.get(name) ?? folder.safe.get(name);
	}

	// Records an atomic change of names in one folder: [[path, a File, 'folder', or null for a removed name], …].
	#name(entries) {
		const folder = this.#folder(dirname(entries[0][0]));
		folder.changes.push(new Map(entries.map(([path, what]) => [path.slice(path.lastIndexOf('/') + 1), what])));
	}

	apply(operation) {
		const { op, path, file } = operation;
		if (op === 'create') {
			const made = new File();
			this.#files.set(file, made);
			this.#name([[path, made]]);
		} else if (op === 'mkdir') {
			this.#name([[path, 'folder']]);
		} else if (op === 'unlink') {
			this.#name([[path, null]]);
		} else if (op === 'rename') {
			this.#name([[operation.from, null], [operation.to, this.#now(operation.from)]]);
		} else if (op === 'write') {
			this.#files.get(file)?.changes.push({ offset: operation.offset, bytes: operation.bytes });
		} else if (op === 'cut') {
			this.#files.get(file)?.changes.push({ length: operation.length });
		} else if (op === 'sync') {
			this.#syncing.set(this.#syncKey(operation), this.#unsynced(operation));
		} else if (op === 'synced') {
			for (const [what, changes] of this.#syncing.get(this.#syncKey(operation)) ?? []) this.#settle(what, changes);
		}
	}

	#syncKey = ({ all, file }) => (all ? 'all' : file);

	#unsynced({ all, folder, path, file }) {
		if (all) return [...this.#files.values(), ...this.#folders.values()].map((what) => [what, new Set(what.changes)]);
		const what = folder ? this.#folder(path) : this.#files.get(file);
		return what ? [[what, new Set(what.changes)]] : [];
	}

	#settle(what, changes) {
		for (const change of what.changes.filter((each) => changes.has(each))) {
			if (what instanceof File) what.safe = applyChange(what.safe, change);
			else for (const [name, entry] of change) what.safe.set(name, entry);
		}
		what.changes = what.changes.filter((each) => !changes.has(each));
	}

	// Writes one of the possible states after a power failure at this moment into the folder target.
	write(target, next) {
		this.#writeFolder(this.#root, target, next);
	}

	#writeFolder(path, target, next) {
		const { safe, changes } = this.#folder(path);
		const names = new Map(safe);
		const share = next();
		for (const change of changes)
			if (next() < share) for (const [name, entry] of change) names.set(name, entry);
		mkdirSync(join(target, relative(this.#root, path)), { recursive: true, mode: 0o700 });
		for (const [name, entry] of names) {
			const place = join(path, name);
			if (entry === 'folder') this.#writeFolder(place, target, next);
			else if (entry) writeFileSync(join(target, relative(this.#root, place)), this.#content(entry, next), { mode: 0o600 });
		}
	}

	// A possible content of the file: each unsynced change is on the disk whole, not at all, or up to some octet.
	#content(file, next) {
		const share = next();
		let content = file.safe;
		for (const change of file.changes) {
			if (next() >= share) continue;
			const torn = change.bytes && next() < 0.3;
			content = applyChange(content, torn
				? { offset: change.offset, bytes: change.bytes.subarray(0, Math.floor(next() * change.bytes.length)) }
				: change);
		}
		return content;
	}
}
