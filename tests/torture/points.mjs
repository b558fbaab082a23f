// Code shared by both kinds of torture: the options, and the choice of the failing calls.

// Reads options of the form --name VALUE into `wanted`, which has the default for each name. If `wanted` has
// a list `names`, other words are added to it.
export function optionsOf(args, wanted) {
	for (let i = 0; i < args.length; i++) {
		const name = args[i].replace(/^--/, '');
		if (name === args[i] && wanted.names) wanted.names.push(name);
		else if (name === args[i] || !(name in wanted)) throw new Error(`no such option: ${args[i]}`);
		else wanted[name] = typeof wanted[name] === 'number' ? Number(args[++i]) : args[++i];
	}
	return wanted;
}

// Chooses at most `most` of the calls, spread evenly; the same seed gives the same choice.
export function pointsOf(calls, most, seed) {
	if (calls <= most) return Array.from({ length: calls }, (_, i) => i + 1);
	const step = calls / most;
	return Array.from({ length: most }, (_, i) => 1 + Math.floor(i * step + ((seed * 7919 + i * 104729) % 1000) / 1000 * step));
}
