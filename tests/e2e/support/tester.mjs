// A client of the tester's HTTP API.
import assert from 'node:assert/strict';

import { request } from './api.mjs';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function createSession(runner) {
	const response = await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' });
	assert.equal(response.status, 201);
	return response.json();
}

export async function getSession(runner, testId) {
	const response = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}`);
	assert.equal(response.status, 200);
	return response.json();
}

export async function untilCompleted(runner, testId, seconds = 40) {
	const end = Date.now() + seconds * 1000;
	for (;;) {
		const session = await getSession(runner, testId);
		if (session.status === 'completed') return session;
		if (Date.now() > end) throw new Error(`session ${testId} is still ${session.status}`);
		await wait(25);
	}
}
