// Knative: a service for each function, all with one image (infra/container) and bootstrap as the command;
// a PingSource for each schedule, which sends CloudEvents to the service. Requests come through the routes
// of routes.mjs. Mail comes from a receiver that posts CloudEvents (infra/README.md); if the runner of
// smtp.mjs receives mail, the mail functions get no events.
import { deployed } from '../functions.mjs';
import { IMAGE, NAMESPACE, confined, list } from './cluster.mjs';

const HANDLERS = 4; // the number for a function whose entry in the manifest has none
const IDLE_MB = 64; // memory for bootstrap and libraries, in addition to that of the functions
// The maximum number of containers of a function. Multiplied by the handlers in each, it is the maximum
// number of its connections to the database.
const SCALE_MAX = { http: 3, schedule: 1, mail: 4 };

// Converts EventBridge's rate(…) to cron; its cron(…) also has a year and a "?", which Kubernetes
// does not support.
export function crontab(expression) {
	const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
	if (rate) {
		const every = rate[1] === '1' ? '*' : `*/${rate[1]}`;
		return { minute: `${every} * * * *`, hour: `0 ${every} * * *`, day: `0 0 ${every} * *` }[rate[2]];
	}
	const cron = /^cron\((\S+) (\S+) (\S+) (\S+) (\S+) \*\)$/.exec(expression);
	if (!cron) throw new Error(`no crontab for ${expression}`);
	return cron.slice(1).join(' ').replaceAll('?', '*');
}

const kindOf = ({ schedule, mail }) => (schedule && 'schedule') || (mail && 'mail') || 'http';

// The settings of the function, and the variables that go with them, from the ConfigMap and the
// Secret `eds`.
const SECRET = ['EDS_ALERT_RELAY', 'EDS_DATABASE_URL', 'EDS_DNSBL_COMBINED'];
// settings that every program reads, so the manifest does not name them
const EVERYWHERE = ['EDS_LOG_LEVEL', 'EDS_SANDBOX'];
const TESTS_ONLY = ['EDS_ALLOW_PRIVATE_ADDRESSES', 'EDS_POLICY_FETCH_PORT', 'EDS_STARTTLS_PORT'];
const CREDENTIALS = { EDS_MAIL_STORE: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'], EDS_DATABASE_URL: ['PGPASSWORD'] };
const BESIDE = { EDS_MAIL_STORE: ['AWS_REGION', 'AWS_ENDPOINT_URL_S3'] };

function settingsOf({ settings = [] }) {
	const own = [...settings.filter((name) => !TESTS_ONLY.includes(name)), ...EVERYWHERE];
	const plain = [...own.filter((name) => !SECRET.includes(name)), ...own.flatMap((name) => BESIDE[name] ?? [])];
	const secret = [...own.filter((name) => SECRET.includes(name)), ...own.flatMap((name) => CREDENTIALS[name] ?? [])];
	const from = (kind) => (name) => ({ name, valueFrom: { [kind]: { name: 'eds', key: name, optional: true } } });
	return [...plain.map(from('configMapKeyRef')), ...secret.map(from('secretKeyRef'))];
}

function service(entry) {
	const { name, timeoutMs, memoryMb = 64, handlers = HANDLERS } = entry;
	return {
		apiVersion: 'serving.knative.dev/v1',
		kind: 'Service',
		metadata: {
			name,
			namespace: NAMESPACE,
			labels: { 'networking.knative.dev/visibility': 'cluster-local' },
		},
		spec: {
			template: {
				metadata: {
					annotations: {
						'autoscaling.knative.dev/min-scale': '0',
						'autoscaling.knative.dev/max-scale': String(SCALE_MAX[kindOf(entry)]),
					},
				},
				spec: {
					containerConcurrency: handlers,
					timeoutSeconds: Math.ceil(timeoutMs / 1000) + 1,
					containers: [{
						image: IMAGE,
						command: ['/opt/eds/bootstrap'],
						args: [name],
						env: settingsOf(entry),
						resources: {
							requests: { memory: `${memoryMb + IDLE_MB}Mi` },
							limits: { memory: `${handlers * memoryMb + IDLE_MB}Mi` },
						},
						readinessProbe: { httpGet: { path: '/healthz' } },
						securityContext: confined,
					}],
				},
			},
		},
	};
}

const pingSource = ({ name, schedule }) => ({
	apiVersion: 'sources.knative.dev/v1',
	kind: 'PingSource',
	metadata: { name, namespace: NAMESPACE },
	spec: {
		schedule: crontab(schedule),
		contentType: 'application/json',
		data: '{}',
		sink: { ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name } },
	},
});

export function knativeServices(manifest) {
	const functions = deployed(manifest).filter(({ http, ops, schedule, mail }) => http.length + ops.length > 0 || schedule || mail);
	return list([...functions.map(service), ...functions.filter(({ schedule }) => schedule).map(pingSource)]);
}
