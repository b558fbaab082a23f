// Knative: a service of each function, all of one image (infra/container), with bootstrap as its
// command; a PingSource of each schedule, which speaks CloudEvents to it. Mail comes from a receiver of
// one's own (infra/README.md), which posts CloudEvents to the services of mail.
import { deployed } from '../functions.mjs';

const NAMESPACE = 'eds';
const IMAGE = 'registry.example.com/eds:latest'; // to be set by whoever deploys
const CONCURRENCY = 32; // what bootstrap lets wait
const IDLE_MB = 64; // bootstrap and libraries beside the function's own data

// EventBridge's rate(…) as cron; cron(…) has a year and a "?" more than Kubernetes knows.
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

// Jobs, mail and the policy host's question are for the cluster's own senders; the rest for everybody.
const isLocal = ({ ops, schedule, mail }) => Boolean(ops.length > 0 || schedule || mail);

function service(entry) {
	const { name, timeoutMs, memoryMb = 64 } = entry;
	return {
		apiVersion: 'serving.knative.dev/v1',
		kind: 'Service',
		metadata: {
			name,
			namespace: NAMESPACE,
			labels: isLocal(entry) ? { 'networking.knative.dev/visibility': 'cluster-local' } : {},
		},
		spec: {
			template: {
				spec: {
					containerConcurrency: CONCURRENCY,
					timeoutSeconds: Math.ceil(timeoutMs / 1000) + 1,
					containers: [{
						image: IMAGE,
						command: ['/opt/eds/bootstrap'],
						args: [name],
						envFrom: [{ configMapRef: { name: 'eds' } }, { secretRef: { name: 'eds' } }],
						resources: { limits: { memory: `${memoryMb + IDLE_MB}Mi` } },
						readinessProbe: { httpGet: { path: '/healthz' } },
						securityContext: {
							runAsNonRoot: true,
							allowPrivilegeEscalation: false,
							readOnlyRootFilesystem: true,
							capabilities: { drop: ['ALL'] },
						},
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
	return {
		apiVersion: 'v1',
		kind: 'List',
		items: [...functions.map(service), ...functions.filter(({ schedule }) => schedule).map(pingSource)],
	};
}
