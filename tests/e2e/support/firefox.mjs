// Controls Debian's Firefox through its remote protocol, Marionette, which has the commands of WebDriver
// (W3C) as JSON over TCP, so that no other program is needed.
//
//     const firefox = await startFirefox();
//     await firefox.go(`${runner.baseUrl}/`);
//     await firefox.click('button', 'Get a test address');
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = '/usr/bin/firefox-esr';
const START_MS = 90000; // the first start makes a profile
const STEP_MS = 30000; // the same limit as in browser.mjs
const SCRIPT_MS = 120000; // axe needs seconds for a page
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'; // the name by which WebDriver marks an element (section 12.2)

// Port 0: Firefox takes a free port and writes it into its profile. It sends no requests to other
// servers.
const PREFERENCES = {
	'marionette.port': 0,
	'intl.locale.requested': 'en-GB',
	'app.update.enabled': false,
	'browser.shell.checkDefaultBrowser': false,
	'datareporting.policy.dataSubmissionEnabled': false,
	'network.captive-portal-service.enabled': false,
	'network.connectivity-service.enabled': false,
	'services.settings.server': 'data:,',
	'toolkit.telemetry.reportingpolicy.firstRun': false,
};

export const hasFirefox = existsSync(PROGRAM);

async function activePort(profile, child) {
	const file = join(profile, 'MarionetteActivePort');
	for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100)) {
		assert.equal(child.exitCode, null, 'Firefox ended at its start');
		if (existsSync(file) && readFileSync(file, 'utf8') !== '') return Number(readFileSync(file, 'utf8'));
	}
	return assert.fail('Firefox did not say its port');
}

// Each message is its length, a colon, and [0, id, command, parameters] or [1, id, error, result].
function speak(socket) {
	const waiting = new Map();
	let received = Buffer.alloc(0);
	let last = 0;
	socket.on('data', (data) => {
		received = Buffer.concat([received, data]);
		for (let colon; (colon = received.indexOf(':')) > 0;) {
			const end = colon + 1 + Number(received.subarray(0, colon));
			if (received.length < end) return;
			const [kind, id, error, result] = [JSON.parse(received.subarray(colon + 1, end))].flat();
			received = received.subarray(end);
			if (kind !== 1) continue;
			const { resolve, reject } = waiting.get(id);
			waiting.delete(id);
			if (error) reject(new Error(`${error.error}: ${error.message}`));
			else resolve(result);
		}
	});
	socket.on('close', () => waiting.forEach(({ reject }) => reject(new Error('Firefox has ended'))));
	return (command, parameters = {}) => new Promise((resolve, reject) => {
		waiting.set(++last, { resolve, reject });
		const text = JSON.stringify([0, last, command, parameters]);
		socket.write(`${Buffer.byteLength(text)}:${text}`);
	});
}

// Finds elements as a person does: by a label or by their text.
const FIND = `
	const [role, name] = arguments;
	const of = { button: 'button', link: 'a[href]', heading: 'h1, h2, h3', textbox: 'input:not([type=checkbox]), textarea', checkbox: 'input[type=checkbox]' };
	const text = (one) => (one.getAttribute('aria-label') ?? [...one.labels ?? []].map((label) => label.innerText).join(' ') ) || one.innerText;
	return [...document.querySelectorAll(of[role])].filter((one) => one.checkVisibility() && text(one).trim().startsWith(name))[0] ?? null;`;

const AXE = readFileSync(createRequire(import.meta.url).resolve('../../node_modules/axe-core/axe.min.js'), 'utf8');
// The page forbids foreign scripts, but a script of the driver does not count as the page's.
const FAULTS = `
	const [axe, done] = arguments;
	eval(axe);
	window.axe.run(document, { resultTypes: ['violations'] }).then(({ passes, violations }) => done({ passed: passes.length, faults: violations
		.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')) }),
		(error) => done({ passed: 0, faults: [String(error)] }));`;

class Firefox {
	constructor(send) {
		this.send = send;
	}

	go(url) {
		return this.send('WebDriver:Navigate', { url });
	}

	/** The value of an expression in the page, once it is true. */
	async value(expression) {
		for (const end = Date.now() + STEP_MS; ; await sleep(100)) {
			const { value } = await this.send('WebDriver:ExecuteScript', { script: `return (${expression});`, args: [] });
			if (value) return value;
			if (Date.now() > end) {
				const page = await this.send('WebDriver:ExecuteScript', { script: 'return document.body.innerText', args: [] });
				assert.fail(`${expression} is not true on this page:\n${page.value}`);
			}
		}
	}

	async find(role, name) {
		for (const end = Date.now() + STEP_MS; Date.now() < end; await sleep(100)) {
			const { value } = await this.send('WebDriver:ExecuteScript', { script: FIND, args: [role, name] });
			if (value) return value[ELEMENT];
		}
		return assert.fail(`there is no ${role} ${name}`);
	}

	async click(role, name) {
		await this.send('WebDriver:ElementClick', { id: await this.find(role, name) });
	}

	async type(role, name, text) {
		const id = await this.find(role, name);
		await this.send('WebDriver:ElementClear', { id });
		await this.send('WebDriver:ElementSendKeys', { id, text });
	}

	/** Zooms the page as a user does: 4 is 400 %. */
	async zoom(factor) {
		await this.send('Marionette:SetContext', { value: 'chrome' });
		await this.send('WebDriver:ExecuteScript', { script: 'gBrowser.selectedBrowser.fullZoom = arguments[0];', args: [factor] });
		await this.send('Marionette:SetContext', { value: 'content' });
	}

	/** The serious problems that axe finds in the page for users with limited sight or motor
	 * control. */
	async seriousFaults() {
		const { value } = await this.send('WebDriver:ExecuteAsyncScript', { script: FAULTS, args: [AXE], newSandbox: true });
		if (value.faults.length === 0) assert.ok(value.passed > 5, 'axe has looked at the page');
		return value.faults;
	}

	/** Waits until the page contains this text. */
	text(text) {
		return this.value(`document.body.innerText.includes(${JSON.stringify(text)})`);
	}
}

export async function startFirefox() {
	const profile = mkdtempSync(join(tmpdir(), 'eds-firefox-'));
	writeFileSync(join(profile, 'user.js'), Object.entries(PREFERENCES)
		.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
	const child = spawn(PROGRAM, ['--headless', '--marionette', '--profile', profile, '--no-remote', '--window-size', '1280,900', '--remote-allow-system-access'],
		{ stdio: 'ignore', env: { ...process.env, HOME: profile, TZ: 'Europe/Berlin' } });
	const ended = new Promise((resolve) => child.once('exit', resolve));
	const socket = connect(await activePort(profile, child), '127.0.0.1');
	const firefox = new Firefox(speak(socket));
	await firefox.send('WebDriver:NewSession', { capabilities: {} });
	await firefox.send('WebDriver:SetTimeouts', { script: SCRIPT_MS });
	firefox.stop = async () => {
		socket.destroy();
		child.kill();
		await ended;
		rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	};
	return firefox;
}
