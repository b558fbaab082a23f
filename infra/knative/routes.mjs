// The routes of the API as objects of the Gateway API: one HTTPRoute per function, to Knative's gateway
// under the name of the function's service. Its time limit is that of the function.
import { deployed } from '../functions.mjs';
import { CERTIFICATE, GATEWAY_CLASS, LOCAL_GATEWAY, NAMESPACE, list } from './cluster.mjs';

const ROUTES = 'gateway.networking.k8s.io/v1';

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// A pattern for the whole path of "GET /api/v1/domains/{id}", in which a parameter is one segment.
function match(route) {
	const [method, path] = route.split(' ');
	const value = path.split(/\{\w+\}/).map(escaped).join('[^/]+');
	return { method, path: path.includes('{') ? { type: 'RegularExpression', value } : { type: 'Exact', value: path } };
}

// A function that answers GET also answers HEAD.
const withHead = (matches) => matches.flatMap((each) => (each.method === 'GET' ? [each, { ...each, method: 'HEAD' }] : [each]));

const MATCHES_MAX = 8; // the most matches that the Gateway API allows in a rule

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

// Knative's gateway is in another namespace, which must allow references to it.
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
