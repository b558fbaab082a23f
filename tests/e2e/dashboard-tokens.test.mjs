// The tokens of an account are listed, made and revoked on the page: in a real browser, narrow and
// wide, light and dark, by mouse and by keyboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { request } from './support/api.mjs';
import { openPage } from './support/browser.mjs';
import { HANDS, logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';

const DAY_MS = 86400000;

let world;
let domains;

function call(token, method, path, body) {
	const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
	return request(`${world.runner.baseUrl}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
}

async function done(method, path, body) {
	const answer = await call(tokenOf(world.runner), method, path, body);
	assert.ok(answer.status < 300, answer.text);
	return answer.json().data;
}

const tokenNamed = async (wanted) => (await done('GET', '/tokens')).find(({ name }) => name === wanted);

before(async () => {
	world = await startWorld();
	domains = [];
	for (const name of ['one.example', 'two.example']) domains.push(await done('POST', '/domains', { name }));
});
after(() => world?.stop());

// The row of a token, as text.
const rowOf = (page, name) => page.locator('.tokens > li').filter({ hasText: name });

for (const [width, how, dark] of [[320, 'mouse', true], [390, 'keyboard', false], [1280, 'keyboard', true]])
	test(`a token is made, copied, used and revoked by ${how} at ${width} pixels`, async () => {
		const name = `backup ${width}`;
		await walk(world, how, async (page, hands) => {
			const fits = async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
			await logIn(page, hands, tokenOf(world.runner));
			await rowOf(page, 'this page').waitFor();
			await fits();

			await hands.use('button', 'Make the token');
			await page.getByText('Enter a name').first().waitFor();
			await hands.type('textbox', 'Name', name);
			await hands.use('button', 'Make the token');
			const card = page.getByRole('region', { name: `The new token ${name}` });
			await card.waitFor();
			const token = await card.locator('code').innerText();
			assert.match(token, /^eds_[0-9A-Za-z]{36}$/);
			await fits();
			await hands.use('button', 'Copy the token');
			await page.getByText('Copied').first().waitFor();
			assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
			await hands.use('button', 'I have it');
			assert.equal(await page.getByText(token).count(), 0);

			const made = await tokenNamed(name);
			assert.deepEqual([made.access, made.domains], ['read', null]);
			const days = (Date.parse(made.expiresAt) - Date.now()) / DAY_MS;
			assert.ok(days > 89.9 && days <= 90, made.expiresAt);
			await rowOf(page, name).getByText('never').waitFor();
			assert.equal((await call(token, 'GET', '/domains')).status, 200);
			await rowOf(page, name).getByText('just now').or(rowOf(page, name).getByText('minute')).waitFor();
			assert.match(await rowOf(page, name).innerText(), /\bread\b[^]*valid[^]*all/);

			await hands.use('button', `Revoke ${name}`);
			await page.getByRole('dialog').waitFor();
			await hands.use('button', 'Cancel');
			assert.equal((await call(token, 'GET', '/domains')).status, 200);
			await hands.use('button', `Revoke ${name}`);
			await page.getByRole('dialog').waitFor();
			await hands.use('button', 'Revoke the token');
			await rowOf(page, name).waitFor({ state: 'detached' });
			assert.equal((await call(token, 'GET', '/domains')).status, 401);
			await page.locator('.history').getByText(`dev revoked the token ${name}`).waitFor();
			await page.locator('.history').getByText(`dev made the token ${name}`).waitFor();
			await fits();
			assert.ok(await page.evaluate(() => document.querySelector('main').contains(document.activeElement)));
		}, { at: '#/tokens', width, height: 844, dark });
	});

test('a token that may change some domains and never expires is made with a warning', () => walk(world, 'mouse', async (page, hands) => {
	await logIn(page, hands, tokenOf(world.runner));
	await hands.type('textbox', 'Name', 'deploy');
	await page.getByRole('radio', { name: 'full: look and change' }).check();
	await page.getByRole('radio', { name: 'Some of them' }).check();
	await page.getByRole('checkbox', { name: 'two.example' }).waitFor();
	await hands.use('button', 'Make the token');
	await page.getByText('Choose one domain at least').first().waitFor();
	await page.getByRole('checkbox', { name: 'two.example' }).check();
	await page.getByRole('combobox', { name: 'Expires' }).selectOption('never');
	await hands.use('button', 'Make the token');
	await page.getByRole('region', { name: 'The new token deploy' }).waitFor();
	await rowOf(page, 'deploy').getByText('two.example').waitFor();
	assert.match(await rowOf(page, 'deploy').innerText(), /\bfull\b[^]*two\.example[^]*never/);
	const { access, domains: ids, expiresAt } = await tokenNamed('deploy');
	assert.deepEqual([access, ids, expiresAt], ['full', [domains[1].id], null]);
	assert.equal(await page.getByRole('radio', { name: 'read: only look' }).isChecked(), true);
	assert.equal(await page.getByRole('radio', { name: 'All, and those added later' }).isChecked(), true);
}, { at: '#/tokens' }));

// The text of a page for a user whose token has fewer rights.
async function asOne(wanted, story) {
	const { token } = await done('POST', '/tokens', wanted);
	await walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, token);
		await story(page, hands);
	}, { at: '#/tokens' });
}

test('a read-only token shows the list of tokens, and the page says which token may change it', () => asOne({ name: 'reader' }, async (page) => {
	await page.getByText('You are logged in with a token that only reads.').waitFor();
	await rowOf(page, 'reader').getByText('this page').waitFor();
	assert.equal(await page.getByRole('button', { name: /Revoke|Make/ }).count(), 0);
}));

test('with a token of one domain the page says that it may not show the tokens', () =>
	asOne({ name: 'narrow', access: 'full', domains: [domains[0].id] }, async (page) => {
		await page.getByText('You are logged in with a token of some domains.').waitFor();
		assert.equal(await page.locator('.tokens > li').count(), 0);
	}));

test('a token that ends soon makes none that lasts longer, and the page says so beside the choice', () =>
	asOne({ name: 'a day', access: 'full', expiresAt: new Date(Date.now() + DAY_MS).toISOString() }, async (page, hands) => {
		await hands.type('textbox', 'Name', 'too long');
		await hands.use('button', 'Make the token');
		await page.getByText(/This token expires at .* and cannot make one that is valid for longer/).waitFor();
		assert.equal(await tokenNamed('too long'), undefined);
	}));

test('revoking the page\'s own token logs out', () => asOne({ name: 'mine', access: 'full' }, async (page, hands) => {
	await hands.use('button', 'Revoke mine');
	await page.getByText('you will be logged out').waitFor();
	await hands.use('button', 'Revoke the token');
	await page.getByRole('heading', { name: 'Your domains' }).waitFor();
	assert.equal(await page.getByRole('link', { name: 'Tokens' }).count(), 0);
	assert.equal(await tokenNamed('mine'), undefined);
}));

test('the log shows which token changed what, newest first, page after page', () => walk(world, 'keyboard', async (page, hands) => {
	const { id } = domains[0];
	for (let i = 0; i < 34; i++) await done('PATCH', `/domains/${id}/mta-sts`, { maxAge: 100000 + i });
	await done('POST', `/domains/${id}/alerts`, { url: 'https://hooks.example/eds' });
	await done('POST', '/alerts', { url: 'https://all-hooks.example/secret' });
	await logIn(page, hands, tokenOf(world.runner));
	const lines = page.locator('.history li');
	await lines.first().waitFor();
	assert.match(await lines.nth(0).innerText(), /dev added the alert all-hooks\.example$/);
	assert.match(await lines.nth(1).innerText(), /dev added the alert hooks\.example of one\.example$/);
	assert.match(await lines.nth(2).innerText(), /dev changed MTA-STS of one\.example$/);
	assert.equal(await lines.count(), 30);
	await hands.use('button', 'Show more changes');
	await page.locator('.history').getByText('dev added the domain two.example').waitFor();
	assert.equal(await lines.count(), (await done('GET', '/audit-log')).length);
}, { at: '#/tokens', width: 390, height: 844 }));

test('a token that was made elsewhere appears, with those that are over', async () => {
	const { page, context, faults } = await openPage(world.browser, world.runner);
	await page.goto(`${world.runner.baseUrl}/#/tokens`);
	await logIn(page, HANDS.mouse(page), tokenOf(world.runner));
	await rowOf(page, 'this page').waitFor();
	await done('POST', '/tokens', { name: 'elsewhere', expiresAt: new Date(Date.now() + 3000).toISOString() });
	await rowOf(page, 'elsewhere').getByText('expired').waitFor();
	assert.deepEqual(faults, []);
	await context.close();
});
