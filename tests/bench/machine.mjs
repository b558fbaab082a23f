// The speed of this machine, for comparison with the other figures: waking a process, and serving a static file
// with a web server.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../support/free-port.mjs';
import { request, until } from '../e2e/support/runner.mjs';
import { build, heading, row } from './measure.mjs';
import { load } from './requests.mjs';

const NGINX = 'build/nginx/usr/sbin/nginx';
const GIB = 1024 ** 3;
const FILE_OCTETS = 3000; // about the size of a result of the tester
const START_MS = 5000;

const release = () => /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))[1];

export const machine = () => `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / GIB)} GiB, ${release()}, ` +
	`Linux ${execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim()}`;

const configuration = (folder, port) => `daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr crit;
${userInfo().uid === 0 ? 'user root;' : ''}
events {}
http {
	access_log off;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	keepalive_requests 1000000;
	server {
		listen 127.0.0.1:${port};
		root ${folder}/files;
	}
}
`;

async function staticFile() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
	const port = await freePort();
	mkdirSync(join(folder, 'files'));
	writeFileSync(join(folder, 'files/file.json'), 'x'.repeat(FILE_OCTETS));
	writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port));
	const server = spawn(NGINX, ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
	try {
		const url = `http://127.0.0.1:${port}/file.json`;
		await until(() => request(url).catch(() => undefined), START_MS);
		return (await load(url)).rate;
	} finally {
		const ended = new Promise((done) => server.on('exit', done));
		server.kill();
		await ended;
		rmSync(folder, { recursive: true, force: true });
	}
}

export async function ofMachine() {
	heading('the machine');
	console.log(`  ${machine()}`);
	const trip = Number(execFileSync(join(build, 'tests/bench/pipe'), { encoding: 'utf8' }));
	row('an octet to a process and back', `${trip.toFixed(1)} us`, '', 'two pipes, 20,000 times');
	if (existsSync(NGINX))
		row('nginx, a static file of 3 KB', `${Math.round(await staticFile())}/s`, '', 'one worker, wrk, 32 connections');
}
