// The files that infra/ generates from the manifest: they are up to date and valid by their schemas, and
// the AWS template is tested as if it were deployed: for each of its routes, schedules and mail rules, the
// packaged function, under a kernel that refuses the same calls as AWS Lambda, gets the event of that
// trigger and gives the same answer as the runner.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { MAIL_STORE, mailStore } from '../../infra/functions.mjs';
import { crontab } from '../../infra/knative/services.mjs';
import { awsFindings } from '../support/aws-validate.mjs';
import { findPostgres, startPostgres } from '../support/postgres.mjs';
import { request } from './support/api.mjs';
import { canIsolate, packageFile, startPackage } from './support/package.mjs';
import { BUILD, firstToken, handlersOf, request as rawRequest, startRunner } from './support/runner.mjs';
import { startS3 } from './support/s3.mjs';
import { startSecrets } from './support/secrets.mjs';
import { resolve, templateFaults } from './support/template.mjs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { functions } = read('functions/manifest.json');
const template = read('infra/aws/template.json');
const ofType = (type) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
const WALK_MS = 600000;

describe('infra', () => {
	test('is up to date with the manifest', () => {
		execFileSync('node', ['infra/generate.mjs', '--check'], { stdio: 'pipe' });
	});

	test('the documented costs agree with the calculation, and grow with the load', () => {
		const said = readFileSync('infra/README.md', 'utf8');
		const told = execFileSync('node', ['infra/costs.mjs'], { encoding: 'utf8' });
		assert.match(told, /^\| 1,000,000 \| 10,000,000 \|/m);
		assert.ok(said.includes(told.trim()), told);
		const all = (args) => [...execFileSync('node', ['infra/costs.mjs', ...args], { encoding: 'utf8' })
			.matchAll(/^(\w+): ([\d,.]+) dollars a month$/gm)].map(([, , value]) => Number(value.replaceAll(',', '')));
		const few = all(['--domains', '1000', '--tests', '1000']);
		const many = all(['--domains', '10000000', '--tests', '100000000']);
		assert.equal(few.length, 3);
		few.forEach((value, i) => assert.ok(value > 0 && many[i] > 2 * value, `${few} ${many}`));
		const [ses] = all(['--domains', '100000', '--tests', '1000000']);
		const [own] = all(['--domains', '100000', '--tests', '1000000', '--mail', 'own']);
		// SES takes 0.10 dollars for a thousand messages, and 7 million arrive
		assert.ok(ses - own > 600, `${ses} ${own}`);
	});

	test('every function that touches the mail store is known', () => {
		for (const name of Object.keys(functions))
			assert.equal(Boolean(MAIL_STORE[name]),
				readFileSync(join(BUILD, 'functions', name)).includes('libcurl.so.4') &&
				readFileSync(join(BUILD, 'functions', name)).includes('message-id-invalid'), name);
	});

	// A program reads the settings that its object files read.
	test('the manifest names exactly the settings that each function reads', () => {
		const symbols = (file) => execFileSync('nm', ['--defined-only', file], { encoding: 'utf8', maxBuffer: 1 << 26 })
			.split('\n').filter((line) => / [TtDdBbRr] /.test(line));
		const globals = (file) => symbols(file).filter((line) => / [TDBR] /.test(line)).map((line) => line.split(' ').at(-1)).filter((name) => name !== 'main');
		const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory()
			? files(join(folder, entry.name)) : entry.name.endsWith('.c') ? [join(folder, entry.name)] : []));
		const names = { database_url: 'DATABASE_URL', sessions_per_hour: 'TESTER_SESSIONS_PER_HOUR', mail_quota: 'TESTER_MAIL_QUOTA', allow_private: 'ALLOW_PRIVATE_ADDRESSES' };
		const several = { dnsbl: ['COMBINED', 'RELAY', 'REPUTATION', 'REPORTED'].map((list) => `EDS_DNSBL_${list}`), quota: ['EDS_QUOTA_FREE', 'EDS_QUOTA_PAID'] };
		const ofEveryProgram = ['log_level', 'sandbox'];
		const settingsOf = (field) => ofEveryProgram.includes(field) ? [] : several[field] ?? [`EDS_${names[field] ?? field.toUpperCase()}`];
		const readers = [...files('functions'), ...files('runtime').filter((file) => !/^runtime\/(host|adapter)\//.test(file))]
			.filter((file) => !/^runtime\/(config\/|event\/forwarded)/.test(file))
			.map((file) => [file, [...readFileSync(file, 'utf8').matchAll(/rt_config\(\)->(\w+)/g)].flatMap(([, field]) => settingsOf(field))])
			.filter(([, settings]) => settings.length > 0)
			.map(([file, settings]) => [file, settings, globals(join(BUILD, 'obj', file.replace(/c$/, 'o')))]);
		// Every program contains the code that reads X-Forwarded-For and -Host, but only these
		// functions call it.
		const proxied = ['domains-check', 'mta-sts-policy', 'reports-tls-post', 'tester-session-create', 'tester-session-message', 'tester-session-reanalyze'];
		for (const [name, { settings = [] }] of Object.entries(functions)) {
			const own = new Set(symbols(join(BUILD, 'functions', name)).map((line) => line.split(' ').at(-1)));
			const read = readers.filter(([file, , defined]) => (defined.length > 0 ? defined.some((symbol) => own.has(symbol))
				: file.replace(/^functions\/|\.c$/g, '').replaceAll('/', '-') === name)).flatMap(([, names]) => names);
			assert.deepEqual([...settings].sort(), [...new Set([...read, ...(proxied.includes(name) ? ['EDS_TRUSTED_PROXIES'] : [])])].sort(), name);
		}
	});

	// With EDS_SANDBOX=off a program does not hide its environment, so the test can read it in /proc.
	test('a function is given exactly its settings', async () => {
		const runner = await startRunner({ env: { EDS_SANDBOX: 'off', PGPASSWORD: 'secret', AWS_SECRET_ACCESS_KEY: 'secret', EDS_DNSBL_COMBINED: 'key.zen.example' } });
		try {
			await rawRequest(`${runner.baseUrl}/`);
			await rawRequest(`${runner.baseUrl}/api/inbound-tester/sessions/${'a'.repeat(26)}`);
			const given = (name) => readFileSync(`/proc/${handlersOf(runner, name)[0]}/environ`, 'utf8').split('\0')
				.map((variable) => variable.split('=')[0]).filter((variable) => /^(EDS|AWS|PG)/.test(variable) && !/^EDS_TEST_/.test(variable)).sort();
			assert.deepEqual(given('dashboard-page'), ['EDS_SANDBOX', 'EDS_TIMEOUT_MS']);
			assert.deepEqual(given('tester-session-get').filter((variable) => variable !== 'EDS_DATABASE_URL'), ['EDS_SANDBOX', 'EDS_SMTP_LISTEN', 'EDS_TIMEOUT_MS', 'PGPASSWORD']);
		} finally {
			await runner.stop();
		}
	});

	test('the template for AWS follows the schemas of its resources', () => {
		assert.deepEqual(templateFaults(template), []);
		assert.ok(Object.keys(template.Resources).length < 500);
	});

	test('a planted fault in a template is found', () => {
		const broken = structuredClone(template);
		const { Properties } = broken.Resources.TesterAnalyze;
		Properties.Timeout = 'long';
		Properties.Memory = 5;
		broken.Resources.TesterAnalyzeFailed.Condition = 'HasNothing';
		delete Properties.Code;
		Properties.Role = { 'Fn::GetAtt': ['TesterAnalyzeRole', 'Name'] };
		broken.Resources.Odd = { Type: 'AWS::Lambda::Funktion' };
		assert.equal(templateFaults(broken).length, 6);
	});

	test('AWS\'s own validator finds nothing in it', () => {
		assert.deepEqual(awsFindings('infra/aws/template.json'), []);
	});

	test('AWS\'s own validator finds a planted fault', () => {
		const plant = (change) => {
			const broken = structuredClone(template);
			const folder = mkdtempSync(join(tmpdir(), 'eds-template-'));
			const path = join(folder, 'template.json');
			change(broken.Resources);
			writeFileSync(path, JSON.stringify(broken));
			const findings = awsFindings(path);
			rmSync(folder, { recursive: true });
			return findings.join();
		};
		assert.match(plant(({ TesterAnalyze }) => (TesterAnalyze.Properties.Timeout = 'long')), /F3012 TesterAnalyze/);
		assert.match(plant(({ TesterAnalyzeQueue }) => (TesterAnalyzeQueue.Properties.VisibilityTimeout = 10)), /E3505 TesterAnalyzeQueue/);
	});

	test('mail waits in a queue, and a parameter limits how much is handled at once', () => {
		for (const [id, { Properties }] of ofType('AWS::Lambda::EventSourceMapping')) {
			const lambda = template.Resources[Properties.FunctionName.Ref].Properties;
			const queue = template.Resources[Properties.EventSourceArn['Fn::GetAtt'][0]].Properties;
			const { Type, MinValue, MaxValue } = template.Parameters[Properties.ScalingConfig.MaximumConcurrency.Ref];
			assert.deepEqual({ Type, MinValue, MaxValue }, { Type: 'Number', MinValue: 2, MaxValue: 1000 }, id);
			assert.deepEqual(Properties.FunctionResponseTypes, ['ReportBatchItemFailures'], id);
			assert.equal(queue.VisibilityTimeout, 6 * lambda.Timeout, id);
			const tried = queue.VisibilityTimeout * queue.RedrivePolicy.maxReceiveCount;
			assert.ok(tried >= 24 * 3600 && tried < 25 * 3600, `${id}: ${tried} s`);
			const failed = template.Resources[queue.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0]].Properties;
			assert.ok(failed.MessageRetentionPeriod > queue.MessageRetentionPeriod && queue.MessageRetentionPeriod > tried, id);
		}
		assert.equal(ofType('AWS::Lambda::EventSourceMapping').length, 2);
	});

	test('every alarm evaluates only recent minutes', () => {
		for (const [id, { Properties }] of ofType('AWS::CloudWatch::Alarm')) {
			const { MetricName, Metrics, EvaluationPeriods } = Properties;
			const period = Properties.Period ?? Metrics.find(({ MetricStat }) => MetricStat).MetricStat.Period;
			// these two alarms examine an hour: certificates are checked once an hour, and a
			// blocklist may be silent for a while
			const isSlow = ['PolicyCertificatesEndingAlarm', 'ListsSilentAlarm'].includes(id);
			assert.ok(period * EvaluationPeriods <= (isSlow ? 3600 : 600), id);
			// no alarm may use this metric: failed messages stay in their queue for days, and the
			// alarm would stay on as long
			assert.notEqual(MetricName, 'ApproximateNumberOfMessagesVisible', id);
			const isOfQueue = (Metrics ?? []).some(({ MetricStat }) => MetricStat?.Metric.Namespace === 'AWS/SQS');
			if (isOfQueue) assert.match(Metrics[0].Expression, /^DIFF\(/, id);
		}
	});

	test('each number of a job that has an alarm in Prometheus has one here too, except numbers of a machine', () => {
		const ofMachine = ['backupAgeSeconds', 'helpersAway', 'spoolAway'];
		const asked = [...readFileSync('infra/monitoring/alarms.yml', 'utf8').matchAll(/eds_schedule_answer\{[^}]*number=~?"([^"]+)"/g)]
			.flatMap(([, names]) => names.split('|')).filter((name) => !ofMachine.includes(name));
		const alarmed = ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties).filter(({ Namespace }) => Namespace === 'eds');
		assert.deepEqual(alarmed.map(({ MetricName }) => MetricName).sort(), asked.sort());
	});

	test('it has no more resources and parameters than CloudFormation takes', () => {
		assert.ok(Object.keys(template.Resources).length <= 500);
		assert.ok(Object.keys(template.Parameters).length <= 200);
	});

	test('as many instances of a job start as its parameter says', () => {
		for (const [name, { schedule }] of Object.entries(functions).filter(([, entry]) => entry.schedule)) {
			const id = name.replace(/(^|-)([a-z])/g, (_, dash, letter) => letter.toUpperCase());
			const { AllowedValues, Default } = template.Parameters[`${id}Instances`];
			assert.deepEqual({ AllowedValues, Default }, { AllowedValues: [1, 2, 4, 8], Default: 1 });
			for (const count of AllowedValues) {
				const values = { [`${id}Instances`]: String(count) };
				const holds = (condition) => condition['Fn::Or']?.some(holds) ??
					(values[condition['Fn::Equals'][0].Ref] ?? '') === condition['Fn::Equals'][1];
				const conditions = Object.fromEntries(Object.entries(template.Conditions)
					.filter(([each]) => each.startsWith(`${id}Has`)).map(([each, condition]) => [each, holds(condition)]));
				const targets = ofType('AWS::Events::Rule').filter(([rule]) => rule.startsWith(`${id}Schedule`))
					.filter(([, { Condition }]) => !Condition || conditions[Condition])
					.flatMap(([, { Properties }]) => {
						assert.equal(Properties.ScheduleExpression, schedule);
						return resolve(Properties.Targets, conditions).filter(Boolean);
					});
				assert.equal(new Set(targets.map(({ Id }) => Id)).size, count, `${name}, ${count}`);
				for (const { Arn } of targets) assert.equal(Arn, `${id}.Arn`);
			}
		}
	});

	test('the template has every route, schedule and mail function of the manifest', () => {
		const routes = Object.values(functions).flatMap(({ http = [], ops = [] }) => [...http, ...ops]).filter((route) => route !== 'GET /readyz');
		assert.deepEqual(ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties.RouteKey).sort(),
			routes.sort());
		assert.deepEqual(ofType('AWS::Events::Rule').filter(([, { Condition }]) => !Condition).map(([, { Properties }]) => Properties.Targets[0].Id).sort(),
			Object.keys(functions).filter((name) => functions[name].schedule).map((name) => `${name}-1`).sort());
		assert.deepEqual(ofType('AWS::SES::ReceiptRule').map(([, { Properties }]) => Properties.Rule.Name).sort(),
			Object.keys(functions).filter((name) => functions[name].mail).sort());
	});

	test('the roles allow only what is needed, by name', () => {
		for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
			const statements = Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).map((each) => each['Fn::If']?.[1] ?? each);
			for (const { Action, Resource } of statements) {
				for (const action of [Action].flat()) assert.ok(!action.includes('*'), `${id}: ${action}`);
				if ([Action].flat().includes('secretsmanager:GetSecretValue')) assert.deepEqual(Resource, { Ref: 'DatabaseSecret' }, id);
				if (Resource === '*') assert.ok([Action].flat().every((action) => /^ec2:.*(NetworkInterface|Subnets|PrivateIp)/.test(action)), id);
			}
			const actions = statements.flatMap(({ Action }) => Action);
			const [, { Properties: its }] = ofType('AWS::Lambda::Function').find(([, { Properties: { Role } }]) => Role['Fn::GetAtt'][0] === id);
			const name = its.Handler;
			assert.equal(actions.includes('s3:GetObject'), mailStore(name).includes('read'), name);
			assert.equal(actions.includes('s3:DeleteObject'), mailStore(name).includes('delete'), name);
			for (const action of ['secretsmanager:GetSecretValue', 'kms:Decrypt'])
				assert.equal(actions.includes(action), functions[name].settings?.includes('EDS_DATABASE_URL') ?? false, `${name}: ${action}`);
		}
	});

	// Settings that the template does not set: those of the runner only, those that a package sets
	// itself, and those for debugging and tests.
	const ELSEWHERE = /^EDS_(DATABASE_CONNECTIONS|HTTP_LISTEN|SMTP_LISTEN|OPS_LISTEN|METRICS_LISTEN|SMTP_TRUSTED|CA_FILE|DNSSEC_ANCHORS|SANDBOX|ALLOW_PRIVATE_ADDRESSES|.*_PORT)$/;
	const table = [...readFileSync('README.md', 'utf8').matchAll(/^\| `(EDS_\w+)` \| (?:`([^`]*)`|[^|]*) \|/gm)]
		.filter(([, name]) => !ELSEWHERE.test(name));

	const variablesOf = (id) => template.Resources[id].Properties.Environment.Variables;

	test('each function gets the settings that the manifest names for it, and together they get all of README\'s table', () => {
		assert.ok(table.length > 10);
		const all = new Set();
		for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
			const named = [...functions[Properties.Handler].settings ?? [], 'EDS_LOG_LEVEL'].filter((name) => !ELSEWHERE.test(name));
			assert.deepEqual(Object.keys(variablesOf(id)).sort(), named.sort(), id);
			named.forEach((name) => all.add(name));
		}
		assert.deepEqual([...all].sort(), table.map(([, name]) => name).sort());
		assert.deepEqual(Object.keys(variablesOf('DashboardPage')).sort(), ['EDS_BASE_URL', 'EDS_CONTACT', 'EDS_IMPRINT_URL', 'EDS_LOG_LEVEL', 'EDS_PRIVACY_URL', 'EDS_TITLE']);
	});

	test('each setting in the template has a form that functions accept', () => {
		const values = { BaseUrl: 'https://eds.example', TesterDomain: 'tester.example', ReportDomain: 'reports.example', Mail: 'eds-mail',
			PolicyHost: 'policy.example', DatabaseSecret: 'arn:aws:secretsmanager:eu-test-1:1:secret:db', DnsServers: '10.0.0.2', FrontAddress: '192.0.2.1', HasFront: true };
		for (const [name, { Default }] of Object.entries(template.Parameters)) values[name] ??= Default;
		const Variables = resolve(Object.assign({}, ...ofType('AWS::Lambda::Function').map(([id]) => variablesOf(id))), values);
		const answer = execFileSync(join(BUILD, 'functions/mail-accept'), [], { input: '{"recipient":"nobody"}', encoding: 'utf8',
			env: { PATH: process.env.PATH, ...Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, String(value)])) } });
		assert.equal(JSON.parse(answer).accept, false);
	});

	test('a default in the template is the one in README', () => {
		const Variables = Object.assign({}, ...ofType('AWS::Lambda::Function').map(([id]) => variablesOf(id)));
		for (const [, name, value = ''] of table) {
			const preset = template.Parameters[Variables[name].Ref]?.Default;
			if (preset !== undefined) assert.equal(String(preset), value, name);
		}
	});

	test('the template only names the database\'s secret, and only functions that need it may read it', () => {
		for (const [, { Properties }] of ofType('AWS::Lambda::Function')) {
			const { EDS_DATABASE_URL, EDS_DNSBL_COMBINED } = Properties.Environment.Variables;
			if (EDS_DATABASE_URL) {
				const filled = (more) => resolve(EDS_DATABASE_URL, { DatabaseSecret: 'arn:x', ...more });
				assert.equal(filled({}), 'secretsmanager:arn:x#url');
				assert.equal(filled({ HasDatabasePlace: true, DatabasePlace: 'host=db&dbname=eds' }), 'secretsmanager:arn:x?host=db&dbname=eds');
			}
			if (EDS_DNSBL_COMBINED) assert.match(EDS_DNSBL_COMBINED['Fn::If'][1]['Fn::Sub'], /^\{\{resolve:secretsmanager:/);
		}
	});

	test('a job that fails is not run again before its next scheduled time', () => {
		for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
			const { schedule } = functions[Properties.Handler];
			assert.equal(Properties.DeadLetterConfig, undefined, id);
			assert.equal(template.Resources[`${id}Invoke`]?.Properties.MaximumRetryAttempts, schedule ? 0 : undefined, id);
		}
	});

	describe('for Kubernetes', () => {
		const require = createRequire(import.meta.url);
		const models = {
			...require('kubernetes-models/v1'), ...require('kubernetes-models/apps/v1'), ...require('kubernetes-models/batch/v1'),
			...require('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'),
			...require('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1beta1'),
		};
		const { Service: KnativeService } = require('@kubernetes-models/knative/serving.knative.dev/v1');
		const { PingSource } = require('@kubernetes-models/knative/sources.knative.dev/v1');
		const core = { ...models, HTTPRoute: require('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1').HTTPRoute,
			Gateway: require('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1').Gateway };
		const modelOf = ({ apiVersion, kind }) => {
			if (apiVersion === 'serving.knative.dev/v1') return KnativeService;
			return kind === 'PingSource' ? PingSource : core[kind];
		};
		const items = (name) => [read(`infra/knative/${name}.json`)].flatMap((file) => file.items ?? [file]);
		const services = items('services');
		const routes = items('routes');
		const receiver = items('smtp');
		const find = (all, kind, name) => all.find((item) => item.kind === kind && item.metadata.name === name);
		const refused = (item, change) => {
			const broken = structuredClone(item);
			change(broken);
			assert.throws(() => new (modelOf(item))(broken).validate());
		};

		test('every object follows the published schemas', () => {
			for (const item of [...services, ...routes, ...receiver, ...items('migrate')]) {
				const Model = modelOf(item);
				const made = new Model(item);
				made.validate();
				assert.equal(made.apiVersion, item.apiVersion, item.kind);
			}
		});

		test('a planted fault in an object is found', () => {
			refused(find(services, 'PingSource', 'dkim-recheck'), ({ spec }) => (spec.schedule = 5));
			refused(find(services, 'Service', 'tester-analyze'), ({ spec }) => (spec.template.spec.containerConcurrency = 'many'));
			refused(find(receiver, 'StatefulSet', 'eds-smtp'), ({ spec }) => delete spec.serviceName && delete spec.selector);
			refused(find(receiver, 'Service', 'eds-smtp'), ({ spec }) => (spec.ports[0].port = 'smtp'));
			refused(find(routes, 'HTTPRoute', 'domains-get'), ({ spec }) => (spec.rules[0].matches[0].method = 'FETCH'));
			refused(items('migrate')[0], ({ spec }) => delete spec.template);
		});

		test('each function has a service with its handlers and bounds, each job a source', () => {
			for (const [name, { http, ops, schedule, mail, handlers }] of Object.entries(functions)) {
				const service = find(services, 'Service', name);
				assert.equal(Boolean(find(services, 'PingSource', name)), Boolean(schedule), name);
				assert.equal(Boolean(service), name !== 'service-ready' && Boolean(http || ops || schedule || mail), name);
				if (!service) continue;
				const { metadata, spec } = service.spec.template;
				assert.equal(spec.containerConcurrency, handlers ?? 4, name);
				assert.ok(Number(metadata.annotations['autoscaling.knative.dev/max-scale']) >= 1, name);
				assert.equal(service.metadata.labels['networking.knative.dev/visibility'], 'cluster-local');
				const given = spec.containers[0].env.map((variable) => variable.name);
				assert.deepEqual(['EDS_LOG_LEVEL', 'EDS_SANDBOX'].filter((setting) => !given.includes(setting)), [], name);
			}
		});

		test('exactly the routes of the manifest lead to their services', () => {
			const full = ({ type, value }, path) => (type === 'Exact' ? value === path : new RegExp(`^(?:${value})$`).test(path));
			const led = (method, path) => routes.filter(({ kind }) => kind === 'HTTPRoute')
				.filter(({ spec }) => spec.rules.some(({ matches }) => matches.some((each) => each.method === method && full(each.path, path))))
				.map(({ spec }) => spec.rules[0].filters[0].urlRewrite.hostname);
			for (const [name, { http = [], ops = [] }] of Object.entries(functions)) {
				for (const route of http) {
					const [method, pattern] = route.split(' ');
					const path = pattern.replace(/\{\w+\}/g, 'a.b-c');
					assert.deepEqual(led(method, path), [`${name}.eds.svc.cluster.local`], route);
					if (method === 'GET') assert.deepEqual(led('HEAD', path), [`${name}.eds.svc.cluster.local`], route);
					assert.deepEqual(led(method, `${path}/more/and/more`), []);
				}
				for (const route of ops) assert.deepEqual(led(...route.split(' ')), [], route);
			}
			assert.deepEqual(led('GET', '/xwell-known/mta-sts.txt'), []);
		});

		test('the receiver of mail keeps the client\'s address and its spool', () => {
			const { spec } = find(receiver, 'StatefulSet', 'eds-smtp');
			const [container] = spec.template.spec.containers;
			assert.deepEqual(container.command, ['/opt/eds/runner', 'serve', '--only', 'smtp']);
			assert.equal(find(receiver, 'Service', 'eds-smtp').spec.externalTrafficPolicy, 'Local');
			const [{ name }] = container.volumeMounts.filter(({ mountPath }) => mountPath === '/var/lib/eds');
			assert.equal(spec.volumeClaimTemplates[0].metadata.name, name);
			assert.ok(find(receiver, 'Service', spec.serviceName), 'its governing service');
		});
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

	test('has valid instructions and valid shell commands', () => {
		assert.deepEqual(instructions.filter(([word]) => !['FROM', 'RUN', 'WORKDIR', 'COPY', 'USER', 'ENV', 'EXPOSE', 'CMD'].includes(word)), []);
		for (const [word, rest] of instructions)
			if (word === 'RUN') execFileSync('sh', ['-n', '-c', rest], { stdio: 'pipe' });
			else if (word === 'CMD') assert.ok(Array.isArray(JSON.parse(rest)));
	});

	test('installs every library that a program of the image needs', () => {
		const image = instructions.filter(([word]) => word === 'RUN').at(-1)[1];
		const programs = ['runner', 'libexec/eds-report-reader', ...Object.keys(functions).map((name) => `functions/${name}`)];
		// libraries that programs open with dlopen() when they need them
		const needed = new Set(['libpq.so.5', 'libcurl.so.4']);
		for (const program of programs)
			for (const [, library] of execFileSync('readelf', ['-d', join(BUILD, program)], { encoding: 'utf8' }).matchAll(/NEEDED.*\[(.*)\]/g))
				needed.add(library);
		for (const library of needed) {
			const owners = execFileSync('dpkg', ['-S', `*/x86_64-linux-gnu/${library}`], { encoding: 'utf8' });
			// some packages have another name since Debian 13
			const owner = owners.split(':')[0].replace(/t64$/, '').replace(/^libcares2$/, 'libc-ares2');
			assert.ok(owner === 'libc6' || image.split(/\s+/).includes(owner), `${library} of ${owner}`);
		}
	});
});

const cannotWalk = () => {
	if (!Object.keys(functions).every((name) => existsSync(packageFile(name)))) return 'make package was not run';
	if (!canIsolate()) return 'this machine lets no test make an empty root';
	return findPostgres() ? false : 'PostgreSQL is not installed';
};

// Replaces the parts of an answer that differ from one run to the next, such as times and ids.
const normal = (text) => text
	.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
	.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
	.replace(/\b[a-z2-7]{26}\b/g, 'TEST')
	.replace(/(id=|policyId":")[A-Za-z0-9]+/g, '$1POLICY')
	.replace(/(packaged|served)\.example/g, 'DOMAIN');

describe('the template, followed step by step', { skip: cannotWalk(), timeout: WALK_MS }, () => {
	const names = {
		'AWS::AccountId': '123456789012', 'AWS::Partition': 'aws', 'AWS::Region': 'eu-test-1', 'AWS::StackName': 'eds',
		BaseUrl: 'https://eds.example', TesterDomain: 'tester.example', ReportDomain: 'reports.example', PolicyHost: 'policy.example',
		DnsServers: '127.0.0.1:1', CodePrefix: '', Mail: 'eds-test-mail',
	};
	const running = new Map();
	let database;
	let s3;
	let secrets;
	let runner;
	let token;

	const settings = (id, folder) => {
		const url = database.url.replace(/host=[^&]+/, `host=${folder}`);
		const DatabaseSecret = secrets.put(`database-in${folder}`, { url });
		const { Variables } = resolve(template.Resources[id].Properties.Environment, { ...names, DatabaseSecret });
		const { EDS_MAIL_STORE, ...aws } = s3.env;
		return { ...Variables, ...aws, ...secrets.env };
	};
	const socketFolder = () => /host=([^&]+)/.exec(database.url)[1];
	// The settings of the runner: the settings of all functions in the template together.
	const ownSettings = () => Object.assign({}, ...ofType('AWS::Lambda::Function').map(([id]) => settings(id, socketFolder())));
	// Starts the function of a resource from its zip, with the settings of the template; a second call
	// returns the running one.
	async function deployed(id) {
		const { Handler, Code } = template.Resources[id].Properties;
		assert.equal(resolve(Code.S3Key, names), `${Handler}.zip`);
		if (!running.has(id))
			running.set(id, await startPackage(Handler, { env: settings(id, '/shared'), shared: socketFolder(), cloud: {} }));
		return running.get(id);
	}
	async function invoke(id, event) {
		const outcome = await (await deployed(id)).invoke(event);
		assert.ok(['response', 'error'].includes(outcome.kind));
		return outcome.json();
	}
	// Runs the function of this name with `runner invoke`; returns its answer to the event.
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
		secrets = await startSecrets({ client: s3.env });
		runner = await startRunner({ env: ownSettings() });
		token = firstToken(runner);
	});
	after(async () => {
		for (const each of running.values()) await each.stop();
		await runner?.stop();
		await s3?.close();
		assert.ok(secrets.requests.length > 0);
		assert.deepEqual(secrets.refusals, []);
		await secrets?.close();
		await database?.stop();
	});

	// The event that API Gateway makes of such a request.
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

	// Both sides, the packaged functions and the runner, have a domain and a session of their own, which
	// the requests of the routes use.
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
		test(`the schedule ${id} gives the same answer as the function run locally`, async () => {
			const [{ Arn }] = Properties.Targets;
			const Id = template.Resources[Arn['Fn::GetAtt'][0]].Properties.Handler;
			const event = {
				version: '0', id: randomUUID(), 'detail-type': 'Scheduled Event', source: 'aws.events', account: '123456789012',
				time: '2026-01-31T23:59:00Z', region: 'eu-test-1', detail: {},
				resources: [`arn:aws:events:eu-test-1:123456789012:rule/${id}`],
			};
			// one run finishes the work that is due, so that both compared runs have nothing to do
			await locally(Id, event);
			const answer = await invoke(Arn['Fn::GetAtt'][0], event);
			assert.equal(answer.errorType, undefined, answer.errorMessage);
			assert.deepEqual(answer, await locally(Id, event));
		});

	const SES_MESSAGE = [
		'Received: from mx.sender.example (mx.sender.example [203.0.113.9])',
		' by inbound-smtp.eu-central-1.amazonaws.com with SMTP id x;', ' Fri, 20 Nov 2026 11:21:30 +0000 (UTC)',
		'X-SES-RECEIPT: AEFB', 'From: a@sender.example', 'Subject: walked', '', 'Hello.', '',
	].join('\r\n');

	// The event by which a queue (SQS) delivers a notification of SES that came through a topic (SNS).
	const queued = (notification, topic) => ({ Records: [{
		messageId: randomUUID(), receiptHandle: 'handle', eventSource: 'aws:sqs', awsRegion: 'eu-test-1',
		eventSourceARN: 'arn:aws:sqs:eu-test-1:123456789012:queue', attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {},
		body: JSON.stringify({ Type: 'Notification', MessageId: randomUUID(), TopicArn: topic, Message: JSON.stringify(notification),
			Subject: 'Amazon SES Email Receipt Notification', Timestamp: new Date().toISOString(), SignatureVersion: '1' }),
	}] });
	// The function that gets the messages of a topic.
	function subscribed(topic) {
		const [, { Properties: { Endpoint } }] = ofType('AWS::SNS::Subscription').find(([, { Properties }]) => Properties.TopicArn.Ref === topic);
		const [, { Properties }] = ofType('AWS::Lambda::EventSourceMapping').find(([, { Properties: { EventSourceArn } }]) =>
			EventSourceArn['Fn::GetAtt'][0] === Endpoint['Fn::GetAtt'][0]);
		return Properties.FunctionName.Ref;
	}

	// Does what SES does with a message to a new recipient in the rule's domain: puts the message into
	// the bucket, then notifies the topic.
	async function receive({ Name, Recipients, Actions: [{ S3Action }] }, side) {
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
			action: { type: 'S3', topicArn: 'topic', bucketName: S3Action.BucketName, objectKey: S3Action.ObjectKeyPrefix + messageId } };
		return { session, recipient, event: queued({ notificationType: 'Received', mail, receipt }, 'topic') };
	}

	for (const [id, { Properties }] of ofType('AWS::SES::ReceiptRule'))
		test(`mail by ${id} is stored and answered as mail to the runner`, async () => {
			const rule = resolve(Properties.Rule, names);
			const packaged = await receive(rule, 'packaged');
			const served = await receive(rule, 'served');
			const answer = await invoke(subscribed(Properties.Rule.Actions[0].S3Action.TopicArn.Ref), packaged.event);
			assert.deepEqual(answer, { batchItemFailures: [] });
			assert.deepEqual(answer, await locally(rule.Name, served.event));
			const shown = async ({ session }) =>
				(await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}`)).text;
			assert.equal(normal(await shown(packaged)), normal(await shown(served)));
			if (packaged.recipient === packaged.session.email)
				assert.equal(JSON.parse(await shown(packaged)).results.headers.subject, 'walked');
		});
});
