// The peer of the GET measurement: node's own HTTP server and better-sqlite3, each request makes
// one indexed read, whose text is the answer.
//
//   node peer.mjs DATABASE SQL       prints its port, ends when standard input does
import http from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../build/peers/package.json', import.meta.url));
const [file, sql] = process.argv.slice(2);
const read = new (require('better-sqlite3'))(file, { readonly: true }).prepare(sql);

const server = http.createServer((request, response) => {
	const row = read.get(request.url.slice(request.url.lastIndexOf('/') + 1));
	const text = row ? row.result ?? '{}' : '';
	response.writeHead(row ? 200 : 404, {
		'content-type': 'application/json',
		'content-length': Buffer.byteLength(text),
	});
	response.end(text);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
