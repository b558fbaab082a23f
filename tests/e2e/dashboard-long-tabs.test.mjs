// The dashboard in a tab that stays open for long, while tokens expire and domains are deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { request } from './support/api.mjs';
import { openPage } from './support/browser.mjs';
import { HANDS, logIn, startWorld, tabTo, tokenOf } from './support/dashboard.mjs';
import { admin } from './support/store.mjs';

const LABEL = 'a'.repeat(60);
const LONGEST = `${LABEL}.${LABEL}.${LABEL}.${LABEL}.test`; // a name of nearly 253 octets, the maximum

let world;

before(async () => { world = await startWorld(); });
after(() => world?.stop());

async function call(method, path, body) {
	const answer = await request(`${world.runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	assert.ok(answer.status < 300, answer.text);
	return answer.json().data;
}

const newToken = () => admin(world.runner, { action: 'create-token', account: 'dev', name: 'tab', expiresAt: null });
const revoke = ({ id }) => admin(world.runner, { action: 'revoke-token', id });

// Opens a page of a domain with a logged-in user.
async function openDomain({ token }, id, part, options) {
	const opened = await openPage(world.browser, world.runner, options);
	await opened.page.goto(`${world.runner.baseUrl}/#/domains/${id}${part}`);
	await logIn(opened.page, HANDS.mouse(opened.page), token);
	await opened.page.locator('.live').waitFor();
	await opened.page.locator('.loading').waitFor({ state: 'detached' });
	return opened;
}

for (const how of ['mouse', 'keyboard'])
	test(`a token revoked while a form is filled in loses nothing that was entered, with the ${how}`, async () => {
		const domain = await call('POST', '/domains', { name: `${how}.example` });
		const mine = newToken();
		const { page, context, faults } = await openDomain(mine, domain.id, '/mta-sts');
		const hands = HANDS[how](page);
		await hands.type('textbox', 'Mail servers (MX)', `mx1.${how}.example`);
		const save = page.getByRole('button', { name: 'Save' }).first();
		if (how === 'keyboard') await tabTo(page, save);
		// The page also asks for changes every few seconds. These requests are held back, because with the revoked
		// token they would open the question before the button is used, and it covers the button.
		let letGo;
		const isAsked = new Promise((done) => (letGo = done));
		await page.route('**/mta-sts', async (route) => {
			if (route.request().method() === 'GET') await isAsked;
			return route.fallback();
		});
		revoke(mine);
		await (how === 'keyboard' ? page.keyboard.press('Enter') : save.click());
		const question = page.getByRole('dialog', { name: 'Log in again' });
		await question.waitFor();
		letGo();
		await page.keyboard.press('Escape');
		await hands.type('textbox', 'API token', mine.token);
		await page.keyboard.press('Enter');
		await question.getByText('unknown, expired or revoked').waitFor();
		await hands.type('textbox', 'API token', newToken().token);
		await page.keyboard.press('Enter');
		await page.getByText('There is a new policy id').first().waitFor();
		assert.equal(await question.count(), 0);
		assert.deepEqual((await call('GET', `/domains/${domain.id}/mta-sts`)).mxPatterns, [`mx1.${how}.example`]);
		assert.deepEqual(faults, []);
		await context.close();
	});

test('the question for another token can be left by logging out', async () => {
	const domain = await call('POST', '/domains', { name: 'leave.example' });
	const mine = newToken();
	const { page, context } = await openDomain(mine, domain.id, '/selectors');
	revoke(mine);
	await page.getByRole('dialog', { name: 'Log in again' }).getByRole('button', { name: 'Log out' }).click({ timeout: 30000 });
	await page.getByRole('heading', { name: 'Your domains' }).waitFor();
	assert.equal(await page.evaluate(() => sessionStorage.length), 0);
	assert.equal(await page.getByRole('dialog').count(), 0);
	await context.close();
});

test('a domain deleted elsewhere is reported as deleted, not as a lost connection', async () => {
	const domain = await call('POST', '/domains', { name: 'gone.example' });
	const { page, context } = await openDomain(newToken(), domain.id, '/selectors');
	await call('DELETE', `/domains/${domain.id}`);
	await page.getByRole('alert').getByText('There is no domain with this id').waitFor();
	assert.equal(await page.getByText('The connection is lost').count(), 0);
	await context.close();
});

test('the longest name fits a telephone on every page of its domain', async () => {
	const domain = await call('POST', '/domains', { name: LONGEST });
	await call('POST', `/domains/${domain.id}/dkim/selectors`, { selector: 'a'.repeat(63) });
	await call('PATCH', `/domains/${domain.id}/mta-sts`, { enabled: true, mxPatterns: [`*.${LONGEST}`] });
	await call('POST', `/domains/${domain.id}/mta-sts/check`);
	const { page, context } = await openDomain(newToken(), domain.id, '', { width: 390, height: 844 });
	for (const part of ['', '/selectors', '/mta-sts', '/reports']) {
		await page.evaluate((hash) => (location.hash = hash), `#/domains/${domain.id}${part}`);
		await page.locator('.live').waitFor();
		await page.locator('.loading').waitFor({ state: 'detached' });
		await page.waitForTimeout(200);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, part);
	}
	await context.close();
});
