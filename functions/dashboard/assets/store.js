// What the tab remembers: the token, until the tab is closed or somebody logs out.

const KEY = 'eds-token';
const changes = new EventTarget();
const CHANGE = 'change';
const SESSION = 'session';

let memory = null; // where the browser refuses to store anything

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
		// The token is then kept in memory alone.
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
/** Another token for the session that goes on: what the page shows stays. */
export const replaceToken = (token) => write(token);
export const onTokenChange = (listener) => changes.addEventListener(CHANGE, listener);
/** Somebody logged in or out. */
export const onSession = (listener) => changes.addEventListener(SESSION, listener);
