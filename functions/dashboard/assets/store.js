// The token, stored for this tab until it is closed or the user logs out.

const KEY = 'eds-token';
const changes = new EventTarget();
const CHANGE = 'change';
const SESSION = 'session';

let memory = null; // the token, if the browser refuses to store anything

function read() {
	try {
		return sessionStorage.getItem(KEY);
	} catch {
		return memory;
	}
}

function write(token) {
	memory = token;
	try {
		if (token === null) sessionStorage.removeItem(KEY);
		else sessionStorage.setItem(KEY, token);
	} catch {
		// The token is then kept in memory only.
	}
	changes.dispatchEvent(new Event(CHANGE));
}

function begin(token) {
	write(token);
	changes.dispatchEvent(new Event(SESSION));
}

export const getToken = read;
export const setToken = (token) => begin(token);
export const forgetToken = () => begin(null);
/** Replaces the token of the running session: the page stays as it is. */
export const replaceToken = (token) => write(token);
export const onTokenChange = (listener) => changes.addEventListener(CHANGE, listener);
/** The user logged in or out. */
export const onSession = (listener) => changes.addEventListener(SESSION, listener);
