// Runs the real binaries of functions over events and compares their answers.
//
//   node tests/functions/run.mjs [NAME[/NN-case]]…       (BUILD names the build folder)
//
// tests/functions/NAME/NN-case.event.json    the event, or .event.txt for bytes that are no JSON
//                     NN-case.expect.json    the expected answer (match.mjs), and also
//     "$exit"   exit status of the single run (0)
//     "$again"  the second answer of the kept process, where it differs from the first
//     "$sql"    {"SELECT …": "1"}, results of queries afterwards
//     "$files"  {"var/mail/m1": false}, whether files exist afterwards
//     "$log"    the warnings and errors that it logs, each once; without it there may be none
//     "$open"   true when the case has stored less than a whole result, so that its answer need not keep to
//               the description of the interface
//                     NN-case.setup.json     optional:
//     {"env": {…}, "values": {"big": {"repeat": "x", "times": 9000000}}, "before": [
//        ["admin", {"action": "migrate"}],                        an event before it
//        ["tester-session-create", {…}, {"id": "body.testId"}],   … ${id} is then that value
//        {"sql": "UPDATE …"}, {"file": "var/mail/m1", "text": "…"}],
//      "dns": ["example.com MX 60 10 mx.example.com", …],         a scripted name server (tests/support/dnsd-zone.h)
//      "store": "sqlite"}                                        for a case about its file
//
// ${now} is the time in milliseconds, ${nowTime} the same as 2026-01-31T23:59:59.000Z. A case without DNS uses the server 255.255.255.255:53, to which the kernel
// refuses to send at once; a port that refuses would be asked again after 1.5 s.
//
// An event {"$http": "GET /path", "params", "query", "headers", "body", "ip"} stands for an API
// Gateway request, {"$schedule": "2026-01-31T23:59:59Z"} for a Scheduled Event. The answer to a request
// also keeps to infra/openapi.yaml.
//
// Each case runs alone and twice in one kept process, each time from an empty folder and an empty
// database: SQLite, or PostgreSQL where EDS_TEST_DATABASE_URL names a server (support/postgres.mjs).
// On PostgreSQL a case runs only in the kept process, because a single run does not differ between the stores. The
// same holds in the sanitizer build, except for the first case of each function. Malformed requests, which never
// reach a store, are left out on PostgreSQL.
import { Failure, listCases, Place, readCase, runKept, runSingle } from './cases.mjs';

function runMode(test, run) {
	let place;
	try {
		place = new Place(test.setup);
		run(test, place);
		place.check(test.expect);
		return null;
	} catch (failure) {
		if (!(failure instanceof Failure))
			throw failure;
		return failure.message;
	} finally {
		place?.remove();
	}
}

let passed = 0;
let failed = 0;
const onSqlite = !process.env.EDS_TEST_DATABASE_URL;
const isSanitized = process.env.ASAN_OPTIONS !== undefined;
const isMalformed = ({ expect }) => [400, 413].includes(expect.statusCode);
const onThisStore = test => onSqlite || (test.setup.store !== 'sqlite' && !isMalformed(test));
const runsAlone = test => onSqlite && (!isSanitized || /^01-/.test(test.title.split('/')[1]));
for (const test of listCases(process.argv.slice(2)).map(readCase).filter(onThisStore)) {
	const problems = { alone: runsAlone(test) ? runMode(test, runSingle) : null, kept: runMode(test, runKept) };
	const problem = Object.entries(problems).find(([, text]) => text);
	if (problem)
		failed++;
	else
		passed++;
	console.log(problem ? `FAIL ${test.title} (${problem[0]}): ${problem[1]}` : `ok   ${test.title}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
