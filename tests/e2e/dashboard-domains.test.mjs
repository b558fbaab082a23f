// Domains on the page, as their owner manages them: in a real browser, with a real name server, a
// real policy host that orders certificates, and reports that come by mail.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { deliver, logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { freePort } from '../support/free-port.mjs';
import { startCaddy } from './support/caddy.mjs';
import { newKey } from './support/mail.mjs';
import { txt } from './support/nsd.mjs';
import { aggregate, gzipMail, signedByReporter, tlsReport } from './support/reports.mjs';
import { admin, sql } from './support/store.mjs';

const DAY_S = 86400;
const CHECK_MS = 75000;

const key = newKey();
const short = newKey('rsa', 1024);
const expected = ({ expectedRecords }) => expectedRecords.map(({ name, type, value }) =>
	`${name}. ${type} ${type === 'TXT' ? `"${value}"` : value}`);

let world;
let front;
let authority;
let mailServer;

// The zone of a domain. Each story is walked through twice, with a domain of its own each time.
const zone = (name) => [
	`s1._domainkey.${name}. TXT ${txt(key.record)}`, `found._domainkey.${name}. TXT ${txt(short.record)}`,
	`${name}. MX 10 mx1.${name}.`, `mx1.${name}. A 127.0.0.1`,
];
const NAMES = { mouse: 'mouse.example', keyboard: 'keyboard.example' };
const ZONE = ['policy.example.org. A 127.0.0.1', ...Object.values(NAMES).flatMap(zone)];

before(async () => {
	const [http, ops, policies] = [await freePort(), await freePort(), await freePort()];
	front = await startCaddy({ httpPort: http, opsUrl: `http://127.0.0.1:${ops}` }, { port: policies });
	authority = makeAuthority();
	const certificate = authority.issue(Object.values(NAMES).map((name) => `mx1.${name}`));
	mailServer = await startMailServer({ address: '127.0.0.1', certificate });
	writeFileSync(authority.file, readFileSync(authority.file) + readFileSync(front.caFile));
	world = await startWorld({ records: ZONE, env: {
		EDS_HTTP_LISTEN: `127.0.0.1:${http}`,
		EDS_OPS_LISTEN: `127.0.0.1:${ops}`,
		EDS_POLICY_HOST: 'policy.example.org',
		EDS_CA_FILE: authority.file,
		EDS_POLICY_FETCH_PORT: String(policies),
		EDS_STARTTLS_PORT: String(mailServer.port),
	} });
});
after(async () => {
	await front?.stop();
	await world?.stop();
	await mailServer?.stop();
	authority?.remove();
});

async function config(id) {
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/mta-sts`,
		{ headers: { authorization: `Bearer ${tokenOf(world.runner)}` } });
	return (await answer.json()).data;
}

const idOn = (page) => /#\/domains\/([0-9a-f-]{36})/.exec(page.url())[1];
const section = (page, title) => page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });

const modeBadge = (page) => section(page, 'Mode').locator('.badge').first();

// Waits until the row shows the text: a row has no visible text until the browser has laid it out
// (content-visibility).
async function shows(row, text) {
	const end = Date.now() + 10_000;
	let seen = await row.innerText();
	for (; !text.test(seen) && Date.now() < end; seen = await row.innerText())
		await sleep(50);
	assert.match(seen, text);
}

// Publishes all records that the page recommends for a domain, in addition to the zones of all domains.
const publish = async (id) => world.publish([...ZONE, ...expected(await config(id))]);

for (const how of ['mouse', 'keyboard'])
	describe(`by ${how}`, () => {
		const name = NAMES[how];
		let id;

		// Walks through a story on one part of the domain's page, after a login with the token.
		const onDomain = (part, story) => walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByRole('heading', { name, level: 1 }).waitFor();
			await story(page, hands);
		}, { at: `#/domains/${id}${part}` });

		test('after login and adding a domain the page says what to do next', () => walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await hands.type('textbox', 'Add a domain', `someone@${name}`);
			await hands.use('button', 'Add');
			await page.getByRole('heading', { name, level: 1 }).waitFor();
			id = idOn(page);
			await page.getByText('Let receivers report on your mail').waitFor();
			await page.getByText('Add a DKIM selector').waitFor();
			await page.getByText('Switch MTA-STS on').waitFor();
			await hands.use('button', 'Show the DNS records: Let senders report on TLS');
			await page.waitForFunction(() => document.activeElement.textContent === 'DNS records for receiving reports');
			await page.locator('details', { hasText: 'DNS records for receiving reports' })
				.getByRole('button', { name: `Copy the value of the TXT record at _smtp._tls.${name}` }).waitFor();
			await hands.use('link', 'Domains');
			await page.getByRole('link', { name: new RegExp(`^${name}`) }).waitFor();
			await hands.use('button', 'Log out');
			await page.getByRole('textbox', { name: 'API token' }).waitFor();
			assert.equal(await page.evaluate(() => sessionStorage.length), 0);
		}, { at: '#/domains' }));

		test('a selector is added, checked again, shown with its history and deleted', () => onDomain('/selectors', async (page, hands) => {
			await page.getByText('No selector yet').waitFor();
			await hands.type('textbox', 'Add a selector', 'two words');
			await hands.use('button', 'Add and check');
			await page.getByText('1 to 63 letters').waitFor();
			await hands.type('textbox', 'Add a selector', `s1._domainkey.${name}`);
			await hands.use('button', 'Add and check');
			await page.getByRole('heading', { name: '1 selector' }).waitFor();
			const row = page.locator('#selector-s1');
			await shows(row, /unused\s+RSA, 2048 bits/);
			await hands.type('textbox', 'Add a selector', 'S1');
			await hands.use('button', 'Add and check');
			await page.getByText('s1 is registered for this domain already').waitFor();
			await hands.type('textbox', 'Add a selector', 'nowhere');
			await hands.use('button', 'Add and check');
			await page.locator('#selector-nowhere').getByText('does not exist in DNS').waitFor();
			await hands.use('button', 'Check now s1');
			await page.getByText('s1 was checked just now: valid').first().waitFor();
			await hands.open(row.locator('summary'));
			await row.locator('.history li').first().waitFor();
			await hands.use('button', 'Delete nowhere');
			await page.getByRole('dialog').waitFor();
			await hands.use('button', 'Delete it');
			await page.locator('#selector-nowhere').waitFor({ state: 'detached' });
			await page.getByRole('heading', { name: '1 selector' }).waitFor();
		}));

		test('MTA-STS is switched on, its progress is shown until the policy is fetched, and it is enforced', () => onDomain('/mta-sts', async (page, hands) => {
			await hands.type('textbox', 'Mail servers (MX)', 'http://mx1');
			await hands.use('button', 'Save');
			await page.getByText('is not a host name like').waitFor();
			await hands.type('textbox', 'Mail servers (MX)', `mx1.${name}`);
			await hands.use('checkbox', /^MTA-STS is switched on/);
			await hands.use('button', 'Save');
			await page.getByText('There is a new policy id').first().waitFor();
			// either state is right, because the scheduled job may have checked the domain already
			await section(page, 'State').getByText(/^(not checked yet|record to publish)$/).waitFor();
			await hands.use('button', /^Switch to enforce/);
			await page.getByRole('dialog').getByText('Not ready').waitFor();
			assert.ok(await page.getByRole('button', { name: 'Enforce all the same' }).isDisabled());
			await page.keyboard.press('Escape');
			await page.getByRole('dialog').waitFor({ state: 'detached' });

			await hands.use('button', 'Check now');
			await section(page, 'Mode').getByText('The last check found errors; see State above.').waitFor();
			// the scheduled job may have found them before, and the button does nothing while a check runs
			await page.getByText('Checked just now.').first().waitFor();
			await publish(id);
			await hands.use('button', 'Check now');
			await section(page, 'Mode').getByText('ready to enforce', { exact: true }).waitFor({ timeout: CHECK_MS });
			await page.getByText('DNS has this record.').waitFor();
			await page.getByText('The policy was fetched over HTTPS.').waitFor();
			await page.getByText('each takes mail over TLS').waitFor();
			await hands.use('button', /^Switch to enforce/);
			await page.getByRole('dialog').getByText('No TLS report has arrived').waitFor();
			await hands.use('button', /^Enforce$/);
			await section(page, 'State').getByText('record to publish').waitFor();
			// the pressed button is gone, and the button in its place has the focus
			await page.waitForFunction(() => document.activeElement.textContent.startsWith('Back to testing'));
			await section(page, 'Records to publish').getByText('Replace it').waitFor();
			await section(page, 'Mode').getByText('Senders that have stored the policy deliver only over TLS').waitFor();
			assert.equal(await modeBadge(page).getAttribute('class'), 'badge warn');
			await publish(id);
			await hands.use('button', 'Check now');
			await section(page, 'State').locator('.badge').getByText('enforce', { exact: true }).waitFor({ timeout: CHECK_MS });
			await section(page, 'Mode').getByText('names every mail server in use').waitFor();
			assert.equal(await modeBadge(page).getAttribute('class'), 'badge good');
		}));

		test('an enforced policy is switched off only after a warning, and then the page no longer calls it good', () =>
			onDomain('/mta-sts', async (page, hands) => {
				const isOn = page.getByRole('checkbox', { name: /^MTA-STS is switched on/ });
				await hands.use('checkbox', /^MTA-STS is switched on/);
				await hands.use('button', 'Save');
				await page.getByRole('dialog').getByText(/follow it for up to /).waitFor();
				await hands.use('button', 'Cancel');
				await page.getByRole('dialog').waitFor({ state: 'detached' });
				assert.equal(await isOn.isChecked(), false, 'the form stays as it was filled in');
				await section(page, 'Mode').getByText('Senders deliver only over TLS').waitFor();
				await hands.use('button', 'Save');
				await hands.use('button', 'Switch it off');
				await section(page, 'Mode').getByText('no policy is served').waitFor();
				await section(page, 'Mode').getByText('checked only while MTA-STS is switched on').waitFor();
				assert.equal(await section(page, 'Mode').getByText('names every mail server in use').count(), 0);
			}));

		test('MTA-STS is ended by mode none, and the page says how long that policy must stay', () =>
			onDomain('/mta-sts', async (page, hands) => {
				await hands.use('checkbox', /^MTA-STS is switched on/);
				await hands.use('button', 'Save');
				await hands.use('button', /^End MTA-STS/);
				await page.getByRole('dialog').getByText('senders may store the previous one: 1 week').waitFor();
				await hands.use('button', 'Switch to none');
				await section(page, 'Mode').getByText('The policy says that the domain has no policy any more').waitFor();
				await page.waitForFunction(() => document.activeElement.textContent.startsWith('Back to testing'));
				await page.getByText(/Keep record and policy as they are until then/).waitFor();
				assert.equal(await page.getByRole('button', { name: /^End MTA-STS/ }).count(), 0);
				await hands.use('button', /^Back to testing/);
				await hands.use('button', /^Back to testing$/);
				await section(page, 'Mode').getByText('Failures are reported').waitFor();
			}));

		test('a report arrives, and the selector that it names appears', () => onDomain('/selectors', async (page, hands) => {
			await page.getByRole('heading', { name: '1 selector' }).waitFor();
			const end = Math.floor(Date.now() / 1000);
			const report = aggregate({ org: 'Big Receiver', id: how, domain: name, begin: end - DAY_S, end, records: [
				{ ip: '192.0.2.1', count: 970, signatures: [{ domain: name, selector: 'found' }] },
				{ ip: '198.51.100.9', count: 30, dkim: 'fail', spf: 'fail' }] });
			await deliver(world.runner, world.good, `${id}@reports.localhost`, await signedByReporter(gzipMail(report)));
			await page.locator('#selector-found').waitFor();
			await shows(page.locator('#selector-found'), /active[^]*1024 bits[^]*970 passed/);
			await page.getByRole('heading', { name: '2 selectors' }).waitFor();
			await hands.use('link', 'Reports');
			await page.getByText('97.0 %').first().waitFor();
			await page.getByRole('group', { name: /970 passed, 0 forwarded and 30 failed/ }).waitFor();
			const senders = page.locator('.senders > li');
			await senders.first().waitFor();
			assert.deepEqual(await senders.locator('.log-name').allInnerTexts(), ['192.0.2.1', '198.51.100.9']);
			await hands.use('link', 'Big Receiver');
			await page.getByRole('heading', { name: 'DMARC report' }).waitFor();
			await page.getByRole('cell', { name: '198.51.100.9' }).waitFor();
			await page.getByText('discovered').first().waitFor();
		}));

		test('a report that cannot be read is in the log, with the reason', () => onDomain('/reports', async (page) => {
			await page.getByText('Big Receiver').waitFor();
			await deliver(world.runner, world.good, `${id}@reports.localhost`, 'Subject: hello\r\n\r\nNo report.\r\n');
			await page.locator('.log').getByText('refused', { exact: true }).waitFor();
			await page.getByText('No report was found').waitFor();
		}));

		test('TLS reports are shown beside MTA-STS', () => onDomain('/mta-sts', async (page) => {
			const report = tlsReport({ id: how, domain: name, successful: 99,
				failures: [{ type: 'certificate-expired', sessions: 1, mx: `mx1.${name}` }] });
			await deliver(world.runner, world.good, `${id}@reports.localhost`, await signedByReporter(gzipMail(report)));
			await page.getByText('99.0 % of the sessions were secured').waitFor({ timeout: 40000 });
		}));

		test('the domain is deleted once that is confirmed', () => onDomain('', async (page, hands) => {
			await hands.use('button', /^Stop monitoring/);
			await hands.use('checkbox', 'I know that this cannot be undone.');
			await hands.use('button', 'Delete it');
			await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
			await page.getByText('No domain yet').or(page.locator('.domain-list')).first().waitFor();
			assert.equal(await page.getByRole('link', { name }).count(), 0);
		}));
	});

test('a plan without hosting gets an explanation, and nothing that was entered is lost', () => walk(world, 'mouse', async (page, hands) => {
	admin(world.runner, { action: 'create-account', name: 'free', plan: 'free' });
	const { token } = admin(world.runner, { action: 'create-token', account: 'free', name: 'test', expiresAt: null });
	await logIn(page, hands, token);
	await hands.type('textbox', 'Add a domain', 'free.example');
	await hands.use('button', 'Add');
	await page.getByRole('heading', { name: 'free.example', exact: true }).waitFor();
	await hands.use('link', 'MTA-STS');
	await hands.type('textbox', 'Mail servers (MX)', 'mx.free.example');
	await hands.use('checkbox', 'Host the policy file here');
	await hands.use('button', 'Save');
	await page.getByText('Your plan does not include hosting').first().waitFor();
	assert.equal(await page.getByRole('textbox', { name: 'Mail servers (MX)' }).inputValue(), 'mx.free.example');
}, { at: '#/domains' }));

test('enforce asks back while something is unchecked, and is not called working before senders can see the policy', () => walk(world, 'mouse', async (page, hands) => {
	const headers = { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' };
	await logIn(page, hands, tokenOf(world.runner));
	await hands.type('textbox', 'Add a domain', 'unseen.example');
	await hands.use('button', 'Add');
	await page.getByRole('heading', { name: 'unseen.example', exact: true }).waitFor();
	const id = idOn(page);
	await hands.use('link', 'MTA-STS');
	for (const question of ['is the policy reachable over HTTPS?', 'is the policy id in DNS the current one?', 'are record and policy valid?'])
		await section(page, 'Mode').getByText(`Not checked yet: ${question}`).waitFor();
	const changed = await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/mta-sts`, { method: 'PATCH', headers,
		body: JSON.stringify({ enabled: true, mode: 'enforce', mxPatterns: ['mx1.unseen.example'] }) });
	assert.equal(changed.status, 200);
	await hands.use('button', 'Check now');
	await section(page, 'Mode').getByText('The mode enforce is set, but no sender can see the policy yet.').waitFor();
	assert.equal(await modeBadge(page).getAttribute('class'), 'badge warn');
	assert.equal(await section(page, 'Mode').getByText('Senders deliver only over TLS').count(), 0);
}, { at: '#/domains' }));

test('the domain\'s owner decides whose reports count', () => walk(world, 'keyboard', async (page, hands) => {
	await logIn(page, hands, tokenOf(world.runner));
	await hands.type('textbox', 'Add a domain', 'decided.example');
	await hands.use('button', 'Add');
	await page.getByRole('heading', { name: 'decided.example', exact: true }).waitFor();
	const id = idOn(page);
	const end = Math.floor(Date.now() / 1000);
	await deliver(world.runner, world.good, `${id}@reports.localhost`, gzipMail(aggregate({
		id: 'decided', domain: 'decided.example', begin: end - DAY_S, end, records: [{ ip: '192.0.2.1', count: 7 }] })));
	await hands.use('link', 'Reports');
	const reporter = page.locator('.reporters > li');
	await reporter.getByText('its reports by mail do not count').waitFor();
	await page.locator('.log').getByText('not counted').waitFor();
	await hands.use('button', /^Accept /);
	await reporter.getByText('You accepted it').waitFor();
	await page.getByText('of 7 messages passed DMARC').waitFor();
	await hands.use('button', /^Take back /);
	await reporter.getByText('unverified', { exact: true }).waitFor();
	await page.getByText('No DMARC report about mail of the last 30 days has arrived yet.').waitFor();
	await hands.use('button', /^Block /);
	await reporter.getByText('You blocked it').waitFor();
	await page.getByText('Its reporter is blocked, so it does not count.').waitFor();
}, { at: '#/domains' }));

describe('a domain of many selectors', () => {
	let at;

	before(async () => {
		const headers = { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' };
		const made = await fetch(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', headers, body: '{"name":"many.example"}' });
		const { id } = (await made.json()).data;
		at = `#/domains/${id}/selectors`;
		const now = Date.now();
		const later = now + 3600000;
		const rows = Array.from({ length: 120 }, (_, i) => [`s${String(i).padStart(3, '0')}`, i % 40 === 7 ? 'revoked' : 'valid'])
			.map(([name, state]) => `('${id}', '${name}', '${name}', 'many.example', 1, ${now}, ${later}, ${now}, ${now}, ${now}, 1, 0, 0, 0, 0, 0, '${state}', 'rsa', 2048, NULL, '[]', '[]')`);
		sql(world.runner, `INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms, checked_at_ms,
			changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_type, key_bits, alias,
			errors, warnings) VALUES ${rows}`);
	});

	const shown = (page) => page.locator('.selector-list > li').count();

	for (const how of ['mouse', 'keyboard'])
		test(`shows fifty at a time and can be searched by name and state, with the ${how}`, () => walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByRole('heading', { name: '120 selectors' }).waitFor();
			assert.equal(await shown(page), 50);
			const more = page.getByRole('button', { name: /^Show \d+ more$/ });
			// the button "Show more" follows the last row
			const showMore = () => (how === 'mouse' ? more.click() : more.press('Enter'));
			await showMore();
			await page.getByRole('button', { name: 'Show 20 more' }).waitFor();
			assert.equal(await page.evaluate(() => document.activeElement.closest('li').id), 'selector-s050');
			await showMore();
			assert.equal(await shown(page), 120);
			assert.equal(await more.isVisible(), false);
			await hands.type('searchbox', 'Search selectors', ' S11');
			await page.getByText('10 of 120 match.').waitFor();
			assert.equal(await shown(page), 10);
			await hands.type('searchbox', 'Search selectors', 'revoked');
			await page.getByText('3 of 120 match.').waitFor();
			assert.deepEqual(await page.locator('.selector-list > li').evaluateAll((rows) => rows.map(({ id }) => id)), ['selector-s007', 'selector-s047', 'selector-s087']);
			await hands.type('searchbox', 'Search selectors', 'nothing');
			await page.getByText('0 of 120 match.').waitFor();
			assert.equal(await shown(page), 0);
		}, { at }));
});

describe('on a network where answers take their time', () => {
	let id;

	before(async () => {
		const headers = { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' };
		const url = `${world.runner.baseUrl}/api/v1/domains`;
		const made = await fetch(url, { method: 'POST', headers, body: '{"name":"slow.example"}' });
		id = (await made.json()).data.id;
	});

	const onSelectors = (story) => walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByRole('heading', { name: /selector/ }).first().waitFor();
		await story(page, hands);
	}, { at: `#/domains/${id}/selectors` });

	// Holds back the answer to the next request with this method. isHeld resolves when the service has
	// answered; release() passes the answer on to the page.
	const holdNext = async (page, method) => {
		let release;
		let told;
		let isOver = false;
		const isReleased = new Promise((done) => (release = done));
		const isHeld = new Promise((done) => (told = done));
		await page.route('**/dkim/selectors', async (route) => {
			if (isOver || route.request().method() !== method) return route.fallback();
			isOver = true;
			const response = await route.fetch();
			told();
			await isReleased;
			return route.fulfill({ response });
		});
		return { isHeld, release };
	};
	const askAgain = (page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));
	const add = async (hands, selector) => {
		await hands.type('textbox', 'Add a selector', selector);
		await hands.use('button', 'Add and check');
	};

	test('the next selector can be entered before the last request is answered', () => onSelectors(async (page, hands) => {
		const { isHeld, release } = await holdNext(page, 'POST');
		await add(hands, 'first');
		await isHeld;
		await askAgain(page);
		await page.getByRole('heading', { name: '1 selector' }).waitFor();
		await add(hands, 'second');
		await hands.type('textbox', 'Add a selector', 'thi');
		release();
		await page.locator('#selector-second').waitFor();
		await page.getByText('second is registered').first().waitFor();
		assert.equal(await page.getByRole('textbox', { name: 'Add a selector' }).inputValue(), 'thi');
	}));

	test('a late answer does not bring a deleted selector back', () => onSelectors(async (page, hands) => {
		await page.locator('#selector-second').waitFor();
		const { isHeld, release } = await holdNext(page, 'GET');
		await askAgain(page);
		await isHeld;
		await hands.use('button', 'Delete second');
		await hands.use('button', 'Delete it');
		await page.locator('#selector-second').waitFor({ state: 'detached' });
		await page.evaluate(() => {
			globalThis.isBack = false;
			new MutationObserver(() => (globalThis.isBack ||= document.getElementById('selector-second') !== null))
				.observe(document.body, { childList: true, subtree: true });
		});
		const arrives = page.waitForResponse((response) => response.url().endsWith('/dkim/selectors'));
		release();
		await (await arrives).finished();
		// wait until the page has sent its next request, too
		await page.waitForResponse((response) => response.url().endsWith('/dkim/selectors'));
		assert.equal(await page.evaluate(() => globalThis.isBack), false);
	}));
});
