// Direct access to the mail store of a runner: its folder, or its part of the bucket that
// EDS_TEST_S3 names (support/s3.mjs).
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const bucketOf = ({ storeEnv: { AWS_ENDPOINT_URL_S3: server, EDS_MAIL_STORE: place } }) =>
	server && { server, prefix: `${place.replace(/^s3:\/\/[^/]+\//, '')}/` };
const folderOf = ({ folder }) => join(folder, 'var/mail');
const objectUrl = ({ server, prefix }, id) => `${server}/objects/${encodeURIComponent(prefix + id)}`;

// The ids of the messages in the store.
export async function storedIds(runner) {
	const bucket = bucketOf(runner);
	if (bucket) {
		const keys = await (await fetch(`${bucket.server}/keys`)).json();
		return keys.filter((key) => key.startsWith(bucket.prefix)).map((key) => key.slice(bucket.prefix.length));
	}
	return existsSync(folderOf(runner)) ? readdirSync(folderOf(runner)).filter((name) => !name.startsWith('.')) : [];
}

// The octets of a message; undefined when it is not in the store.
async function storedBytes(runner, id) {
	const bucket = bucketOf(runner);
	if (bucket) {
		const answer = await fetch(objectUrl(bucket, id));
		return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
	}
	const path = join(folderOf(runner), id);
	return existsSync(path) ? readFileSync(path) : undefined;
}

export const storedMessage = async (runner, id) => (await storedBytes(runner, id))?.toString('latin1');

export async function storedMessages(runner) {
	const texts = await Promise.all((await storedIds(runner)).map((id) => storedMessage(runner, id)));
	return texts.filter((text) => text !== undefined);
}

// Copies all messages of the store into an existing folder, as a backup.
export async function copyMail(runner, target) {
	for (const id of await storedIds(runner)) writeFileSync(join(target, id), await storedBytes(runner, id));
}

export async function restoreMail(runner, source) {
	const bucket = bucketOf(runner);
	if (!bucket) mkdirSync(folderOf(runner), { recursive: true });
	for (const id of readdirSync(source)) {
		const bytes = readFileSync(join(source, id));
		if (bucket) await fetch(objectUrl(bucket, id), { method: 'PUT', body: bytes });
		else writeFileSync(join(folderOf(runner), id), bytes);
	}
}

// Deletes all messages in a bucket. It does nothing for a folder, which the test loses together with its disk.
export async function loseMail(runner) {
	const bucket = bucketOf(runner);
	if (!bucket) return;
	for (const id of await storedIds(runner)) await fetch(objectUrl(bucket, id), { method: 'DELETE' });
}
