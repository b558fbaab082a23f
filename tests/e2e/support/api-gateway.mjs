// A replacement for Amazon's HTTP API, as a front sees it: HTTPS under a host name of its own, 403
// for every other Host, and the template's routes without parameters, each of which calls its
// function.
import { randomUUID } from 'node:crypto';
import https from 'node:https';

import { makeAuthority } from '../../support/authority.mjs';

const said = (res, status, message) =>
	res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));

function eventOf(req, routeKey, sourceIp) {
	const [rawPath, rawQueryString = ''] = req.url.split('?');
	const [method] = routeKey.split(' ');
	return {
		version: '2.0', routeKey, rawPath, rawQueryString, isBase64Encoded: false,
		headers: { ...req.headers, 'x-forwarded-for': sourceIp, 'x-forwarded-port': '443', 'x-forwarded-proto': 'https' },
		queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)),
		requestContext: {
			accountId: '123456789012', apiId: 'api', domainName: req.headers.host, domainPrefix: 'api', requestId: randomUUID(), routeKey,
			stage: '$default', time: '31/Jan/2026:23:59:59 +0000', timeEpoch: Date.now(),
			http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: req.headers['user-agent'] ?? '' },
		},
	};
}

// sourceIp: the address that all connections seem to come from; tests may change it. invoke(id, event):
// the answer of the function of that logical id. Gives { endpoint, caFile, sourceIp, stop }.
export async function startApiGateway({ template, sourceIp, invoke }) {
	const authority = makeAuthority();
	const routes = new Map(Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
		.map(({ Properties: { RouteKey, Target } }) => {
			const integration = template.Resources[/\$\{(\w+)\}/.exec(Target['Fn::Sub'])[1]];
			return [RouteKey, integration.Properties.IntegrationUri['Fn::GetAtt'][0]];
		}));
	const gateway = { sourceIp };

	const server = https.createServer(authority.issue(['localhost']), async (req, res) => {
		const routeKey = `${req.method} ${req.url.split('?')[0]}`;
		if (!/^localhost(:\d+)?$/.test(req.headers.host)) return said(res, 403, 'Forbidden');
		if (!routes.has(routeKey)) return said(res, 404, 'Not Found');
		try {
			const { statusCode, headers, body = '', isBase64Encoded } =
				await invoke(routes.get(routeKey), eventOf(req, routeKey, gateway.sourceIp));
			return res.writeHead(statusCode, headers).end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
		} catch {
			return said(res, 500, 'Internal Server Error');
		}
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	return Object.assign(gateway, {
		endpoint: `https://localhost:${server.address().port}`,
		caFile: authority.file,
		async stop() {
			await new Promise((done) => {
				server.close(done);
				server.closeAllConnections();
			});
			authority.remove();
		},
	});
}
