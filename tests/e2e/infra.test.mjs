// What infra/ makes of the manifest: it is up to date, its forms are right by their schemas, and the
// template on AWS is walked as if it were deployed: for each route, schedule and mail rule in it the
// packaged function gets that trigger's event and answers what the runner answers.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { MAIL_STORE, mailStore } from '../../infra/functions.mjs';
import { crontab } from '../../infra/knative/services.mjs';
import { findPostgres, startPostgres } from '../support/postgres.mjs';
import { request } from './support/api.mjs';
import { canIsolate, packageFile, startPackage } from './support/package.mjs';
import { BUILD, request as rawRequest, startRunner } from './support/runner.mjs';
import { startS3 } from './support/s3.mjs';
import { resolve, templateFaults } from './support/template.mjs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { functions } = read('functions/manifest.json');
const template = read('infra/aws/template.json');
const ofType = (type) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
const WALK_MS = 600000;

describe('infra', () => {
	test('is what the manifest says', () => {
		execFileSync('node', ['infra/generate.mjs', '--check'], { stdio: 'pipe' });
	});

	test('who touches the mail store is known of every function', () => {
		for (const name of Object.keys(functions))
			assert.equal(Boolean(MAIL_STORE[name]),
				readFileSync(join(BUILD, 'functions', name)).includes('libcurl.so.4') &&
				readFileSync(join(BUILD, 'functions', name)).includes('message-id-invalid'), name);
	});

	test('the template for AWS is right by the schemas of its resources', () => {
		assert.deepEqual(templateFaults(template), []);
		assert.ok(Object.keys(template.Resources).length < 500);
	});

	test('a fault in a template would be found', () => {
		const broken = structuredClone(template);
		const { Properties } = broken.Resources.TesterAnalyze;
		Properties.Timeout = 'long';
		Properties.Memory = 5;
		broken.Resources.FailedEvents.Condition = 'HasNothing';
		delete Properties.Code;
		Properties.Role = { 'Fn::GetAtt': ['TesterAnalyzeRole', 'Name'] };
		broken.Resources.Odd = { Type: 'AWS::Lambda::Funktion' };
		assert.equal(templateFaults(broken).length, 6);
	});

	test('it has every route, schedule and mail function of the manifest', () => {
		const routes = Object.values(functions).flatMap(({ http = [], ops = [] }) => [...http, ...ops]);
		assert.deepEqual(ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties.RouteKey).sort(),
			routes.sort());
		assert.deepEqual(ofType('AWS::Events::Rule').map(([, { Properties }]) => Properties.Targets[0].Id).sort(),
			Object.keys(functions).filter((name) => functions[name].schedule).sort());
		assert.deepEqual(ofType('AWS::SES::ReceiptRule').map(([, { Properties }]) => Properties.Rule.Name).sort(),
			Object.keys(functions).filter((name) => functions[name].mail).sort());
	});

	test('its roles allow what is needed, by name', () => {
		for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
			const statements = Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
			for (const { Action, Resource } of statements) {
				for (const action of [Action].flat()) assert.ok(!action.includes('*'), `${id}: ${action}`);
				if (Resource === '*') assert.ok([Action].flat().every((action) => /^ec2:.*(NetworkInterface|Subnets|PrivateIp)/.test(action)), id);
			}
			const actions = statements.flatMap(({ Action }) => Action);
			const [, { Properties: its }] = ofType('AWS::Lambda::Function').find(([, { Properties: { Role } }]) => Role['Fn::GetAtt'][0] === id);
			const name = its.Handler;
			assert.equal(actions.includes('s3:GetObject'), mailStore(name).includes('read'), name);
			assert.equal(actions.includes('s3:DeleteObject'), mailStore(name).includes('delete'), name);
		}
	});

	// The runner's own, what a package has itself, and what is for debugging and tests.
	const ELSEWHERE = /^EDS_(HTTP_LISTEN|SMTP_LISTEN|OPS_LISTEN|SMTP_TRUSTED|CA_FILE|SANDBOX|ALLOW_PRIVATE_ADDRESSES|.*_PORT)$/;
	const table = [...readFileSync('README.md', 'utf8').matchAll(/^\| `(EDS_\w+)` \| (?:`([^`]*)`|[^|]*) \|/gm)]
		.filter(([, name]) => !ELSEWHERE.test(name));

	test('its functions get every setting of README\'s table that a function reads, in a form that they take', () => {
		assert.ok(table.length > 10);
		for (const [id, { Properties }] of ofType('AWS::Lambda::Function'))
			assert.deepEqual(Object.keys(Properties.Environment.Variables).sort(), table.map(([, name]) => name).sort(), id);
		const values = { BaseUrl: 'https://eds.example', TesterDomain: 'tester.example', ReportDomain: 'reports.example', Mail: 'eds-mail',
			PolicyHost: 'policy.example', DatabaseSecret: 'db', DnsServers: '10.0.0.2', FrontAddress: '192.0.2.1', HasFront: true };
		for (const [name, { Default }] of Object.entries(template.Parameters)) values[name] ??= Default;
		const { Variables } = resolve(template.Resources.Admin.Properties.Environment, values, { db: { url: 'postgresql://127.0.0.1:1/x' } });
		const answer = execFileSync(join(BUILD, 'functions/mail-accept'), [], { input: '{"recipient":"nobody"}', encoding: 'utf8',
			env: { PATH: process.env.PATH, ...Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, String(value)])) } });
		assert.equal(JSON.parse(answer).accept, false);
	});

	test('where a setting has a default of its own in it, that is README\'s', () => {
		const { Variables } = template.Resources.Admin.Properties.Environment;
		for (const [, name, value = ''] of table) {
			const preset = template.Parameters[Variables[name].Ref]?.Default;
			if (preset !== undefined) assert.equal(String(preset), value, name);
		}
	});

	test('secrets are named in it, not written', () => {
		for (const [, { Properties }] of ofType('AWS::Lambda::Function')) {
			const { EDS_DATABASE_URL, EDS_DNSBL_COMBINED } = Properties.Environment.Variables;
			assert.match(EDS_DATABASE_URL['Fn::Sub'], /^\{\{resolve:secretsmanager:/);
			assert.match(EDS_DNSBL_COMBINED['Fn::If'][1]['Fn::Sub'], /^\{\{resolve:secretsmanager:/);
		}
	});

	test('what fails for good is kept: every function without a waiting caller has the queue', () => {
		for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
			const { schedule, mail } = functions[Properties.Handler];
			assert.equal(Boolean(Properties.DeadLetterConfig), Boolean(schedule || mail), id);
		}
	});

	test('the services for Knative are right by its schemas', () => {
		const require = createRequire(import.meta.url);
		const { Service } = require('@kubernetes-models/knative/serving.knative.dev/v1');
		const { PingSource } = require('@kubernetes-models/knative/sources.knative.dev/v1');
		const { items } = read('infra/knative/services.json');
		for (const item of items) new { Service, PingSource }[item.kind](item).validate();
		assert.throws(() => new PingSource({ metadata: { name: 'x' }, spec: { schedule: 5 } }).validate());
		for (const [name, { http, schedule, mail }] of Object.entries(functions)) {
			const has = (kind) => items.some((item) => item.kind === kind && item.metadata.name === name);
			assert.equal(has('PingSource'), Boolean(schedule), name);
			if (http || schedule || mail) assert.ok(has('Service'), name);
		}
	});

	test('schedules of EventBridge become crontabs', () => {
		assert.equal(crontab('rate(1 minute)'), '* * * * *');
		assert.equal(crontab('rate(5 minutes)'), '*/5 * * * *');
		assert.equal(crontab('rate(1 hour)'), '0 * * * *');
		assert.equal(crontab('rate(1 day)'), '0 0 * * *');
		assert.equal(crontab('cron(15 3 ? * MON *)'), '15 3 * * MON');
		assert.throws(() => crontab('rate(1 week)'));
	});
});

describe('the Containerfile', () => {
	const text = readFileSync('infra/container/Containerfile', 'utf8').replace(/^#.*\n/gm, '').replaceAll('\\\n', ' ');
	const instructions = text.trim().split('\n').filter(Boolean).map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1) ?? assert.fail(line));

	test('has instructions of its language, and steps of the shell', () => {
		assert.deepEqual(instructions.filter(([word]) => !['FROM', 'RUN', 'WORKDIR', 'COPY', 'USER', 'ENV', 'EXPOSE', 'CMD'].includes(word)), []);
		for (const [word, rest] of instructions)
			if (word === 'RUN') execFileSync('sh', ['-n', '-c', rest], { stdio: 'pipe' });
			else if (word === 'CMD') assert.ok(Array.isArray(JSON.parse(rest)));
	});

	test('installs every library that a program of the image needs', () => {
		const image = instructions.filter(([word]) => word === 'RUN').at(-1)[1];
		const programs = ['runner', 'libexec/eds-report-reader', ...Object.keys(functions).map((name) => `functions/${name}`)];
		const needed = new Set(['libpq.so.5', 'libcurl.so.4']); // those that are opened when they are needed
		for (const program of programs)
			for (const [, library] of execFileSync('readelf', ['-d', join(BUILD, program)], { encoding: 'utf8' }).matchAll(/NEEDED.*\[(.*)\]/g))
				needed.add(library);
		for (const library of needed) {
			const owners = execFileSync('dpkg', ['-S', `*/x86_64-linux-gnu/${library}`], { encoding: 'utf8' });
			const owner = owners.split(':')[0];
			assert.ok(owner === 'libc6' || image.split(/\s+/).includes(owner), `${library} of ${owner}`);
		}
	});
});

const cannotWalk = () => {
	if (!Object.keys(functions).every((name) => existsSync(packageFile(name)))) return 'make package was not run';
	if (!canIsolate()) return 'this machine lets no test make an empty root';
	return findPostgres() ? false : 'PostgreSQL is not installed';
};

// What differs from one making to the next.
const normal = (text) => text
	.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
	.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
	.replace(/\b[a-z2-7]{26}\b/g, 'TEST')
	.replace(/(id=|policyId":")[A-Za-z0-9]+/g, '$1POLICY')
	.replace(/(packaged|served)\.example/g, 'DOMAIN');

describe('the template, walked', { skip: cannotWalk(), timeout: WALK_MS }, () => {
	const names = {
		'AWS::AccountId': '123456789012', 'AWS::Partition': 'aws', 'AWS::Region': 'eu-test-1', 'AWS::StackName': 'eds',
		BaseUrl: 'https://eds.example', TesterDomain: 'tester.example', ReportDomain: 'reports.example', PolicyHost: 'policy.example',
		DatabaseSecret: 'db-secret', DnsServers: '127.0.0.1:1', CodePrefix: '', Mail: 'eds-test-mail',
	};
	const running = new Map();
	let database;
	let s3;
	let runner;
	let token;

	const settings = (id, folder) => {
		const { Variables } = resolve(template.Resources[id].Properties.Environment, names,
			{ 'db-secret': { url: database.url.replace(/host=[^&]+/, `host=${folder}`) } });
		const { EDS_MAIL_STORE, ...aws } = s3.env;
		return { ...Variables, ...aws };
	};
	const socketFolder = () => /host=([^&]+)/.exec(database.url)[1];
	const ownSettings = () => settings('TesterAnalyze', socketFolder());
	// The function of a resource, started once from its zip with the template's own settings.
	async function deployed(id) {
		const { Handler, Code } = template.Resources[id].Properties;
		assert.equal(resolve(Code.S3Key, names), `${Handler}.zip`);
		if (!running.has(id))
			running.set(id, await startPackage(Handler, { env: settings(id, '/shared'), shared: socketFolder() }));
		return running.get(id);
	}
	async function invoke(id, event) {
		const outcome = await (await deployed(id)).invoke(event);
		assert.ok(['response', 'error'].includes(outcome.kind));
		return outcome.json();
	}
	// What the runner's function of that name makes of the event.
	function locally(name, event) {
		const child = spawn(join(BUILD, 'runner'), ['invoke', name, '-'],
			{ cwd: runner.folder, env: { PATH: process.env.PATH, ...ownSettings() }, stdio: ['pipe', 'pipe', 'ignore'] });
		let out = '';
		child.stdout.on('data', (text) => (out += text));
		child.stdin.end(JSON.stringify(event));
		return new Promise((done) => child.once('close', () => done(JSON.parse(out))));
	}

	before(async () => {
		database = await startPostgres();
		s3 = await startS3({ bucket: names.Mail });
		runner = await startRunner({ env: ownSettings() });
		token = /Bearer (eds_\w+)/.exec(runner.output.out)[1];
	});
	after(async () => {
		for (const each of running.values()) await each.stop();
		await runner?.stop();
		await s3?.close();
		await database?.stop();
	});

	// The request as API Gateway makes an event of it.
	function httpEvent(routeKey, path, params, body) {
		const [method] = routeKey.split(' ');
		return {
			version: '2.0', routeKey, rawPath: path, rawQueryString: '',
			headers: { authorization: `Bearer ${token}`, host: 'eds.example', ...(body ? { 'content-type': 'application/json' } : {}) },
			pathParameters: params, isBase64Encoded: false, ...(body ? { body } : {}),
			requestContext: {
				accountId: '123456789012', apiId: 'api', domainName: 'eds.example', domainPrefix: 'eds', requestId: randomUUID(), routeKey,
				stage: '$default', time: '31/Jan/2026:23:59:59 +0000', timeEpoch: Date.now(),
				http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'walk' },
			},
		};
	}

	// Each side has a domain and a session of its own, made by it; a route's request concerns them.
	const sides = { packaged: {}, served: {} };
	const BODIES = {
		'POST /api/v1/domains': (side) => ({ name: `${side}.example` }),
		'POST /api/v1/domains/{id}/dkim/selectors': () => ({ selector: 's1' }),
		'PATCH /api/v1/domains/{id}/mta-sts': () => ({ mode: 'testing', maxAge: 86400, mxPatterns: ['mx.example.com'] }),
	};
	const ORDER = [/^POST \/api\/v1\/domains$/, /^POST \/api\/inbound-tester\/sessions$/, /^POST /, /^PATCH /, /^GET /,
		/^DELETE \/api\/v1\/domains\/\{id\}\/./, /./];
	const order = (routeKey) => ORDER.findIndex((pattern) => pattern.test(routeKey));
	const routes = ofType('AWS::ApiGatewayV2::Route').map(([id, { Properties }]) => ({ id, ...Properties }))
		.sort((a, b) => order(a.RouteKey) - order(b.RouteKey));

	for (const { RouteKey, Target } of routes)
		test(`${RouteKey} answers as the runner does`, async () => {
			const integration = template.Resources[/\$\{(\w+)\}/.exec(Target['Fn::Sub'])[1]].Properties;
			assert.equal(integration.PayloadFormatVersion, '2.0');
			const [lambda] = integration.IntegrationUri['Fn::GetAtt'];
			const answers = {};
			for (const [side, made] of Object.entries(sides)) {
				const params = { id: made.domain, testId: made.session, selector: 's1', reportId: 'none', file: 'app.js' };
				const used = {};
				const [method, path] = RouteKey.replace(/\{(\w+)\}/g, (_, name) => (used[name] = params[name])).split(' ');
				const body = BODIES[RouteKey] && JSON.stringify(BODIES[RouteKey](side));
				if (side === 'packaged') {
					const { statusCode, headers, body: sent = '', isBase64Encoded } =
						await invoke(lambda, httpEvent(RouteKey, path, used, body));
					const text = Buffer.from(sent, isBase64Encoded ? 'base64' : 'utf8').toString();
					answers[side] = { status: statusCode, type: headers?.['content-type'], text };
				} else {
					const ops = functions[template.Resources[lambda].Properties.Handler].ops;
					const [ask, base] = ops ? [rawRequest, runner.opsUrl] : [request, runner.baseUrl];
					const { status, headers, text } = await ask(base + path, { method, body,
						headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
					answers[side] = { status, type: headers['content-type'], text };
				}
				if (RouteKey === 'POST /api/v1/domains') made.domain = JSON.parse(answers[side].text).data.id;
				if (RouteKey === 'POST /api/inbound-tester/sessions') made.session = JSON.parse(answers[side].text).testId;
			}
			assert.ok(answers.served.status < 500, answers.served.text);
			for (const answer of Object.values(answers)) answer.text = normal(answer.text);
			assert.deepEqual(answers.packaged, answers.served);
		});

	for (const [id, { Properties }] of ofType('AWS::Events::Rule'))
		test(`the schedule ${id} does what the runner's does`, async () => {
			const [{ Arn, Id }] = Properties.Targets;
			const event = {
				version: '0', id: randomUUID(), 'detail-type': 'Scheduled Event', source: 'aws.events', account: '123456789012',
				time: '2026-01-31T23:59:00Z', region: 'eu-test-1', detail: {},
				resources: [`arn:aws:events:eu-test-1:123456789012:rule/${id}`],
			};
			await locally(Id, event); // what is due now is done; then there is nothing to do for either
			const answer = await invoke(Arn['Fn::GetAtt'][0], event);
			assert.equal(answer.errorType, undefined, answer.errorMessage);
			assert.deepEqual(answer, await locally(Id, event));
		});

	const SES_MESSAGE = [
		'Received: from mx.sender.example (mx.sender.example [203.0.113.9])',
		' by inbound-smtp.eu-central-1.amazonaws.com with SMTP id x;', ' Fri, 20 Nov 2026 11:21:30 +0000 (UTC)',
		'X-SES-RECEIPT: AEFB', 'From: a@sender.example', 'Subject: walked', '', 'Hello.', '',
	].join('\r\n');

	// A new recipient of the rule's domain; what SES does with a message to it: into the bucket, then told.
	async function receive({ Name, Recipients, Actions: [{ S3Action }, { LambdaAction }] }, side) {
		const asJson = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
		const session = await (await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' })).json();
		const domain = await (await request(`${runner.baseUrl}/api/v1/domains`,
			{ method: 'POST', body: `{"name":"${Name}.${side}.example"}`, headers: asJson })).json();
		const recipient = { 'tester.example': session.email, 'reports.example': domain.data.reportAddress }[Recipients[0]];
		const messageId = `${side}${Name.replaceAll('-', '')}0123456789`;
		const timestamp = new Date().toISOString();
		assert.equal(S3Action.BucketName, names.Mail);
		s3.objects.set(S3Action.ObjectKeyPrefix + messageId, { modified: new Date(), bytes: Buffer.from(SES_MESSAGE) });
		const mail = { timestamp, source: 'a@sender.example', messageId, destination: [recipient], headersTruncated: false,
			headers: [], commonHeaders: {} };
		const receipt = { timestamp, processingTimeMillis: 9, recipients: [recipient],
			action: { type: 'Lambda', invocationType: LambdaAction.InvocationType } };
		return { session, recipient, event: { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses: { mail, receipt } }] } };
	}

	for (const [id, { Properties }] of ofType('AWS::SES::ReceiptRule'))
		test(`mail by ${id} ends where the runner's does`, async () => {
			const rule = resolve(Properties.Rule, names);
			const packaged = await receive(rule, 'packaged');
			const served = await receive(rule, 'served');
			const answer = await invoke(rule.Actions[1].LambdaAction.FunctionArn.split('.')[0], packaged.event);
			assert.equal(answer.errorType, undefined, answer.errorMessage);
			assert.deepEqual(answer, await locally(rule.Name, served.event));
			const shown = async ({ session }) =>
				(await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}`)).text;
			assert.equal(normal(await shown(packaged)), normal(await shown(served)));
			if (packaged.recipient === packaged.session.email)
				assert.equal(JSON.parse(await shown(packaged)).results.headers.subject, 'walked');
		});
});
