// Elements, built node by node: text never becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

function setAttribute(element, name, value) {
	if (value === null || value === undefined || value === false) return;
	if (typeof value === 'function') element.addEventListener(name.slice(2), value);
	else element.setAttribute(name, value === true ? '' : String(value));
}

function append(parent, children) {
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === false) continue;
		parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
	}
}

function build(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {}))
		setAttribute(element, name, value);
	append(element, children);
	return element;
}

/**
 * Makes an element. Attributes that are functions are listeners (`onclick`); attributes that are
 * null, undefined or false are left out. Children are nodes, texts or lists of both.
 */
export function h(tag, attributes, ...children) {
	return build(document.createElement(tag), attributes, children);
}

/** Makes an SVG element, like h(). */
export function svg(tag, attributes, ...children) {
	return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces the children of an element by these. */
export function fill(parent, ...children) {
	parent.replaceChildren();
	append(parent, children);
	return parent;
}

let ids = 0;

/** An id that no other element has, for labels and descriptions. */
export function newId(prefix = 'id') {
	ids += 1;
	return `${prefix}-${ids}`;
}

/**
 * Updates the children of a list to match items. A child whose item has not changed stays as it is,
 * so it keeps its focus and its opened parts.
 */
export function keyedList(parent, key, render) {
	let rows = new Map();
	return (items) => {
		const next = new Map();
		for (const item of items) {
			const id = key(item);
			const version = JSON.stringify(item);
			const row = rows.get(id);
			next.set(
				id,
				row?.version === version ? row : { version, node: render(item, row?.node) },
			);
		}
		for (const [id, row] of rows) if (next.get(id)?.node !== row.node) row.node.remove();
		rows = next;
		let at = parent.firstChild;
		for (const { node } of rows.values()) {
			if (node === at) at = at.nextSibling;
			else parent.insertBefore(node, at);
		}
	};
}
