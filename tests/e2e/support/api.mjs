// Sends requests to the service and checks every answer against infra/openapi.yaml.
import { breaches } from './openapi.mjs';
import { request as send } from './runner.mjs';

// Like request() of runner.mjs, but throws an error for an answer that openapi.yaml does not describe.
export async function request(url, options = {}) {
	const method = options.method ?? 'GET';
	const answer = await send(url, options);
	const found = breaches(method, new URL(url).pathname, answer);
	if (found.length > 0)
		throw new Error(`${method} ${url} breaks the contract:\n  ${found.join('\n  ')}\n` +
			`${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text.slice(0, 2000)}`);
	return answer;
}
