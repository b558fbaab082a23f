// What the tab remembers: the token, until the tab is closed or somebody logs out.

const KEY = 'eds-token';
const changes = new EventTarget();

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
	changes.dispatchEvent(new Event('change'));
}

export const getToken = read;
export const setToken = (token) => write(token);
export const forgetToken = () => write(null);
export const onTokenChange = (listener) => changes.addEventListener('change', listener);
