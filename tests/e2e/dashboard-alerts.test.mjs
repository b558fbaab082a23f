// Alerts of a domain on the page: the owner names their receivers, in a real browser, narrow and
// wide, with a real receiver.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { request } from './support/api.mjs';
import { HANDS, logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { keeping, startPostfix } from './support/postfix.mjs';
import { startReceivers } from './support/receivers.mjs';

const asRoot = process.getuid() === 0; // Postfix can only be started by root
const DELIVERED_MS = 150000; // the job that sends alert mails runs once a minute

let authority;
let postfix;
let receivers;
let world;

before(async () => {
	authority = makeAuthority();
	receivers = await startReceivers(authority);
	if (asRoot) postfix = await startPostfix(keeping('inbox.example', ['narrow@inbox.example', 'wide@inbox.example']));
	world = await startWorld({ records: ['narrow.hooks.example. A 127.0.0.1', 'wide.hooks.example. A 127.0.0.1'],
		env: { EDS_CA_FILE: authority.file, EDS_WEBHOOK_PORT: String(receivers.port),
			...(postfix ? { EDS_ALERT_RELAY: `smtp://127.0.0.1:${postfix.port}` } : {}) } });
});
after(async () => {
	await world?.stop();
	await receivers?.stop();
	await postfix?.stop();
	authority?.remove();
});

async function makeDomain(name) {
	const answer = await request(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', body: JSON.stringify({ name }),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' } });
	assert.equal(answer.status, 201, answer.text);
	return answer.json().data.id;
}

for (const [width, how, label, dark] of [[390, 'mouse', 'narrow', true], [1280, 'keyboard', 'wide', false]])
	test(`a receiver is added, tested and removed by ${how} at ${width} pixels`, async () => {
		const to = receivers.add(`${label}.hooks.example`);
		const id = await makeDomain(`${label}.example`);
		await walk(world, how, async (page, hands) => {
			const fits = async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByText('No alerts yet').waitFor();
			await fits();
			await hands.open(page.locator('.events summary'));
			const events = (await page.locator('.events label').allInnerTexts()).map((text) => text.trim());
			assert.equal(new Set(events).size, 16);
			// Each sentence is the label of a checkbox and is read alone, so none may refer to
			// the one before it.
			for (const event of events) assert.doesNotMatch(event, /^(It|They|All|No more)\b/, event);
			assert.ok(events.includes('The MTA-STS policy covers all mail servers again'));
			await fits();

			await hands.type('textbox', 'Send alerts to', `http://${to.name}/hook`);
			await hands.use('button', 'Add the alert');
			await page.getByText('It must be an https:// address').waitFor();
			await hands.type('textbox', 'Send alerts to', `https://${to.name}/hook`);
			await hands.use('button', 'Add the alert');
			const card = page.getByRole('region', { name: 'The secret of the new alert' });
			await card.waitFor();
			const secret = await card.locator('code').innerText();
			assert.match(secret, /^whsec_/);
			await fits();
			await hands.use('button', 'I have it');
			assert.equal(await page.getByText(secret).count(), 0);

			await hands.use('button', `Test ${to.name}`);
			await page.getByText('A test will be sent').first().waitFor();
			const log = page.locator('.alerts > li').locator('summary');
			await hands.open(log);
			await page.getByText('A test,').waitFor();
			const until = Date.now() + DELIVERED_MS;
			while (to.got.length === 0 && Date.now() < until) await new Promise((done) => setTimeout(done, 250));
			const [{ headers, body }] = to.got;
			assert.equal(JSON.parse(body).type, 'test');
			const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
			const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
			assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
			await page.locator('.deliveries').getByText('delivered').waitFor({ timeout: DELIVERED_MS });
			await fits();

			await hands.use('button', `Remove ${to.name}`);
			await page.getByRole('dialog').waitFor();
			await hands.use('button', 'Remove the alert');
			await page.getByText('No alerts yet').waitFor();
		}, { at: `#/domains/${id}/alerts`, width, height: 844, dark });
	});

for (const [width, how, label, dark] of [[390, 'mouse', 'narrow', false], [1280, 'keyboard', 'wide', true]])
	test(`a mail address is added, waits, and gets alerts once its link is followed, by ${how} at ${width} pixels`, { skip: !asRoot && 'Postfix needs root' }, async () => {
		const to = `${label}@inbox.example`;
		const id = await makeDomain(`mail-${label}.example`);
		const link = async (what) => {
			const until = Date.now() + DELIVERED_MS;
			while (postfix.mails(to).length === 0 && Date.now() < until) await new Promise((done) => setTimeout(done, 250));
			const text = postfix.mails(to)[0].replace(/=\n/g, '').replaceAll('=3D', '=');
			return `${world.runner.baseUrl}${text.match(new RegExp(`/alerts/[a-z2-7]+/${what}\\?key=[a-z2-7]+`))[0]}`;
		};
		await walk(world, how, async (page, hands) => {
			const fits = async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
			// Opens the link in a tab of its own, as a mail program does.
			const follow = async (what, button, said) => {
				const tab = await page.context().newPage();
				await tab.setViewportSize({ width, height: 844 });
				await tab.goto(await link(what));
				await HANDS[how](tab).use('button', button);
				await tab.getByText(said).waitFor();
				assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth) <= width);
				await tab.close();
			};
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByText('No alerts yet').waitFor();
			await hands.type('textbox', 'Send alerts to', 'ops @inbox.example');
			await hands.use('button', 'Add the alert');
			await page.getByText('It must be a mail address like ops@example.com').waitFor();
			await hands.type('textbox', 'Send alerts to', to);
			await hands.use('button', 'Add the alert');
			await page.getByText('A mail with a link is on its way').first().waitFor();
			await page.getByText('waits for confirmation').waitFor();
			assert.equal(await page.getByRole('button', { name: `Test ${to}` }).count(), 0);
			await page.getByRole('button', { name: `Ask again ${to}` }).waitFor();
			await fits();

			await follow('confirm', 'Send alerts to my address', 'Your address is confirmed');
			await page.locator('.alerts > li').getByText('on', { exact: true }).waitFor({ timeout: DELIVERED_MS });
			await page.getByRole('button', { name: `Test ${to}` }).waitFor();
			await fits();

			await follow('off', 'Stop these alerts', 'These alerts have stopped');
			await page.locator('.alerts > li').getByText('switched off', { exact: true }).waitFor({ timeout: DELIVERED_MS });
			await fits();
			await hands.use('button', `Remove ${to}`);
			await page.getByRole('dialog').waitFor();
			await hands.use('button', 'Remove the alert');
			await page.getByText('No alerts yet').waitFor();
		}, { at: `#/domains/${id}/alerts`, width, height: 844, dark });
	});
