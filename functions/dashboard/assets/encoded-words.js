// Encoded words (RFC 2047), as in the subject of a message: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=

const WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN = /(\?=)[ \t]+(?==\?)/g; // white space between two encoded words does not count (section 6.2)

function octetsOfB(text) {
	return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function octetsOfQ(text) {
	const plain = text
		.replace(/_/g, ' ')
		.replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
	return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** The text with its encoded words decoded; words that cannot be decoded stay as they are. */
export function decodeWords(text) {
	return text.replace(BETWEEN, '$1').replace(WORD, (word, charset, encoding, content) => {
		try {
			const octets = /b/i.test(encoding) ? octetsOfB(content) : octetsOfQ(content);
			return new TextDecoder(charset).decode(octets);
		} catch {
			return word;
		}
	});
}
