// Code shared by both kinds of torture: the options, and the choice of the failing calls.

// Reads --name value for each name in `wanted`, which has the defaults; other words are allowed if it
// has `names`.
export function optionsOf(args, wanted) {
	for (let i = 0; i < args.length; i++) {
		const name = args[i].replace(/^--/, '');
		if (name === args[i] && wanted.names) wanted.names.push(name);
		else if (name === args[i] || !(name in wanted)) throw new Error(`no such option: ${args[i]}`);
		else wanted[name] = typeof wanted[name] === 'number' ? Number(args[++i]) : args[++i];
	}
	return wanted;
}

// The same places for the same seed; all of them if there are few.
export function pointsOf(calls, most, seed) {
	if (calls <= most) return Array.from({ length: calls }, (_, i) => i + 1);
	const step = calls / most;
	return Array.from({ length: most }, (_, i) => 1 + Math.floor(i * step + ((seed * 7919 + i * 104729) % 1000) / 1000 * step));
}
