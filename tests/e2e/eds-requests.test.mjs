// What each command of eds asks of the service: its words and options reach the request.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { COMMANDS, startService } from './support/eds-commands.mjs';

describe('the command eds', () => {
	let service;

	before(async () => (service = await startService()));
	after(() => service?.stop());

	for (const [line, expected] of COMMANDS)
		test(`eds ${line} asks ${expected}`, async () => {
			const { asked } = await service.run(line.split(' '));
			assert.deepEqual((Array.isArray(expected) ? asked : asked.slice(-1)).map(({ request }) => request), [expected].flat());
			for (const { token } of asked) assert.equal(token, /^(check|test)\b/.test(line) ? undefined : 'Bearer eds_secret');
			for (const { bodyOctets } of asked.filter(({ request }) => request.startsWith('GET '))) assert.equal(bodyOctets, undefined);
		});
});
