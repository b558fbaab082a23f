// What the browser calls the page.

/** What is shown, and the name of the instance behind it. */
export function setTitle(text) {
	document.title = `${text} · ${document.querySelector('.brand').textContent}`;
}
