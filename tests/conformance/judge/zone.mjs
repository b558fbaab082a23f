// A resolver for mailauth that answers from a zone [[name, type, data], ...].
const failure = (code) => Object.assign(new Error(code), { code });

function values(records, type) {
	return records.filter((record) => record[1] === type).map((record) => record[2]);
}

export function resolverOf(zone) {
	return async (name, type) => {
		let records = [];
		let owner = name.toLowerCase().replace(/\.$/, '');
		for (let hops = 0; hops < 10; hops++) {
			records = zone.filter((record) => record[0].toLowerCase() === owner);
			const [target] = values(records, 'CNAME');
			if (!target || type === 'CNAME') break;
			owner = target.toLowerCase();
		}
		const found = values(records, type);
		if (found.length === 0) {
			if (values(records, 'FAIL').length > 0) throw failure('ESERVFAIL');
			throw failure(records.length > 0 ? 'ENODATA' : 'ENOTFOUND');
		}
		if (type === 'TXT') return found.map((text) => [text]);
		if (type === 'MX') return found.map((text) => ({ priority: parseInt(text, 10), exchange: text.split(' ')[1] }));
		return found;
	};
}
