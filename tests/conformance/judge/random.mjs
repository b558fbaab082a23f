// Repeatable random values: everything follows from the seed and the name of the stream.
import { checkPrimeSync, createHash, createPrivateKey, createPublicKey } from 'node:crypto';

export class Random {
	#stream;
	#block = Buffer.alloc(0);
	#count = 0;

	constructor(seed, stream) {
		this.#stream = `${seed} ${stream}`;
	}

	bytes(length) {
		while (this.#block.length < length) {
			const more = createHash('sha256').update(`${this.#stream} ${this.#count++}`).digest();
			this.#block = Buffer.concat([this.#block, more]);
		}
		const bytes = this.#block.subarray(0, length);
		this.#block = this.#block.subarray(length);
		return bytes;
	}

	below(limit) {
		return this.bytes(4).readUInt32BE() % limit;
	}

	chance(percent) {
		return this.below(100) < percent;
	}

	pick(list) {
		return list[this.below(list.length)];
	}

	some(list, percent) {
		return list.filter(() => this.chance(percent));
	}

	// A list of at least `least` and at most `most` items.
	list(least, most, make) {
		return Array.from({ length: least + this.below(most - least + 1) }, make);
	}
}

const SMALL_PRIMES = [3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n, 43n, 47n, 53n, 59n, 61n, 67n, 71n];
const EXPONENT = 65537n;

function prime(random, bits) {
	for (;;) {
		const bytes = Buffer.from(random.bytes(bits / 8));
		bytes[0] |= 0xc0;
		bytes[bytes.length - 1] |= 1;
		const candidate = BigInt(`0x${bytes.toString('hex')}`);
		if (SMALL_PRIMES.some((p) => candidate % p === 0n) || candidate % EXPONENT === 1n) continue;
		if (checkPrimeSync(candidate, { checks: 20 })) return candidate;
	}
}

function inverse(a, modulus) {
	let [r, next, t, nextT] = [modulus, a % modulus, 0n, 1n];
	while (next > 0n) {
		const quotient = r / next;
		[r, next] = [next, r - quotient * next];
		[t, nextT] = [nextT, t - quotient * nextT];
	}
	return t < 0n ? t + modulus : t;
}

function base64url(number) {
	const hex = number.toString(16);
	return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex').toString('base64url');
}

function rsa(random, bits) {
	const p = prime(random, bits / 2);
	const q = prime(random, bits / 2);
	const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
	const parts = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
	const key = { kty: 'RSA' };
	for (const [name, value] of Object.entries(parts)) key[name] = base64url(value);
	return createPrivateKey({ key, format: 'jwk' });
}

function ed25519(random) {
	const head = Buffer.from('302e020100300506032b657004220420', 'hex');
	return createPrivateKey({ key: Buffer.concat([head, random.bytes(32)]), format: 'der', type: 'pkcs8' });
}

// { type, bits, privateKey, pem, python: the key for python3-dkim, p: the published value }
export function makeKey(random, type, bits) {
	const privateKey = type === 'rsa' ? rsa(random, bits) : ed25519(random);
	const publicDer = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
	const privateDer = privateKey.export({ type: 'pkcs8', format: 'der' });
	return {
		type,
		bits,
		privateKey,
		pem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
		python: type === 'rsa'
			? privateKey.export({ type: 'pkcs1', format: 'pem' })
			: privateDer.subarray(-32).toString('base64'),
		p: (type === 'rsa' ? publicDer : publicDer.subarray(-32)).toString('base64'),
	};
}
