// A real Postfix with a configuration and a queue of its own. It needs root, as Postfix does. A
// Postfix service of the machine is not affected.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '../../support/free-port.mjs';
import { until } from './runner.mjs';

const MAIN_CF = fileURLToPath(new URL('../../../infra/postfix/main.cf', import.meta.url));
const ANSWER_MS = 5000;
const START_MS = 20000;
const STOP_MS = 5000;
// number of attempts to start it: on a busy machine Postfix's logger may deadlock, because
// it logs to its own full socket
const STARTS = 3;
const MASTER = '/usr/lib/postfix/sbin/master';
const QUEUES = ['active', 'bounce', 'corrupt', 'defer', 'deferred', 'flush', 'hold', 'incoming', 'maildrop',
	'private', 'public', 'saved', 'trace'];
const SERVICES = ['rewrite trivial-rewrite', 'bounce bounce', 'defer bounce', 'trace bounce', 'error error', 'retry error',
	'proxymap proxymap', 'smtp smtp', 'discard discard'];

// The folders of this instance; compatibility_level comes first, as Postfix requires.
const place = (folder) => `queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file_prefixes = ${folder}
maillog_file = ${folder}/log
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_peername_lookup = no
`;

// A sender: it passes all mail to the server at this port, over TLS except mail to
// plain@tester.localhost.
export const relaying = (port) => `compatibility_level = 3.6
myhostname = postfix.example
mydestination =
mynetworks = 127.0.0.0/8
relayhost = [127.0.0.1]:${port}
transport_maps = inline:{plain@tester.localhost=plain:[127.0.0.1]:${port}}
smtp_dns_support_level = disabled
smtp_tls_security_level = encrypt
`;

// The receiver of infra/postfix in front of the runner at this port, with a certificate of its own.
export const receiving = (port) => (folder) => {
	const certificate = join(folder, 'certificate.pem');
	const key = join(folder, 'key.pem');
	execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
		'-subj', '/CN=mx.example.com', '-out', certificate, '-keyout', key], { stdio: 'ignore' });
	return `${readFileSync(MAIN_CF, 'utf8')}
relay_domains = tester.localhost, reports.localhost
smtpd_proxy_filter = 127.0.0.1:${port}
smtpd_tls_cert_file = ${certificate}
smtpd_tls_key_file = ${key}
`;
};

// A server that stores mail for these addresses of this domain in files; mails(address) of
// startPostfix() returns it. It permanently refuses other addresses of the domain. With a certificate
// it offers STARTTLS.
export const keeping = (domain, addresses, certificate) => (folder) => {
	const maps = addresses.map((address) => `{${address}=${address}/}`).join(',');
	mkdirSync(join(folder, 'mail'));
	execFileSync('chown', ['postfix', join(folder, 'mail')]);
	const id = (what) => execFileSync('id', [what, 'postfix'], { encoding: 'utf8' }).trim();
	if (certificate) writeFileSync(join(folder, 'tls.pem'), certificate.key + certificate.cert);
	return `compatibility_level = 3.6
myhostname = relay.example
mydestination =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = inline:{${maps}}
virtual_uid_maps = static:${id('-u')}
virtual_gid_maps = static:${id('-g')}
virtual_transport = virtual
local_recipient_maps =
${certificate ? `smtpd_tls_chain_files = ${folder}/tls.pem\nsmtpd_tls_security_level = encrypt\n` : ''}`;
};

const master = (port) => `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
virtual unix - n n - - virtual
plain unix - - n - - smtp -o smtp_tls_security_level=none
${SERVICES.map((line) => line.replace(' ', ' unix - - n - - ')).join('\n')}
`;

const answers = (port) => new Promise((done) => {
	const socket = net.connect(port, '127.0.0.1').on('error', () => done(false));
	socket.once('data', () => done(true) || socket.destroy());
	socket.setTimeout(ANSWER_MS, () => done(false) || socket.destroy());
});

// Starts a Postfix. settings: main.cf as text, or a function of the folder that makes it. change(folder): changes the
// folder of main.cf and master.cf before the start. Returns { port, log(), mails(address), queued(), stop() }.
export async function startPostfix(settings, change = () => {}) {
	for (let starts = 1; ; starts++) {
		try {
			return await startOnce(settings, change);
		} catch (error) {
			if (starts === STARTS) throw error;
			console.log(`${error.message}: started anew`);
		}
	}
}

async function startOnce(settings, change) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-postfix-'));
	const own = await freePort();
	chmodSync(folder, 0o755);
	for (const path of ['etc', 'queue', 'queue/pid', 'data']) mkdirSync(join(folder, path));
	for (const path of QUEUES) mkdirSync(join(folder, 'queue', path));
	execFileSync('chown', ['postfix', ...QUEUES.map((path) => join(folder, 'queue', path)), join(folder, 'data')]);
	const text = typeof settings === 'function' ? settings(folder) : settings;
	writeFileSync(join(folder, 'etc/main.cf'), text + place(folder));
	writeFileSync(join(folder, 'etc/master.cf'), master(own));
	change(join(folder, 'etc'));

	const child = spawn(MASTER, ['-d', '-c', join(folder, 'etc')], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
	let errors = '';
	child.stderr.on('data', (data) => (errors += data));
	const ended = new Promise((done) => child.once('close', done));
	const log = () => {
		try {
			return errors + readFileSync(join(folder, 'log'), 'utf8');
		} catch {
			return errors;
		}
	};
	const mails = (address) => {
		const box = join(folder, 'mail', address, 'new');
		return existsSync(box) ? readdirSync(box).map((name) => readFileSync(join(box, name), 'utf8')) : [];
	};
	const queued = () => ['active', 'incoming', 'maildrop', 'deferred']
		.flatMap((name) => readdirSync(join(folder, 'queue', name), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile()).length;
	const stop = async () => {
		child.kill('SIGTERM');
		const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STOP_MS);
		await ended;
		clearTimeout(timer);
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		await until(() => {
			if (child.exitCode !== null) throw new Error('it ended');
			return answers(own);
		}, START_MS);
	} catch (error) {
		const text = log();
		await stop();
		throw new Error(`postfix does not start: ${error.message}\n${text}`);
	}
	return { port: own, log, mails, queued, stop };
}
