// The cost of an event of the tester's small functions: cold answer, CPU in a kept process, memory.
import { Place, heading, http, mb, row, us } from './measure.mjs';

export async function functions() {
	heading('Functions (cold: exec to answer, median; CPU: of one event in a stream)');
	const place = new Place();
	try {
		const session = place.createSession();
		const get = http('GET', `/s/${session.testId}`, { testId: session.testId });
		for (const [name, event, cold, stream] of [
			['tester-session-get', get, 200, 20000],
			['tester-session-create', http('POST', '/s'), 100, 2000],
			['mail-accept', { recipient: session.email }, 100, 20000],
		]) {
			const got = await place.measure(name, event, { cold, stream });
			row(`${name}, first answer`, us(got.coldUs), '1500 us', `then warm ${mb(got.pssKb)} PSS`);
			row(`${name}, CPU of an event`, us(got.streamCpuUs), '',
				name.endsWith('create') ? 'a durable commit each' : 'one indexed read');
		}
	} finally {
		place.remove();
	}
}
