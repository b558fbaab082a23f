// The main stories of the dashboard in another engine than Chromium's: Debian's Firefox.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { deliver, startWorld, tokenOf } from './support/dashboard.mjs';
import { hasFirefox, startFirefox } from './support/firefox.mjs';
import { damageSignature } from './support/senders.mjs';

const skip = !hasFirefox && 'firefox-esr is not installed';

let world;
let firefox;
let resultUrl; // the page with the result of the bad message
let domainUrl;
before(async () => {
	if (skip) return;
	world = await startWorld();
	firefox = await startFirefox();
});
after(async () => {
	await firefox?.stop();
	await world?.stop();
});

// Gets an address and sends it a message; the page then shows the result without a reload.
async function sendTest(sender, message) {
	await firefox.go(`${world.runner.baseUrl}/`);
	await firefox.click('button', 'Get a test address');
	await firefox.text('Waiting for your message');
	const address = await firefox.value("document.getElementById('address')?.innerText.replace(/\\s/g, '')");
	await deliver(world.runner, sender, address, message);
}

test('a good message is called good as soon as it arrives', { skip }, async () => {
	await sendTest(world.good, await world.good.signed());
	await firefox.find('heading', 'Looks good');
	assert.equal(await firefox.value("document.querySelector('.score-number')?.innerText"), '\u22121.3');
	await firefox.value("document.activeElement.textContent === 'Looks good'");
	assert.match(await firefox.value('document.title'), /^Looks good/);
});

test('a bad message gets advice, with the record to publish', { skip }, async () => {
	await sendTest(world.bad, damageSignature(await world.bad.signed({ 'Message-ID': null })));
	await firefox.find('heading', 'Will be refused');
	await firefox.find('button', 'Copy the value of the TXT record at bad.example');
	assert.match(await firefox.value("document.querySelector('.actions-to-take')?.innerText"), /v=spf1 ip4:198\.51\.100\.\d+ ip4:203\.0\.113\.7 -all/);
	resultUrl = await firefox.value('location.href');
	await firefox.go(`${world.runner.baseUrl}/#/`);
	await firefox.find('heading', 'Your recent tests');
	await firefox.text('Mail from bad.example');
});

test('a domain is checked without a login', { skip }, async () => {
	await firefox.go(`${world.runner.baseUrl}/#/check`);
	await firefox.type('textbox', 'Domain', 'good.example');
	await firefox.click('button', 'Check');
	await firefox.value("document.querySelector('.verdict')?.textContent.includes('good.example')");
});

test('after login a domain and a selector are added, and MTA-STS is switched on', { skip }, async () => {
	await firefox.go(`${world.runner.baseUrl}/#/domains`);
	await firefox.type('textbox', 'API token', tokenOf(world.runner));
	await firefox.click('button', 'Log in');
	await firefox.type('textbox', 'Add a domain', 'good.example');
	await firefox.click('button', 'Add');
	await firefox.text('What to do next');
	domainUrl = await firefox.value('location.href');
	await firefox.click('link', 'DKIM');
	await firefox.type('textbox', 'Add a selector', 's1');
	await firefox.click('button', 'Add');
	await firefox.value("document.getElementById('selector-s1')?.innerText.includes('RSA, 2048 bits')");
	await firefox.click('link', 'MTA-STS');
	await firefox.type('textbox', 'Mail servers (MX)', 'mx.good.example');
	await firefox.click('checkbox', 'MTA-STS');
	await firefox.click('button', 'Save');
	await firefox.text('Saved.');
	await firefox.text('v=STSv1; id=');
});

test('a token is made, shown once and revoked', { skip }, async () => {
	await firefox.click('link', 'Tokens');
	await firefox.type('textbox', 'Name', 'monitoring');
	await firefox.click('button', 'Make the token');
	assert.match(await firefox.value("document.querySelector('.card.secret code')?.innerText"), /^eds_[0-9A-Za-z]+$/);
	await firefox.click('button', 'Revoke monitoring');
	await firefox.click('button', 'Revoke the token');
	await firefox.value("![...document.querySelectorAll('button')].some((one) => one.getAttribute('aria-label') === 'Revoke monitoring')");
});

test('the API is documented, and a refused request is explained', { skip }, async () => {
	await firefox.click('link', 'API documentation');
	await firefox.find('heading', 'The API');
	await firefox.click('link', 'selector-exists');
	await firefox.find('heading', 'Refused requests');
	assert.match(await firefox.value('document.querySelector(":target")?.innerText'), /^selector-exists\s+This selector of the domain is registered already\./);
});

// The pages to check at 320 pixels: every page, and each part of a domain for a signed-in owner.
async function addresses() {
	const [, domain] = /#\/domains\/([0-9a-f-]{36})/.exec(domainUrl);
	const result = new URL(resultUrl).hash;
	return ['/', '/docs', '/problems', `/${result}`, '/#/check', '/#/check/bad.example', '/#/domains', '/#/tokens',
		...['', '/selectors', '/mta-sts', '/reports', '/alerts'].map((part) => `/#/domains/${domain}${part}`)];
}

// Zooms a window of 1280 pixels to 400 %, because Firefox makes no window as narrow as 320.
test('no page is wider than a window of 320 pixels, and axe finds no serious fault', { skip }, async () => {
	await firefox.send('WebDriver:SetWindowRect', { width: 1280, height: 900 });
	await firefox.zoom(4);
	await firefox.value('innerWidth > 300 && innerWidth <= 320');
	for (const path of await addresses()) {
		// an empty page in between, so that the check does not see the previous page again
		await firefox.go('about:blank');
		await firefox.go(world.runner.baseUrl + path);
		await firefox.value("document.querySelector('h1')?.innerText && document.readyState === 'complete'");
		await firefox.value("![...document.querySelectorAll('.muted')].some((one) => one.checkVisibility() && /^(Loading|Asking DNS) …$/.test(one.innerText))");
		await firefox.value('document.documentElement.scrollWidth <= innerWidth');
		assert.deepEqual(await firefox.seriousFaults(), [], path);
	}
	await firefox.zoom(1);
});
