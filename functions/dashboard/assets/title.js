// The title of the browser window.

/** The title of the view, and the name of this instance after it. */
export function setTitle(text) {
	document.title = `${text} · ${document.querySelector('.brand').textContent}`;
}
