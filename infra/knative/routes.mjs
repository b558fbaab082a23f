// The routes of the API as objects of the Gateway API: one HTTPRoute a function, to Knative's gateway under
// the name of the function's service. Who waits for the answer waits as long as the function may take.
import { deployed } from '../functions.mjs';
import { CERTIFICATE, GATEWAY_CLASS, LOCAL_GATEWAY, NAMESPACE, list } from './cluster.mjs';

const ROUTES = 'gateway.networking.k8s.io/v1';

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// "GET /api/v1/domains/{id}": the whole path, a parameter being one part of it.
function match(route) {
	const [method, path] = route.split(' ');
	const value = path.split(/\{\w+\}/).map(escaped).join('[^/]+');
	return { method, path: path.includes('{') ? { type: 'RegularExpression', value } : { type: 'Exact', value: path } };
}

// HEAD is answered wherever GET is.
const withHead = (matches) => matches.flatMap((each) => (each.method === 'GET' ? [each, { ...each, method: 'HEAD' }] : [each]));

const MATCHES_MAX = 8; // of a rule of the Gateway API

const inRules = (matches) => Array.from({ length: Math.ceil(matches.length / MATCHES_MAX) },
	(_, i) => matches.slice(i * MATCHES_MAX, (i + 1) * MATCHES_MAX));

const route = ({ name, http, timeoutMs }) => ({
	apiVersion: ROUTES,
	kind: 'HTTPRoute',
	metadata: { name, namespace: NAMESPACE },
	spec: {
		parentRefs: [{ name: 'eds' }],
		rules: inRules(withHead(http.map(match))).map((matches) => ({
			matches,
			filters: [{ type: 'URLRewrite', urlRewrite: { hostname: `${name}.${NAMESPACE}.svc.cluster.local` } }],
			backendRefs: [LOCAL_GATEWAY],
			timeouts: { request: `${Math.ceil(timeoutMs / 1000) + 2}s` },
		})),
	},
});

const gateway = {
	apiVersion: ROUTES,
	kind: 'Gateway',
	metadata: { name: 'eds', namespace: NAMESPACE },
	spec: {
		gatewayClassName: GATEWAY_CLASS,
		listeners: [{
			name: 'https', protocol: 'HTTPS', port: 443,
			tls: { mode: 'Terminate', certificateRefs: [{ name: CERTIFICATE }] },
			allowedRoutes: { namespaces: { from: 'Same' } },
		}],
	},
};

// Knative's gateway lies in another namespace, which has to allow it.
const grant = {
	apiVersion: 'gateway.networking.k8s.io/v1beta1',
	kind: 'ReferenceGrant',
	metadata: { name: 'eds', namespace: LOCAL_GATEWAY.namespace },
	spec: {
		from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: NAMESPACE }],
		to: [{ group: '', kind: 'Service', name: LOCAL_GATEWAY.name }],
	},
};

export const gatewayRoutes = (manifest) =>
	list([gateway, grant, ...deployed(manifest).filter(({ http }) => http.length > 0).map(route)]);
