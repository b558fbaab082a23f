// The DMARC reports that arrive in the measurement of scale: two a day for each domain, signed by the
// reporter, each in a separate mail in the mail store.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { aggregate, gzipMail, signedByReporter } from '../e2e/support/reports.mjs';
import { nameOf } from './scale-names.mjs';

const REPORTS_A_DAY = 2; // reports a day for each domain
const DAY_MINUTES = 24 * 60;
const DAY_S = 24 * 60 * 60;
const RECORDS = 5; // number of sending addresses in a report
const STEP = 7919; // a prime, so that the domains of a minute are spread over all domains

const address = (i, j) => `198.51.${(i * RECORDS + j) >> 8 & 255}.${(i * RECORDS + j) & 255}`;

function mailOf(number, i, nowMs) {
	const domain = nameOf(i);
	const end = Math.floor(nowMs / 1000 / DAY_S) * DAY_S;
	const records = Array.from({ length: RECORDS }, (_, j) => ({ ip: address(i, j), count: 1 + j,
		signatures: [{ domain, selector: `s${1 + j % 2}` }] }));
	return signedByReporter(gzipMail(aggregate({ id: `scale-${number}`, domain, begin: end - DAY_S, end: end - 1, records })));
}

function event(messageId, recipient, nowMs) {
	const timestamp = new Date(nowMs).toISOString();
	return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses: {
		mail: { timestamp, source: 'dmarc@receiver.example', messageId, destination: [recipient] },
		receipt: { timestamp, recipients: [recipient], action: { type: 'Lambda' } },
	} }] };
}

export class Arriving {
	#sent = 0;

	// idOf: the id of the i-th domain, from 1.
	constructor(folder, count, idOf) {
		this.store = join(folder, 'var/mail');
		this.count = count;
		this.idOf = idOf;
		mkdirSync(this.store, { recursive: true, mode: 0o700 });
	}

	// Makes the events of a minute, and puts their mails into the mail store.
	async minute(nowMs) {
		const until = this.#sent + Math.max(1, Math.round(this.count * REPORTS_A_DAY / DAY_MINUTES));
		const events = [];
		for (; this.#sent < until; this.#sent++) {
			const i = 1 + this.#sent * STEP % this.count;
			const name = `report-${this.#sent}`;
			writeFileSync(join(this.store, name), await mailOf(this.#sent, i, nowMs));
			events.push(event(name, `${this.idOf(i)}@reports.localhost`, nowMs));
		}
		return events;
	}

	// Deletes the mails of a past minute.
	forget(events) {
		for (const { Records: [{ ses }] } of events) rmSync(join(this.store, ses.mail.messageId), { force: true });
	}
}
