// A client as a developer writes it with types generated from the API description: prints the service's answers.
import createClient from 'openapi-fetch';
import type { components, paths } from './interface.js';

type Domain = components['schemas']['Domain'];

const [, , baseUrl, token] = process.argv as string[];
const eds = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

async function domains(): Promise<Domain[]> {
	const found: Domain[] = [];
	for (let cursor: string | undefined, more = true; more;) {
		const { data, error, response } = await eds.GET('/api/v1/domains', { params: { query: { limit: 1, cursor } } });
		if (error) throw new Error(error.detail);
		found.push(...data.data);
		const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
		more = next !== undefined;
		cursor = next && (new URL(next, baseUrl).searchParams.get('cursor') ?? undefined);
	}
	return found;
}

const add = (name: string) => eds.POST('/api/v1/domains', { body: { name } });

const first = await add('one.example');
const second = await add('two.example');
const again = await add('one.example');
const id = first.data!.data.id;
const selector = await eds.POST('/api/v1/domains/{id}/dkim/selectors', { params: { path: { id } }, body: { selector: 's1' } });
const policy = await eds.PATCH('/api/v1/domains/{id}/mta-sts', { params: { path: { id } }, body: { mode: 'enforce' } });
const session = await eds.POST('/api/inbound-tester/sessions', {});
const pending = await eds.GET('/api/inbound-tester/sessions/{testId}', { params: { path: { testId: session.data!.testId } } });

console.log(JSON.stringify({
	names: (await domains()).map(({ name }) => name),
	second: second.response.status,
	again: again.error?.code,
	selector: selector.data?.data.errors[0]?.code,
	policy: policy.error?.code,
	session: pending.data?.status,
}));
