// The dashboard for an account with many domains: they can be found by name and by state.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { request } from './support/api.mjs';
import { logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { sql } from './support/store.mjs';

const MANY = 70; // more domains than one page of the list has
const WRONG = 54;
const FAR_MS = 4_000_000_000_000;

let world;

async function add(name, state) {
	const answer = await request(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', body: JSON.stringify({ name }),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' } });
	assert.equal(answer.status, 201, answer.text);
	sql(world.runner, `UPDATE posture SET state = '${state}', checked_at_ms = 1760000000000, changed_at_ms = 1760000000000,` +
		` due_at_ms = ${FAR_MS} WHERE domain_id = '${answer.json().data.id}'`);
}

const nameOf = (i) => `${i % 10 === 0 ? 'shop' : 'mail'}-${String(i).padStart(2, '0')}.example`;

before(async () => { world = await startWorld(); });
after(() => world?.stop());

const rows = (page) => page.locator('.domain-list > li');
const search = (page) => page.getByRole('searchbox', { name: 'Search domains' });

test('a few domains are shown without a search field', async () => {
	for (let i = 0; i < 3; i++) await add(nameOf(i), 'error');
	await walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await rows(page).nth(2).waitFor();
		assert.equal(await search(page).isVisible(), false);
	}, { at: '#/domains' });
});

for (const how of ['mouse', 'keyboard'])
	test(`many domains can be searched by a part of the name and by state, with the ${how}`, async () => {
		if (how === 'mouse') {
			for (let i = 3; i < MANY; i++) await add(nameOf(i), i < WRONG ? 'error' : 'warning');
			await add('bücher.example', 'ok');
		}
		await walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await search(page).waitFor();
			assert.equal(await rows(page).count(), 50);
			assert.deepEqual(await page.getByLabel('DNS', { exact: true }).locator('option').allInnerTexts(), ['any', 'error', 'warning', 'ok', 'unknown']);
			await hands.type('searchbox', 'Search domains', ' SHOP');
			await page.getByText('7 domains found.').waitFor();
			assert.deepEqual(await rows(page).locator('strong').allInnerTexts(), [0, 10, 20, 30, 40, 50, 60].map(nameOf));
			await page.getByLabel('DNS', { exact: true }).selectOption('warning');
			await page.getByText('1 domain found.').waitFor();
			assert.deepEqual(await rows(page).locator('strong').allInnerTexts(), ['shop-60.example']);
			await hands.type('searchbox', 'Search domains', 'nowhere');
			await page.getByText('No domain matches.').waitFor();
			assert.equal(await rows(page).count(), 0);
			await page.getByLabel('DNS', { exact: true }).selectOption('any');
			await hands.type('searchbox', 'Search domains', 'büch');
			await page.getByText('1 domain found.').waitFor();
			assert.deepEqual(await rows(page).locator('strong').allInnerTexts(), ['bücher.example xn--bcher-kva.example']);
		}, { at: '#/domains' });
	});

test('more results of a search are shown on request', () => walk(world, 'mouse', async (page, hands) => {
	await logIn(page, hands, tokenOf(world.runner));
	await search(page).waitFor();
	await page.getByLabel('DNS', { exact: true }).selectOption('error');
	await page.getByText('The first 50 are shown.').waitFor();
	await hands.use('button', 'Show more');
	await rows(page).nth(WRONG - 1).waitFor();
	assert.equal(await rows(page).count(), WRONG);
	assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
}, { at: '#/domains' }));

test('the search fits a telephone', () => walk(world, 'mouse', async (page, hands) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await logIn(page, hands, tokenOf(world.runner));
	await search(page).waitFor();
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
}, { at: '#/domains' }));
